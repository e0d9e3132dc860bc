import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The runner's memory use with very many events: sizes, never times.
    @Suite("The runner's memory")
    struct RunnerMemoryTests {
        /// The limit for 100,000 events beyond the memory for 100, in KiB: most of it is used for the page of the
        /// scenario, which contains all of them.
        private static let limit = 98_304

        /// Makes the allocator keep all freed memory. By default it may return some, depending on the order of threads
        /// and sizes.
        private static let keepingFreedMemory = [
            "GLIBC_TUNABLES": "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=4000000000"
        ]

        @Test(
            "It stays small with 100,000 events, an explanation and a page",
            .disabled(if: EndToEnd.isSanitized, "the memory of a sanitized program is not its own"))
        func growth() async throws {
            let few = try await Self.peak(lines: 100)
            let many = try await Self.peak(lines: 100_000)
            print("the runner's largest resident set: \(few) KiB with 100 events, \(many) KiB with 100,000")
            #expect(many - few < Self.limit, "\(few) KiB with 100 events, \(many) KiB with 100,000")
        }

        /// The largest resident set of the runner, in KiB, after all output.
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
