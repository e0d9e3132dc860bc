import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The runner can be killed at any moment: the kernel notifies its processes, and nothing outlives it.
    @Suite("A killed runner leaves nothing behind")
    struct RunnerKillTests {
        /// Times spread over start-up and the steps, in milliseconds after the start of the command.
        static let moments = [3, 12, 25, 40, 60, 90, 130, 180, 260, 400]

        @Test("No process, socket or shared-memory object outlives it", arguments: moments)
        func killedRunner(afterMilliseconds moment: Int) async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try workspace.write(OddPathTests.endless, to: "scenario.yaml")
            let instances = try await onThread {
                let command = try LabCommand(["run", "scenario.yaml"], in: workspace)
                _ = try Polling.waitReadable([], timeoutNanoseconds: Int64(moment) * 1_000_000)
                let instances = try FileManager.default.contentsOfDirectory(atPath: workspace.runtimeDirectory)
                try command.signal(SIGKILL)
                _ = try command.finish()
                // It takes milliseconds, and two seconds are promised; a busy machine must not fail the test.
                try waitUntil("processes and sockets are gone") {
                    try workspace.liveLeftovers().isEmpty
                }
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
}
