import Foundation
import LabKit
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The recorded state that apps share, after the apps have ended.
    @Suite("lab inspect sharing")
    struct InspectSharingTests {
        @Test("After a failure it shows the lock held at that time, and the app that waited for it")
        func failure() async throws {
            let workspace = try Workspace()
            try FileManager.default.copyItem(
                atPath: Project.path("Scenarios/failing"), toPath: "\(workspace.directory)/failing")
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

        @Test("Queries without an answer are refused with the possible ones")
        func refusals() async throws {
            let workspace = try Workspace()
            try FileManager.default.copyItem(
                atPath: Project.path("Scenarios/failing"), toPath: "\(workspace.directory)/failing")
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
