import Foundation
import KillMatrix
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// Very many repetitions of all work of a long-lived process; `make soak` does more of each (docs/soak.md).
    @Suite("Endurance")
    struct EnduranceTests {
        @Test("No process grows with the number of commands, advances, faults, messages and connections it has handled")
        func everyKind() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            // A separate runner: this process runs other tests meanwhile.
            let outcome = try await onThread {
                try LabCommand(["--endurance", "2000"], in: workspace, executable: "kill-matrix").finish()
            }
            for work in Endurance.Work.allCases {
                let line = outcome.output.split(separator: "\n").first { $0.hasPrefix("2000 \(work.rawValue) in ") }
                for process in ["runner", "server", "phone", "main", "watch", "companion"] {
                    #expect(line?.contains(" \(process) ") == true, "\(work): \(outcome.output)")
                }
            }
            if !EndToEnd.isSanitized { #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)") }
        }

        @Test("A scenario with 4,000 advances of the clock runs to its end")
        func advances() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            let steps = String(repeating: "  - clock: advance\n    with: { by: 1ms }\n", count: 4_000)
            try workspace.write("name: Advances\nsteps:\n\(steps)", to: "a.yaml")
            let outcome = try await onThread { try lab("run", "a.yaml", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }
    }
}
