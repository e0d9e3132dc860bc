import Foundation
import LabKit
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// The recorded state of a link, after its devices have ended.
    @Suite("lab inspect link")
    struct InspectLinkTests {
        @Test("After a failure it shows both ends at that time")
        func failure() async throws {
            let workspace = try Workspace()
            try FileManager.default.copyItem(
                atPath: Project.path("Scenarios/failing"), toPath: "\(workspace.directory)/failing")
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

        @Test("A query about a device without a link is refused with the possible ones")
        func refusals() async throws {
            let workspace = try Workspace()
            try FileManager.default.copyItem(
                atPath: Project.path("Scenarios/failing"), toPath: "\(workspace.directory)/failing")
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
}
