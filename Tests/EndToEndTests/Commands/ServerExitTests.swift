// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Other programs tell from the exit code of `lab-server` whether the command line or the server was at fault.
    @Suite("A server on its own ends with the exit code of its reason")
    struct ServerExitTests {
        /// Command lines with which it does not run, the exit code, and a part of what it prints.
        static let refusals: [(arguments: [String], code: Int32, message: String)] = [
            (["--instance", "i", "--directory", "d"], 2, "Give either --directory"),
            (["--instance", "i", "--config", "c.yaml"], 2, "--config is for a server on its own"),
            (["--instance", "i", "--host", "127.0.0.1"], 2, "--host is for a server on its own"),
            (["--port", "65536"], 2, "--port must be 0 to 65535."),
            (["--directory", "d", "--config", "missing.yaml"], 2, "missing.yaml"),
            (["--directory", "d", "--host", "0.0.0.0", "--tls", "valid"], 2, "--restrict-access is missing"),
            (["--instance", "missing"], 3, "error: "),
            (["--directory", "d", "--identity-providers", "missing.json"], 3, "error: "),
            (["--directory", "file/server"], 3, "error: "),
            (
                ["--directory", "d", "--quiet", "--ready-file", "missing/ready.json"], 3,
                "lab-server: cannot write missing/ready.json: "
            ),
        ]

        @Test(arguments: refusals)
        func `What keeps a server from running has its code`(
            arguments: [String], code: Int32, message: String
        ) async throws {
            let workspace = try Workspace()
            try workspace.write("not a folder", to: "file")
            let outcome = try await LabCommand.run(arguments, in: workspace, executable: "lab-server")
            #expect(outcome.status == code, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
        }

        @Test func `A question about its libraries is answered with 0`() async throws {
            let outcome = try await LabCommand.run(["--libraries"], in: try Workspace(), executable: "lab-server")
            #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
        }

        @Test(arguments: [SIGTERM, SIGINT])
        func `A server that is stopped ends with 0`(signal: Int32) async throws {
            let workspace = try Workspace()
            let outcome = try await onThread {
                let server = try LabCommand(["--directory", "d", "--quiet"], in: workspace, executable: "lab-server")
                try server.wait(for: "SDK config")
                try server.signal(signal)
                return try server.finish()
            }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        }
    }
}
