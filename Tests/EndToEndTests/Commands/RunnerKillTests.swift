// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The runner can be killed at any moment: the kernel notifies its processes, and nothing outlives it.
    @Suite("A killed runner leaves nothing behind")
    struct RunnerKillTests {
        /// Times spread over start-up and the steps, in milliseconds after the start of the command.
        static let moments = [3, 12, 25, 40, 60, 90, 130, 180, 260, 400]

        @Test(arguments: moments)
        func `No process, socket or shared-memory object outlives it`(afterMilliseconds moment: Int) async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(OddPathTests.endless, to: "scenario.yaml")
            let instances = try await onThread {
                let command = try LabCommand(["run", "scenario.yaml"], in: workspace)
                _ = try Polling.waitReadable([], timeoutNanoseconds: Int64(moment) * 1_000_000)
                let instances = try FileManager.default.contentsOfDirectory(atPath: workspace.runtimeDirectory)
                try command.signal(SIGKILL)
                _ = try command.finish()
                // It takes milliseconds, and two seconds are promised; a busy machine must not fail the test.
                try waitUntil("processes and sockets are gone") { try workspace.liveLeftovers().isEmpty }
                return instances
            }
            for instance in instances {
                #expect(try !SharedMemoryObject.list().contains { $0.contains("lab-\(instance)-") })
            }
            try expectReadableRecords(of: workspace)
            // Files of an instance that had no members yet are removed at the next start.
            try workspace.write("name: Next\nsteps:\n  - main: canStartActivation\n", to: "next.yaml")
            let next = try await onThread { try lab("run", "next.yaml", in: workspace) }
            #expect(next.status == 0, "\(next.output)\(next.errors)")
            // A process that was being started at the kill does not have its own command line yet; once it has, it
            // finds its instance abandoned and ends.
            let rest = try await onThread {
                try? waitUntil("nothing is left") { try workspace.leftovers().isEmpty }
                return try workspace.leftovers()
            }
            #expect(rest == [], "left behind: \(rest)")
        }

        /// Every line written before the kill is a complete event, except perhaps the last.
        private func expectReadableRecords(of workspace: Workspace) throws {
            let runs = "\(workspace.directory)/.lab/runs"
            for path in FileManager.default.enumerator(atPath: runs)?.compactMap({ $0 as? String }) ?? []
            where path.hasSuffix(".jsonl") {
                let text = try String(contentsOfFile: "\(runs)/\(path)", encoding: .utf8)
                for line in text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1) {
                    #expect(
                        (try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil,
                        "\(path) holds an unreadable line: \(line)")
                }
            }
        }
    }

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

        @Test(.disabled(if: EndToEnd.isSanitized, "the memory of a sanitized program is not its own"))
        func `It stays small with 100,000 events, an explanation and a page`() async throws {
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
                // How long it takes says nothing here, and beside other tests it takes minutes.
                let run = try LabCommand(
                    ["run", "scenario.yaml", "--keep", "--scenario-timeout", "10m"], in: workspace,
                    environment: keepingFreedMemory)
                try run.wait(for: "is held here", within: .minutes(10))
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
