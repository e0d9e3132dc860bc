import Foundation
import KillMatrix
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// Very many of everything that a long-lived process handles; `make soak` does more of each (docs/soak.md).
    @Suite("Endurance")
    struct EnduranceTests {
        @Test("No process grows with the commands, advances, faults, messages and connections that it has handled")
        func everyKind() async throws {
            let growths = try await onThread { try Endurance(count: 2_000).run() }
            #expect(Set(growths.map(\.work)) == Set(Endurance.Work.allCases))
            #expect(
                Set(growths.map(\.process)).isSuperset(of: ["runner", "server", "phone", "main", "watch", "companion"]))
            if !EndToEnd.isSanitized {
                #expect(growths.filter { $0.size > Endurance.limit }.map(\.description) == [])
            }
        }

        @Test("A scenario with 4,000 advances of the clock is played to its end")
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
