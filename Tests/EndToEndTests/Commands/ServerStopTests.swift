import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Stopping a standalone server.
    @Suite("Stopping lab server")
    struct ServerStopTests {
        @Test("The end is logged even if a connection stays open", arguments: [[], ["--tls", "valid"]])
        func openConnection(options: [String]) async throws {
            let workspace = try Workspace()
            let outcome = try await onThread {
                let server = try LabCommand(["server", "--port", "0", "--directory", "data"] + options, in: workspace)
                try server.wait(for: "SDK config")
                let port = try #require(server.text.firstMatch(of: /127\.0\.0\.1:([0-9]+)/)).1
                // A client that connects and sends nothing: over TLS, not even the handshake begins.
                let client = try LabCommand(
                    ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port) && echo open && cat <&3"], in: workspace,
                    executable: "/bin/bash")
                try client.wait(for: "open")
                try server.signal(SIGTERM)
                let outcome = try server.finish()
                _ = try client.finish()
                return outcome
            }
            #expect(outcome.status == 0)
            #expect(outcome.errors.contains(#""event":"stopped""#), "\(outcome.errors)")
        }

        @Test("An error in a settings file is reported at its place")
        func badSettings() async throws {
            let workspace = try Workspace()
            try workspace.write("tokenValidity: soon\nrestrictAcess: true\n", to: "server.yaml")
            let outcome = try await onThread { try lab("server", "--config", "server.yaml", in: workspace) }
            #expect(outcome.status == 2)
            for words in ["server.yaml:1:16", "a duration", "server.yaml:2:1", "restrictAccess"] {
                #expect(outcome.errors.contains(words), "\(outcome.errors)")
            }
            #expect(outcome.output.isEmpty)
        }
    }
}
