// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The state at a moment of a recorded scenario.
    @Suite("lab inspect moment")
    struct InspectMomentTests {
        @Test func `It shows a process that died before its restart, and the stored state at that time`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.write(
                """
                name: An app dies
                steps:
                  - server: initActivation
                    as: code
                  - main: createActivation
                    with: { activationCode: "${code.activationCode}" }
                  - main: persistActivation
                    with: { password: "never shown" }
                  - main: kill
                  - main: launch
                  - wallet: hasValidActivation
                    expect: false
                """, to: "scenario.yaml")
            try await onThread {
                #expect(try lab("run", "scenario.yaml", in: workspace).status == 1)
                func moment(_ arguments: String...) throws -> String {
                    let shown = try LabCommand(["inspect", "moment", "scenario.yaml"] + arguments, in: workspace)
                        .finish()
                    #expect(shown.status == 0, "\(shown.errors)")
                    #expect(!shown.output.contains("never shown"))
                    return shown.output
                }
                let before = try moment("--at", "2")
                #expect(before.contains(#/main#1 runs \(pid \d+\)/#) && !before.contains("an activation"), "\(before)")
                #expect(before.contains(#/server +activation \S+ is PENDING_COMMIT/#), "\(before)")

                let dead = try moment("--at", "4")
                #expect(dead.contains("main#1 has ended: signal SIGKILL"), "\(dead)")
                #expect(dead.contains(#/main: an activation/#) && dead.contains(#/keychain .+ written by main/#))

                // The default is the failed step.
                let failed = try moment()
                #expect(failed.hasPrefix("after step 6 of ") && failed.contains("main#2 runs"), "\(failed)")
                let json = try JSONValue.parse(Data(moment("--at", "4", "--json").utf8))
                #expect(json["version"] == 1 && json["step"] == "4")

                let wrong = try lab("inspect", "moment", "scenario.yaml", "--at", "9", in: workspace)
                #expect(wrong.status == 2 && wrong.errors.contains("no step 9 has ended"), "\(wrong.errors)")
                let unplayed = try lab("inspect", "moment", "other.yaml", in: workspace)
                #expect(unplayed.status == 2 && unplayed.errors.contains("no kept run"), "\(unplayed.errors)")
            }
            try workspace.expectNothingLeft()
        }

        @Test
        func `The loser of a passed race is not a failure: it is neither the moment nor recorded as one`() async throws
        {
            let workspace = try Workspace.ofProject()
            let scenario = "Scenarios/sharing/one-of-two-activations-wins.yaml"
            let text = try Project.text(of: scenario)
            try workspace.write(text, to: "race.yaml")
            try await onThread {
                let run = try lab("run", "race.yaml", in: workspace)
                #expect(run.status == 0, "\(run.output)\(run.errors)")
                let record = "\(workspace.directory)/.lab/runs/latest/race"
                let history = try String(contentsOfFile: "\(record)/history.jsonl", encoding: .utf8)
                #expect(history.contains(#""fine":false"#), "the race had no loser")
                for name in ["sharing.json", "link.json"] {
                    #expect(!FileManager.default.fileExists(atPath: "\(record)/\(name)"), "\(name)")
                }
                let moment = try lab("inspect", "moment", "race.yaml", in: workspace)
                let last = try #require(history.split(separator: "\n").last { $0.contains("step.finished") })
                let step = try #require(try JSONValue.parse(Data(last.utf8))["step"]?.stringValue)
                #expect(moment.output.hasPrefix("after step \(step) of "), "\(moment.output)")
            }
            try workspace.expectNothingLeft()
        }
    }

    /// The recorded state of a link, after its devices have ended.
    @Suite("lab inspect link")
    struct InspectLinkTests {
        @Test func `After a failure it shows both ends at that time`() async throws {
            let workspace = try Workspace()
            try workspace.copy("Scenarios/failing", to: "failing")
            try await onThread {
                let run = try lab("run", "failing/message-lost-on-the-link.yaml", in: workspace)
                #expect(run.status == 1, "\(run.errors)")
                let named = run.output.matches(of: #/how the link was then: lab ([^\n]+)/#).map { String($0.1) }
                let command = try #require(named.first, "\(run.output)")
                let shown = try LabCommand(command.split(separator: " ").map(String.init), in: workspace).finish()
                #expect(shown.status == 0, "\(shown.errors)")
                let condition = "fault-1 to the watch: each message of the kind live is lost, at most 1; hit 1 of 1"
                #expect(shown.output.contains(condition), "\(shown.output)")
                #expect(shown.output.contains("pairing on phone, with watch: up"), "\(shown.output)")
                #expect(shown.output.contains("pairing on watch, with phone: up"), "\(shown.output)")
                let json = try LabCommand(
                    ["inspect", "link", "watch", "--failure", "failing/message-lost-on-the-link.yaml", "--json"],
                    in: workspace
                ).finish()
                let document = try JSONValue.parse(Data(json.output.utf8))
                #expect(document["version"] == 1 && document["devices"]?.arrayValue?.count == 1, "\(json.output)")
            }
            try workspace.expectNothingLeft()
        }

        @Test func `A query about a device without a link is refused with the possible ones`() async throws {
            let workspace = try Workspace()
            try workspace.copy("Scenarios/failing", to: "failing")
            try await onThread {
                let file = "failing/link-down.yaml"
                let unplayed = try lab("inspect", "link", "--failure", file, in: workspace)
                #expect(unplayed.status == 2 && unplayed.errors.contains("no kept run"), "\(unplayed.errors)")
                _ = try lab("run", file, in: workspace)
                let wrong = try lab("inspect", "link", "wach", "--failure", file, in: workspace)
                #expect(wrong.status == 2 && wrong.errors.contains("did you mean `watch`?"), "\(wrong.errors)")
            }
            try workspace.expectNothingLeft()
        }
    }

    /// The recorded state that apps share, after the apps have ended.
    @Suite("lab inspect sharing")
    struct InspectSharingTests {
        @Test
        func `After a failure it shows the lock held at that time, and the app that waited for it`() async throws {
            let workspace = try Workspace()
            try workspace.copy("Scenarios/failing", to: "failing")
            try await onThread {
                let run = try lab("run", "failing/lock-is-held.yaml", "failing/app-not-running.yaml", in: workspace)
                #expect(run.status == 1, "\(run.errors)")
                let named = run.output.matches(of: #/what apps shared then: lab ([^\n]+)/#).map { String($0.1) }
                // At rest, nothing is named, but it is recorded all the same.
                let command = try #require(named.first)
                #expect(named == [command], "\(run.output)")
                let shown = try LabCommand(command.split(separator: " ").map(String.init), in: workspace).finish()
                #expect(shown.status == 0, "\(shown.errors)")
                let pattern = #/queue lock +held by wallet \(pid \d+, for [^)]+\); main \(pid \d+, for [^)]+\) waits/#
                #expect(shown.output.contains(pattern), "\(shown.output)")
                #expect(shown.output.contains("status lock     free"), "\(shown.output)")
                // A process number or a part of an identifier may equal the password.
                let words = shown.output.replacing(#/pid \d+|[0-9A-Fa-f]+-[0-9A-Fa-f-]+/#, with: "")
                #expect(!words.contains("1234"), "\(shown.output)")

                let quiet = ["inspect", "sharing", "wallet", "--failure", "failing/app-not-running.yaml", "--json"]
                let json = try LabCommand(quiet, in: workspace).finish()
                let document = try JSONValue.parse(Data(json.output.utf8))
                #expect(document["version"] == 1, "\(json.output)\(json.errors)")
            }
            try workspace.expectNothingLeft()
        }

        @Test func `Queries without an answer are refused with the possible ones`() async throws {
            let workspace = try Workspace()
            try workspace.copy("Scenarios/failing", to: "failing")
            try await onThread {
                let none = try lab("inspect", "sharing", "main", in: workspace)
                #expect(none.status == 2 && none.errors.contains("lab up"), "\(none.errors)")
                let file = "failing/app-not-running.yaml"
                let unplayed = try lab("inspect", "sharing", "main", "--failure", file, in: workspace)
                #expect(unplayed.status == 2 && unplayed.errors.contains("no kept run"), "\(unplayed.errors)")
                _ = try lab("run", file, in: workspace)
                let wrong = try lab("inspect", "sharing", "walet", "--failure", file, in: workspace)
                #expect(wrong.status == 2 && wrong.errors.contains("did you mean `wallet`?"), "\(wrong.errors)")
                let both = try lab("inspect", "sharing", "main", "--failure", file, "--instance", "x", in: workspace)
                #expect(both.status == 2, "\(both.errors)")
                let run = try lab("inspect", "sharing", "main", "--run", "x", in: workspace)
                #expect(run.status == 2 && run.errors.contains("--failure"), "\(run.errors)")
            }
            try workspace.expectNothingLeft()
        }
    }
}
