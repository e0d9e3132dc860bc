import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Stopping and starting the server of a held instance from another terminal.
    @Suite("Restarting a server")
    struct ServerRestartTests {
        @Test("Another process can kill and restart the server; the instance ends as usual")
        func fromOutside() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try await onThread {
                let up = try LabCommand(["up"], in: workspace)
                try up.wait(for: "Ctrl-C")
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
                let stored = try lab(
                    "exec", "server", "activationStatus", "activationId=\(identifier)", in: workspace)
                #expect(stored.output.contains("alice"), "\(stored.output)\(stored.errors)")

                try up.signal(SIGINT)
                let ended = try up.finish()
                #expect(ended.status == 0 || ended.status == 130, "\(ended.errors)")
                #expect(!ended.errors.contains("before it was asked to end"), "\(ended.errors)")
            }
            try workspace.expectNothingLeft()
        }
    }
}
