import Foundation
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    @Suite("lab format")
    struct FormatCommandTests {
        private static let old = """
            name: The words of an older manual
            steps:
            - server: initActivation
              as: code
            - main: createActivation
              with: {activationCode: "${code.activationCode}"}
            - main: commitActivation
              with: {password: "1234"}

            """

        @Test("A scenario in old words passes with a warning, and an upgrade rewrites it")
        func upgrade() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try workspace.write(Self.old, to: "old.yaml")
            try await onThread {
                let played = try lab("run", "old.yaml", in: workspace)
                #expect(played.status == 0, "\(played.output)\(played.errors)")
                #expect(played.errors.contains("old.yaml:7:9: warning: `commitActivation` is now `persistActivation`"))
                #expect(try lab("format", "--check", "--upgrade", "old.yaml", in: workspace).status == 1)
                #expect(try lab("format", "--upgrade", "old.yaml", in: workspace).status == 0)
                #expect(try lab("format", "--check", "--upgrade", "old.yaml", in: workspace).status == 0)
                #expect(try lab("check", "old.yaml", in: workspace).errors == "")
            }
            let text = try String(contentsOfFile: "\(workspace.directory)/old.yaml", encoding: .utf8)
            #expect(text.hasSuffix("  - main: persistActivation\n    with: { password: \"1234\" }\n"))
            try workspace.expectNothingLeft()
        }

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
