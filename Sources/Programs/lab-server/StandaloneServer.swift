import Foundation
import LabKit
import LabSystem
import PowerAuthServer

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
        lines += [
            ("application", ready.applicationId),
            ("SDK config", ready.configuration),
        ]
        lines += addresses.map { ("reachable at", $0) }
        if let authority = listening.certificateAuthorityPath { lines.append(("trusted CA", authority)) }
        let width = lines.map(\.0.count).reduce(0, max) + 2
        return lines.map { $0.padding(toLength: width, withPad: " ", startingAt: 0) + $1 + "\n" }.joined()
    }
}
