import Foundation
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Questions about the history of a suite: what is new, what is slow, and since when a scenario does not pass.
    @Suite("Queries about recorded runs")
    struct HistoryTests {
        @Test("The history shows since which run a scenario has not passed, and new scenarios can be run alone")
        func history() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            @Sendable func write(_ expected: Bool) throws {
                try workspace.write(
                    "name: A\nsteps:\n  - main: hasValidActivation\n    expect: \(expected)\n", to: "a.yaml")
            }
            try await onThread {
                #expect(try lab("history", in: workspace).status == 2)
                try write(false)
                #expect(try lab("run", "a.yaml", "--seed", "7", in: workspace).status == 0)
                try write(true)
                for seed in ["20", "30"] {
                    #expect(try lab("run", "a.yaml", "--seed", seed, in: workspace).status == 1)
                }
                let failing = try lab("history", in: workspace)
                #expect(failing.status == 0, "\(failing.errors)")
                #expect(failing.output.hasPrefix(" passed   median     last  scenario\n    1/3 "), "\(failing.output)")
                #expect(failing.output.contains("not passed since 20"))
                #expect(failing.output.hasSuffix(" UTC, seed 20\n"), "\(failing.output)")

                try workspace.write("name: B\nsteps:\n  - clock: freeze\n", to: "b.yaml")
                let new = try lab("run", ".", "--new", in: workspace)
                #expect(new.status == 0, "\(new.output)\(new.errors)")
                #expect(new.output.contains("✓ B  b.yaml"), "\(new.output)")
                #expect(new.output.contains("1 passed in "), "\(new.output)")
                #expect(try lab("list", "--slowest", "1", in: workspace).output.hasPrefix("b.yaml  B"))
                let nothing = try lab("run", ".", "--new", in: workspace)
                #expect(nothing.status == 0)
                #expect(nothing.output == "nothing to run: every scenario has a record\n")
                #expect(try lab("history", "b.yaml", in: workspace).output.contains("    1/1 "))
            }
            try workspace.expectNothingLeft()
        }
    }
}
