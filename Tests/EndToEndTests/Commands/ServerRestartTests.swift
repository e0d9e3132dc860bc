// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Stopping and starting the server of a held instance from another terminal.
    @Suite("Restarting a server")
    struct ServerRestartTests {
        @Test func `Another process can kill and restart the server; the instance ends as usual`() async throws {
            let workspace = try Workspace.ofProject()
            try await onThread {
                let up = try LabCommand.up(in: workspace)
                let created = try lab("exec", "server", "initActivation", "userId=alice", in: workspace)
                let object = try JSONSerialization.jsonObject(with: Data(created.output.utf8)) as? [String: Any]
                let identifier = try #require(object?["activationId"] as? String, "\(created.output)\(created.errors)")

                #expect(try lab("exec", "server", "kill", in: workspace).status == 0)
                try up.wait(for: "SIGKILL")
                let dead = try lab("exec", "server", "kill", in: workspace)
                #expect(dead.errors.contains("`server: restart` starts it"), "\(dead.errors)")
                #expect(try lab("exec", "main", "fetchServerStatus", in: workspace).status != 0)

                let restart = try lab("exec", "server", "restart", in: workspace)
                #expect(restart.status == 0, "\(restart.errors)")
                let back = try lab("exec", "main", "fetchServerStatus", in: workspace)
                #expect(back.status == 0, "the port is another one: \(back.errors)")
                let stored = try lab("exec", "server", "activationStatus", "activationId=\(identifier)", in: workspace)
                #expect(stored.output.contains("alice"), "\(stored.output)\(stored.errors)")

                try up.signal(SIGINT)
                let ended = try up.finish()
                #expect(ended.status == 0 || ended.status == 130, "\(ended.errors)")
                #expect(!ended.errors.contains("before it was asked to end"), "\(ended.errors)")
            }
            try workspace.expectNothingLeft()
        }
    }

    /// Stopping a standalone server.
    @Suite("Stopping lab server")
    struct ServerStopTests {
        @Test(arguments: [[], ["--tls", "valid"]])
        func `The end is logged even if a connection stays open`(options: [String]) async throws {
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

        @Test func `An error in a settings file is reported at its place`() async throws {
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
