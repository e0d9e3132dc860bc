import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    @Suite("lab format")
    struct FormatCommandTests {
        @Test("Standard input is formatted to standard output, and excludes other files")
        func standardInput() async throws {
            let workspace = try Workspace()
            let program = "\(Files.directory(of: try ProcessTable.executablePath()))/lab"
            let outcome = try await onThread {
                try LabCommand(
                    ["-c", "printf 'a:   {b: 1}' | '\(program)' format -"], in: workspace, executable: "/bin/bash"
                ).finish()
            }
            #expect(outcome.status == 0)
            #expect(outcome.output == "a: { b: 1 }\n")
            let refused = try await onThread { try lab("format", "-", "a.yaml", in: workspace) }
            #expect(refused.status == 2)
            #expect(refused.errors == "error: - stands for standard input, and no path beside it\n")
            let nothing = try await onThread { try lab("format", in: workspace) }
            #expect(nothing.status == 2)
            #expect(nothing.errors.contains("there is no lab.yaml here"))
        }
    }
}
