import Foundation
import LabKit
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The state at a moment of a recorded scenario.
    @Suite("lab inspect moment")
    struct InspectMomentTests {
        @Test("It shows a process that died before its restart, and the stored state at that time")
        func moments() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
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

        @Test("The loser of a passed race is not a failure: it is neither the moment nor recorded as one")
        func passedRace() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
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
}
