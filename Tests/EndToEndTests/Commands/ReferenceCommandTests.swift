import Foundation
import LabKit
import TestSupport
import Testing

extension EndToEnd.Commands {
    @Suite("Commands that print a reference")
    struct ReferenceCommandTests {
        @Test(
            "Their output for programs is JSON",
            arguments: [["steps", "--json"], ["events", "--json"], ["schema"]])
        func json(command: [String]) async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try LabCommand(command, in: workspace).finish() }
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try JSONValue.parse(outcome.output).objectValue?.isEmpty == false)
        }

        @Test("Every switch in docs/quirks.md is listed with the defect that it restores")
        func quirks() async throws {
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

        @Test("A name is explained in all its meanings; a mistyped one is refused with the nearest")
        func explain() async throws {
            let workspace = try Workspace()
            let found = try await onThread { try lab("explain", "failed", in: workspace) }
            #expect(found.status == 0, "\(found.errors)")
            #expect(found.output.hasPrefix("Verdicts\n\nfailed\n"), "\(found.output)")
            #expect(found.output.contains("\nErrors of the lab, `lab`\n\nfailed\n"), "\(found.output)")
            #expect(found.output.hasSuffix("docs/errors.md; `lab explain --all` prints it.\n"), "\(found.output)")
            let refused = try await onThread { try lab("explain", "peerDead", in: workspace) }
            #expect(refused.status == 2)
            #expect(refused.errors == "error: no explanation for `peerDead`; did you mean `peerDied`?\n")
        }

        @Test("Two schemas at once are refused")
        func twoSchemas() async throws {
            let workspace = try Workspace()
            let outcome = try await onThread { try lab("schema", "--include", "--lab", in: workspace) }
            #expect(outcome.status == 2, "\(outcome.output.prefix(200))")
        }
    }
}
