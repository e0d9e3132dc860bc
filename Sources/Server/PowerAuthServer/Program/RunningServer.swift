// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabProgram
import LabSystem

/// A server on its own: prints where it listens, ends with SIGTERM or SIGINT.
struct StandaloneServer {
    let configuration: ServerConfiguration
    let readyFile: String?
    let logsRequests: Bool

    /// Blocks until the server has stopped.
    func run() throws {
        let clock = SystemClock()
        // Standard error: standard output is for what other programs read. One write a line keeps lines whole.
        let log = RequestLog(clock: clock) { FileHandle.standardError.write($0) }
        let server = try LabServer(configuration: configuration, clock: clock, journal: logsRequests ? log : nil)
        try Stopping.onSignal {
            Stopping.watchdog { server.noteStop() }
            server.stop()
        }
        let readyFile = readyFile
        try Foreground.run {
            try await server.run { listening in
                let ready = ServerReady(listening)
                // Straight to the descriptor: a reader of a pipe must not wait for a buffer to fill.
                FileHandle.standardOutput.write(Data(Self.announcement(ready, listening).utf8))
                guard let readyFile else { return }
                do {
                    try Files.write(JSONValue(encoding: ready).encoded(), to: readyFile)
                } catch {
                    Stopping.fail("cannot write \(readyFile): \(error)")
                }
            }
        }
    }

    /// What the server prints when it listens: addresses, credentials, configuration.
    private static func announcement(_ ready: ServerReady, _ listening: LabServer.Listening) -> String {
        let addresses = listening.exposure.addresses(port: listening.port)
        var lines = [
            ("listening on", ready.baseURL),
            ("open to", listening.exposure.summary),
            ("mobile API", ready.enrollmentURL + "/pa/v3"),
            ("back-office API", ready.backOfficeURL + "/rest/v3"),
            ("description", ready.baseURL + "/openapi.json"),
            (
                "credentials",
                listening.credentials.map { "\($0.userName):\($0.password)" }
                    ?? "none needed" + (addresses.isEmpty ? " on loopback" : "")
            ),
        ]
        if let access = listening.labAccess { lines.append(("lab token", access.path)) }
        lines += [("application", ready.applicationId), ("SDK config", ready.configuration)]
        lines += addresses.map { ("reachable at", $0) }
        if let authority = listening.certificateAuthorityPath { lines.append(("trusted CA", authority)) }
        let width = lines.map(\.0.count).reduce(0, max) + 2
        return lines.map { $0.padding(toLength: width, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
    }
}

/// A server inside a lab instance: ends with the instance's lease, with SIGTERM or with SIGINT, and gives up its
/// membership on the way out.
struct MemberServer {
    private let server: InstanceServer
    private let layout: InstanceLayout

    init(joining layout: InstanceLayout) throws {
        self.layout = layout
        server = try InstanceServer(joining: layout)
    }

    /// Blocks until the server has stopped.
    func run() throws {
        let server = self.server
        let stop: @Sendable () -> Void = {
            Stopping.watchdog {
                server.noteStop()
                try? server.leave()
            }
            server.stop()
        }
        try Stopping.onSignal(stop)
        try Lease.watch(layout, onLost: stop)
        defer { try? server.leave() }
        try Foreground.run {
            try await server.run { error in
                // Perhaps it has ended meanwhile, and another thread is removing it.
                try? server.leave()
                Stopping.fail("the server listens but cannot notify its instance: \(error)")
            }
        }
    }
}

/// Runs asynchronous work to its end from the main thread, which does nothing else meanwhile.
enum Foreground {
    /// Blocks the calling thread, which must not belong to the concurrency runtime.
    static func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let outcome = OneShot<Result<Void, any Error>>()
        Task.detached {
            do {
                try await body()
                outcome.set(.success(()))
            } catch {
                outcome.set(.failure(error))
            }
        }
        try outcome.wait().get()
    }
}

/// How the server's process ends.
enum Stopping {
    /// Connections that are still open must not keep the process longer than this.
    private static let patience: DispatchTimeInterval = .milliseconds(700)

    /// Calls `stop` for the first SIGTERM or SIGINT; a second one ends the process at once.
    static func onSignal(_ stop: @escaping @Sendable () -> Void) throws {
        let hasBegun = OneShot<Void>()
        try Signals.onSignals([SIGTERM, SIGINT]) { _ in
            guard hasBegun.set() else { _exit(130) }
            stop()
        }
    }

    /// Ends the process when it has not ended by itself in time. Nothing is lost: what was answered is stored.
    /// - Parameter lastAct: what must be done even then; may block.
    static func watchdog(_ lastAct: @escaping @Sendable () -> Void = {}) {
        DispatchQueue.global().asyncAfter(deadline: .now() + patience) {
            lastAct()
            _exit(0)
        }
    }

    /// Ends the process with a message for the operator.
    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("lab-server: \(message)\n".utf8))
        exit(Program.ExitCode.failure.rawValue)
    }
}

/// The machine's own clock, for a server that runs without a lab instance.
struct SystemClock: ServerClock {
    func now() -> ServerTime { ServerTime(milliseconds: RealTimeClock.nanoseconds() / 1_000_000) }
}
