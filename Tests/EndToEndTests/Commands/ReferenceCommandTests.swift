// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    @Suite("Commands that print a reference")
    struct ReferenceCommandTests {
        @Test(arguments: [["steps", "--json"], ["events", "--json"], ["schema"]])
        func `Their output for programs is JSON`(command: [String]) async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try LabCommand(command, in: workspace).finish() }
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try JSONValue.parse(outcome.output).objectValue?.isEmpty == false)
        }

        @Test func `Every switch in docs/quirks.md is listed with the defect that it restores`() async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try lab("quirks", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.errors)")
            let listed = outcome.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(listed.allSatisfy { $0.count > 3 }, "a switch without a sentence")
            let page = try Project.text(of: "docs/quirks.md")
            let switches = page.matches(of: #/`([a-z-]+\.D?\d+)`/#).map { String($0.1) }
            #expect(switches.count > 20)
            #expect(Set(listed.compactMap(\.first)) == Set(switches))
        }

        @Test
        func `The doctor looks where runs are recorded`() async throws {
            let workspace = try Workspace()
            let fine = try await onThread { try lab("doctor", in: workspace) }
            #expect(fine.output.contains("disk for records") && !fine.output.contains("Runs are recorded there"))
            try workspace.write("no folder", to: ".lab")
            let refused = try await onThread { try lab("doctor", in: workspace) }
            #expect(refused.status != 0, "\(refused.output)")
            #expect(refused.output.contains("Runs are recorded there"), "\(refused.output)\(refused.errors)")
        }

        @Test
        func `A name is explained in all its meanings; a mistyped one is refused with the nearest`() async throws {
            let workspace = try Workspace()
            let found = try await onThread { try lab("explain", "failed", in: workspace) }
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.output.hasPrefix("Verdicts\n\nfailed\n"), "\(found.output)")
            #expect(found.output.contains("\nErrors of the lab, `lab`\n\nfailed\n"), "\(found.output)")
            #expect(found.output.hasSuffix("docs/errors.md; `lab explain --all` prints it.\n"), "\(found.output)")
            let quirk = try await onThread { try lab("explain", "sharing.D29", in: workspace) }
            #expect(quirk.status == 0 && quirk.output.contains("sharing.D29  "), "\(quirk.output)\(quirk.errors)")
            #expect(quirk.output.contains("`quirks: [sharing.D29]` in lab.yaml"), "\(quirk.output)")
            let refused = try await onThread { try lab("explain", "peerDead", in: workspace) }
            #expect(refused.status == 2)
            #expect(refused.errors == "error: no explanation for `peerDead`; did you mean `peerDied`?\n")
        }

        @Test func `Two schemas at once are refused`() async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try lab("schema", "--include", "--lab", in: workspace) }
            #expect(outcome.status == 2, "\(outcome.output.prefix(200))")
        }
    }

    @Suite("lab format")
    struct FormatCommandTests {
        @Test func `Standard input is formatted to standard output, and excludes other files`() async throws {
            let workspace = try Workspace()
            let program = "\(Files.directory(of: try ProcessTable.executablePath()))/lab"
            let outcome = try await LabCommand.run(
                ["-c", "printf 'a:   {b: 1}' | '\(program)' format -"], in: workspace, executable: "/bin/bash")
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
