// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// `lab stress sharing` with real processes that are killed.
    @Suite("A stress run of apps that share an activation")
    struct StressTests {
        /// The plan of this seed kills three of four apps in their first calls, right after they have stored a state:
        /// there an app that counts too late misleads the others.
        static let seed = "1040"

        private func stress(_ arguments: String..., in workspace: Workspace) async throws -> LabCommand.Outcome {
            try await LabCommand.run(["stress", "sharing"] + arguments, in: workspace)
        }

        private func traces(of workspace: Workspace) -> String {
            "\(workspace.directory)/.lab/runs/latest/round-1/traces"
        }

        @Test func `Four apps sign, die and are suspended at random, and every rule holds`() async throws {
            let workspace = try Workspace()
            let outcome = try await stress("--processes", "4", "--for", "5s", "--seed", Self.seed, in: workspace)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("seed \(Self.seed)"))
            let history = try RecordedHistory(traces: traces(of: workspace))
            // A run without any activity would also pass.
            #expect(history.calls.count { $0.outcome == .done } > 20, "\(outcome.output)")
            #expect(history.events.contains { $0.name == .faultFired }, "\(outcome.output)")
            try await onThread { try Self.damage(traces(of: workspace), of: workspace) }
            try workspace.expectNothingLeft()
        }

        /// A record that lost a third of a trace no longer proves anything.
        private static func damage(_ traces: String, of workspace: Workspace) throws {
            #expect(try lab("check", ".lab/runs/latest", in: workspace).status == 0)
            let name = try #require(try Files.list(traces).first { $0.hasPrefix("app1#") })
            var lines = try Files.read("\(traces)/\(name)").split(separator: 0x0A)
            for index in stride(from: 2, to: lines.count, by: 3) { lines[index] = Data("x".utf8) + lines[index] }
            try Files.write(Data(lines.joined(separator: [0x0A])) + [0x0A], to: "\(traces)/\(name)")
            let outcome = try lab("check", ".lab/runs/latest", in: workspace)
            #expect(outcome.status == 3, "\(outcome.output)")
            #expect(outcome.output.contains("damaged: round-1/traces/\(name) is not"), "\(outcome.output)")
            #expect(outcome.output.contains("the trace is damaged: \(name):3 and "), "\(outcome.output)")
        }

        @Test(.verifies("exit code", "stress sharing 1"))
        func `An app that saves before it counts is caught, with the events that show it`() async throws {
            let workspace = try Workspace.ofProject()
            // A seed repeats the plan but not the timing: one round may miss the mistake, thirty rounds do not.
            let outcome = try await stress(
                "--processes", "4", "--for", "5m", "--seed", Self.seed, "--quirk", "sharing.D7", "--shrink", "10s",
                in: workspace)
            #expect(outcome.status == 1, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("✗ fresh state"), "\(outcome.output)")
            #expect(
                outcome.output.contains("  again: lab stress sharing --processes 4 --for 10s --seed "),
                "\(outcome.output)")
            #expect(outcome.output.contains(" --quirk sharing.D7\n"), "\(outcome.output)")
            #expect(
                outcome.output.contains(#/\nshrinking the calls that break `.+`, for at most 10s: 4 apps /#),
                "\(outcome.output)")
            // Whether a part breaks the rule again is a matter of time.
            if let written = outcome.output.firstMatch(of: #/\nwritten: (\S+)\n  play it: lab run \S+ --seed \d+\n/#) {
                let path = String(written.1)
                #expect(path.hasPrefix(".lab/explored/stress-"))
                #expect(outcome.output.contains("\n  find the order: lab explore \(path)\n"), "\(outcome.output)")
                let check = try await onThread { try lab("check", path, in: workspace) }
                #expect(check.status == 0, "\(check.output)\(check.errors)")
            } else {
                #expect(outcome.output.contains(" broke the rule again; no scenario was written\n"))
            }
            let again = try await onThread { try lab("check", ".lab/runs/latest", in: workspace) }
            #expect(again.status == 1)
            #expect(again.output.contains("✗ fresh state"), "\(again.output)")
        }

        @Test func `The record of a killed run can be read, up to the kill`() async throws {
            let workspace = try Workspace()
            try await onThread {
                let command = try LabCommand(
                    ["stress", "sharing", "--processes", "2", "--for", "1m", "--seed", "1"], in: workspace)
                let directory = traces(of: workspace)
                try waitUntil("some calls were made") {
                    ((try? RecordedHistory(traces: directory))?.calls.count ?? 0) > 5
                }
                try command.signal(SIGKILL)
                _ = try command.finish()
                try waitUntil("processes and sockets are gone") { try workspace.liveLeftovers().isEmpty }
            }
            let history = try RecordedHistory(traces: traces(of: workspace))
            let examination = Examination(history, by: SharingCheckers.all)
            #expect(history.calls.count > 5)
            #expect(examination.results.filter { $0.verdict != .passed }.map(\.name) == ["clean end"])
            #expect(examination.verdict == .inconclusive)
        }

        @Test(
            arguments: [
                (["--processes", "1"], "--processes takes 2 to 16, not 1"),
                (["--processes", "17"], "--processes takes 2 to 16, not 17"),
                (["--for", "10"], "--for takes a duration such as 10s or 5m, not `10`"),
                (["--for", "0s"], "--for takes a duration such as 10s or 5m, not `0s`"),
                (["--for", "2d"], "--for takes a duration from 1ns to 1d, not `2d`"),
                (["--shrink", "30"], "--shrink takes a duration such as 30s, or 0s for not at all, not `30`"),
                (["--shrink", "2d"], "--shrink takes a duration from 0s to 1d, not `2d`"),
                (["--quirk", "sharing.D99"], "--quirk: there is no quirk 'sharing.D99'"),
                (["--keep-runs", "0"], "--keep-runs must be at least 1"),
                (["--rounds", "2"], "Unknown option"),
            ])
        func `Impossible options are refused before anything starts`(arguments: [String], complaint: String)
            async throws
        {
            let workspace = try Workspace()
            let outcome = try await LabCommand.run(["stress", "sharing"] + arguments, in: workspace)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains(complaint), "\(outcome.errors)")
            #expect(!FileManager.default.fileExists(atPath: "\(workspace.directory)/.lab"))
        }

        @Test func `A dry run prints the plan, the same for the same seed, and starts nothing`() async throws {
            let workspace = try Workspace()
            let first = try await stress("--seed", "5", "--dry-run", in: workspace)
            let second = try await stress("--seed", "5", "--dry-run", in: workspace)
            #expect(first.status == 0)
            #expect(first.output == second.output)
            #expect(first.output.contains("app4\n  1  activate\n"))
            #expect(!FileManager.default.fileExists(atPath: "\(workspace.directory)/.lab"))
        }
    }
}
