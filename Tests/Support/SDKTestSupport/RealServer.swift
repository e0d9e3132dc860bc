// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
import LabSystem
package import PowerAuthServer
import Synchronization
import TestSupport

/// A clock that runs at the speed of real time, ahead of it by what a test has added.
package final class ServerTestClock: ServerClock {
    private let offset = Atomic<Int64>(0)

    package func now() -> ServerTime {
        ServerTime(milliseconds: RealTimeClock.nanoseconds() / 1_000_000 + offset.load(ordering: .relaxed))
    }

    /// Moves the clock forward, or back.
    package func advance(seconds: Int64) { offset.wrappingAdd(seconds * 1000, ordering: .relaxed) }
}

/// The product's server, listening on a port of its own in this process, with its back office.
///
/// Tests share ``shared()``, because each of them has its own user and activation; a test that needs other rules starts
/// a server of its own, which stops with the last reference.
package final class RealServer: Sendable {
    package let addresses: ServerReady
    package let clock: ServerTestClock
    package let backOffice: BackOffice
    /// The authority whose certificate the server shows; nil for plain HTTP.
    package let certificateAuthorityPath: String?
    private let server: LabServer

    private static let common = Task { try await start() }

    /// The server with default rules.
    package static func shared() async throws -> RealServer { try await common.value }

    /// Starts a server with rules of its own.
    package static func start(
        configure: @Sendable (inout ServerConfiguration) -> Void = { _ in }
    ) async throws -> RealServer {
        let directory = try TemporaryDirectory()
        var configuration = ServerConfiguration(directory: directory.file("server"))
        configuration.workerThreads = 2
        configuration.hasLabPowers = true
        configuration.hashesCheaply = true
        configure(&configuration)
        let (rules, clock) = (configuration, ServerTestClock())
        let server = try await onThread { try LabServer(configuration: rules, clock: clock) }
        let listening = try await withCheckedThrowingContinuation { continuation in
            let started = Start(continuation)
            Task {
                do {
                    try await server.run { started.finish(.success($0)) }
                } catch {
                    started.finish(.failure(error))
                }
                withExtendedLifetime(directory) {}
            }
        }
        return RealServer(server, listening, clock)
    }

    private init(_ server: LabServer, _ listening: LabServer.Listening, _ clock: ServerTestClock) {
        self.server = server
        self.clock = clock
        addresses = ServerReady(listening)
        certificateAuthorityPath = listening.certificateAuthorityPath
        backOffice = BackOffice(
            url: addresses.backOfficeURL + "/rest/v3/", applicationId: addresses.applicationId,
            labHeaders: listening.labAccess.map { [(LabAccess.header, $0.token)] } ?? [])
    }

    deinit { server.stop() }
}

/// The wait for a server that starts to listen or fails to; only the first result counts.
private final class Start: Sendable {
    private let waiting: Mutex<CheckedContinuation<LabServer.Listening, any Error>?>

    init(_ continuation: CheckedContinuation<LabServer.Listening, any Error>) { waiting = Mutex(continuation) }

    func finish(_ result: Result<LabServer.Listening, any Error>) {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume(with: result)
    }
}
