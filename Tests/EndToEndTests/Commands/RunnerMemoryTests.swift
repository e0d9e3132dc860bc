import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// What very many events take of the runner: sizes, never times.
    @Suite("The runner's memory")
    struct RunnerMemoryTests {
        /// What the runner may need for 100,000 events beside what it needs for 100, in KiB: most of it while it makes the
        /// page of the scenario, which has all of them.
        private static let limit = 98_304

        /// Lets the allocator keep all that is freed. By itself it gives something back or not, as threads and sizes happen to
        /// follow one another.
        private static let keepingFreedMemory = [
            "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=4000000000"
        ]

        @Test(
            "It stays small with a hundred thousand events, an explanation and a page",
            .disabled(if: EndToEnd.isSanitized, "the memory of a sanitized program is not its own"))
        func growth() async throws {
            let few = try await Self.peak(lines: 100)
            let many = try await Self.peak(lines: 100_000)
            print("the runner's largest resident set: \(few) KiB with 100 events, \(many) KiB with 100,000")
            #expect(many - few < Self.limit, "\(few) KiB with 100 events, \(many) KiB with 100,000")
        }

        /// The largest resident set of the runner, in KiB, after everything was written.
        private static func peak(lines: Int) async throws -> Int {
            let workspace = try EndToEnd.Peers.OwnAppTests.workspace()
            try workspace.write(
                """
                name: An app that talks
                steps:
                  - never: { event: state.saved }
                    steps:
                      - sample: chatter
                        with: { lines: \(lines) }
                  - waitFor: { event: process.ready, peer: sample }
                  - order: [{ event: process.ready, peer: sample }, { event: log }]
                  - sample: greet
                    with: { name: Alice }
                    expect: { text: nothing }
                """, to: "scenario.yaml")
            let peak = try await onThread {
                let run = try LabCommand(
                    ["run", "scenario.yaml", "--keep"], in: workspace, environment: keepingFreedMemory)
                try run.wait(for: "is held here")
                let status = try String(contentsOfFile: "/proc/\(run.pid)/status", encoding: .utf8)
                try run.signal(SIGINT)
                let outcome = try run.finish()
                #expect(outcome.output.contains("nothing"), "\(outcome.output)\(outcome.errors)")
                return try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/).flatMap { Int($0.1) })
            }
            let page = try ReportPageText.read("\(workspace.directory)/.lab/runs/latest/index.html")
            #expect(page.contains("line \(lines)"))
            try workspace.expectNothingLeft()
            return peak
        }
    }
}
