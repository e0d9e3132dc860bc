// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPConnections
import HTTPTypes
import Hummingbird
import HummingbirdCore
import LabCore
import LabSystem
public import LabTools
import Logging
import ScenarioEngine
import ServiceLifecycle

/// The page of a running instance, served on loopback to clients that have its address.
///
/// The address holds a token, which is exchanged for a cookie (``DashboardAccess``); other pages of the browser know neither,
/// and their requests are refused under any name of this machine.
///
/// Thread rule: any thread.
public final class Dashboard: Sendable {
    /// The address of the page; any client that has it can control the instance.
    public let address: String
    private let page: LivePage
    private let services: ServiceGroup
    private let task: Task<Void, any Error>
    private let hasEnded = OneShot<Void>()

    /// How long browsers may take to receive the end.
    private static let farewell = LabDuration.seconds(1)

    /// Begins to serve a page. Blocks until it listens.
    /// - Parameter port: a port of 127.0.0.1; 0 lets the system choose.
    /// - Throws: ``LabFailure`` when nothing can listen there.
    public init(serving page: LivePage, port: Int) throws {
        self.page = page
        let access = DashboardAccess()
        let router = Router()
        router.add(middleware: access)
        router.get("/") { _, _ in access.grant() }
        router.get("/\(access.page)") { _, _ in
            let nonce = DashboardAccess.secret()
            return Response(
                status: .ok,
                headers: [
                    .contentType: "text/html; charset=utf-8",
                    .contentSecurityPolicy: "script-src 'nonce-\(nonce)'; base-uri 'none'; frame-ancestors 'none'",
                ],
                body: .init(byteBuffer: ByteBuffer(bytes: page.document(nonce: nonce))))
        }
        router.get("/\(access.page)/updates") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/event-stream"],
                body: .init { writer in
                    for await update in page.updates() {
                        try await writer.write(
                            ByteBuffer(string: "data: \(String(decoding: update, as: UTF8.self))\n\n"))
                    }
                    try await writer.write(ByteBuffer(string: "event: end\ndata: {}\n\n"))
                    try await writer.finish(nil)
                })
        }
        router.get("/\(access.page)/scenario") { _, _ in
            // It waits for the step that runs.
            let text = await onThread(named: "dashboard scenario") { page.scenario() }
            guard let scenario = text else { return Response(status: .noContent) }
            return Response(
                status: .ok, headers: [.contentType: "application/yaml; charset=utf-8"],
                body: .init(byteBuffer: ByteBuffer(string: scenario)))
        }
        router.get("/\(access.page)/snapshots") { _, _ in
            Dashboard.response(await onThread(named: "dashboard snapshots") { page.snapshots() })
        }
        for (path, work) in [
            ("steps", page.perform), ("snapshots", page.takeSnapshot), ("restore", page.restoreSnapshot),
            ("replay", page.replay),
        ] as [(String, @Sendable (String) -> JSONValue)] {
            router.post("/\(access.page)/\(path)") { request, _ in
                // A replay sends the whole scenario.
                let body = try await request.body.collect(upTo: 1 << 20)
                let text = String(buffer: body)
                // It may take long, and may wait for another thread.
                return Dashboard.response(await onThread(named: "dashboard \(path)") { work(text) })
            }
        }
        let start = OneShot<Result<Int, any Error>>()
        var logger = Logger(label: "dashboard")
        // What goes wrong in a request stands on the page.
        logger.logLevel = .critical
        let application = Application(
            router: router, server: .persistentHTTP1(ConnectionLimits()),
            configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: "lab"),
            onServerRunning: { channel in start.set(.success(channel.localAddress?.port ?? 0)) }, logger: logger)
        let services = ServiceGroup(configuration: ServiceGroupConfiguration(services: [application], logger: logger))
        self.services = services
        task = Task { [hasEnded] in
            defer { hasEnded.set() }
            do {
                try await services.run()
            } catch {
                start.set(.failure(error))
                throw error
            }
        }
        let listening: Int
        do {
            listening = try start.wait().get()
        } catch {
            throw LabFailure("The dashboard cannot listen at 127.0.0.1:\(port): \(error). Choose another port.")
        }
        access.serve(at: listening)
        address = "http://127.0.0.1:\(listening)/?token=\(access.token)"
    }

    private static func response(_ answer: JSONValue) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"],
            body: .init(byteBuffer: ByteBuffer(bytes: answer.encoded())))
    }

    /// Ends the page, and notifies its followers.
    public func stop() {
        page.stop()
        Task { [services] in await services.triggerGracefulShutdown() }
        if hasEnded.wait(timeoutNanoseconds: Self.farewell.nanoseconds) == nil { task.cancel() }
    }
}
