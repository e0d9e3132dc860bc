// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Rows that begin with the state that one set-up has left.
    @Suite("A set-up that the rows of a table share")
    struct SharedSetupTests {
        /// Each row needs everything that the set-up leaves: an activation with its counter, a token, a drawn password, an
        /// armed fault, a clock that stands still, and a kept answer.
        private static func scenario(sharing isShared: Bool, rows: Int = 3) -> String {
            """
            name: Shared
            values: { pin: { generate: pin, digits: 8 } }
            rows: [\((1...rows).map { "{ id: row\($0), failures: \($0) }" }.joined(separator: ", "))]
            setup:
              shared: \(isShared)
              steps:
                - clock: freeze
                - server: initActivation
                  with: { userId: alice }
                  as: code
                - main: createActivation
                  with: { activationCode: "${code.activationCode}" }
                - main: persistActivation
                  with: { password: "${pin}" }
                - server: commitActivation
                  with: { activationId: "${code.activationId}" }
                - main: requestAccessToken
                  with: { name: possession_universal, password: "${pin}" }
                - wallet: validatePassword
                  with: { password: "${pin}" }
                - faults: arm
                  with: { point: state.saved, peer: wallet, action: kill }
                - clock: read
                  as: before
            steps:
              - clock: read
                expect: { utc: "${before.utc}", isFrozen: true }
              - main: hasLocalToken
                with: { name: possession_universal }
                expect: true
              - repeat: "${row.failures}"
                steps:
                  - main: validatePassword
                    with: { password: "0000" }
                    fails: { code: networkError, httpStatusCode: 401 }
              - server: activationStatus
                with: { activationId: "${code.activationId}" }
                expect: { failedAttempts: "${row.failures}" }
              - wallet: validatePassword
                with: { password: "${pin}" }
                fails: { code: peerDied }
              - main: validatePassword
                with: { password: "${pin}" }
            tearDown:
              - server: removeActivation
                with: { activationId: "${code.activationId}" }

            """
        }

        private static func run(_ words: String..., in workspace: Workspace) throws -> LabCommand.Outcome {
            try LabCommand(["run"] + words, in: workspace).finish()
        }

        /// The verdicts of the last run's report, by the identifiers of the scenarios.
        private static func verdicts(in workspace: Workspace) throws -> [String: String] {
            let path = "\(workspace.directory)/.lab/runs/latest/report.json"
            let report = try JSONValue.parse(try Files.read(path))
            return (report["results"]?.arrayValue ?? []).reduce(into: [:]) { verdicts, result in
                verdicts[result["id"]?.stringValue ?? ""] = result["verdict"]?.stringValue
            }
        }

        /// The histories of the last run, by the paths of their directories.
        private static func histories(in workspace: Workspace) throws -> [String: String] {
            let run = "\(workspace.directory)/.lab/runs/latest"
            let folders = try Files.list(run) + Files.list("\(run)/shared-setups").map { "shared-setups/\($0)" }
            return folders.reduce(into: [:]) { histories, folder in
                histories[folder] = (try? Files.read("\(run)/\(folder)/history.jsonl")).map {
                    String(decoding: $0, as: UTF8.self)
                }
            }
        }

        @Test
        func `Rows end as with set-ups of their own, do not see each other's changes, and one can be played again`()
            async throws
        {
            let workspace = try Workspace.ofProject()
            try workspace.write(Self.scenario(sharing: true), to: "shared.yaml")
            try workspace.write(Self.scenario(sharing: false), to: "own.yaml")
            try await onThread {
                let own = try Self.run("own.yaml", "--jobs", "2", "--seed", "7", in: workspace)
                #expect(own.status == 0, "\(own.output)\(own.errors)")
                let expected = try Self.verdicts(in: workspace)

                let shared = try Self.run("shared.yaml", "--jobs", "2", "--seed", "7", in: workspace)
                #expect(shared.status == 0, "\(shared.output)\(shared.errors)")
                let verdicts = try Self.verdicts(in: workspace)
                #expect(verdicts.count == 3 && Set(verdicts.values) == Set(expected.values), "\(verdicts)")

                let histories = try Self.histories(in: workspace)
                let preparing = histories.filter { $0.value.contains(#""command":"initActivation""#) }
                #expect(preparing.keys.sorted() == ["shared-setups/1"], "the set-up was carried out once")
                for row in 1...3 {
                    let history = try #require(histories["shared.yaml-row\(row)-"], "\(histories.keys)")
                    let first = try #require(
                        history.split(separator: "\n").first { $0.contains("step.started") }.map(String.init))
                    #expect(first.contains(#""step":"s""#) && first.contains("shared-setups/1"), "\(first)")
                    #expect(!history.contains(#""step":"s1""#), "\(history)")
                }
                let again = try Self.run("shared.yaml[row2]", "--seed", "7", in: workspace)
                #expect(again.status == 0, "\(again.output)\(again.errors)")
                #expect(try Self.verdicts(in: workspace).keys.sorted() == ["shared.yaml[row2]"])
            }
            try workspace.expectNothingLeft()
        }

        @Test func `Each round of a run has a set-up of its own`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(Self.scenario(sharing: true, rows: 2), to: "shared.yaml")
            try await onThread {
                let run = try Self.run("shared.yaml", "--repeat", "2", in: workspace)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                let folder = "\(workspace.directory)/.lab/runs/latest/shared-setups"
                #expect(try Files.list(folder) == ["1", "2"])
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `A set-up that fails is reported once, with its place, and the other rows are not played`() async throws {
            let workspace = try Workspace.ofProject()
            let text = Self.scenario(sharing: true).replacing(
                "    - clock: freeze\n", with: "    - main: hasValidActivation\n      expect: true\n")
            try workspace.write(text, to: "shared.yaml")
            try await onThread {
                let run = try Self.run("shared.yaml", "--jobs", "1", in: workspace)
                #expect(run.status == 1, "\(run.output)\(run.errors)")
                #expect(run.output.contains("shared.yaml:7:7: failed: main: hasValidActivation: in the set-up, "))
                #expect(run.output.components(separatedBy: "in the set-up, ").count <= 3, "\(run.output)")
                #expect(
                    run.output.contains("not run: the set-up that it shares with shared.yaml[row1] did not pass"),
                    "\(run.output)")
                #expect(
                    try Self.verdicts(in: workspace) == [
                        "shared.yaml[row1]": "failed", "shared.yaml[row2]": "notRun", "shared.yaml[row3]": "notRun",
                    ])
                let again = try Self.run("--last-failed", in: workspace)
                #expect(again.status == 1)
                #expect(try Self.verdicts(in: workspace).count == 3, "rows without their set-up are played again")
            }
            try workspace.expectNothingLeft()
        }
    }
}
