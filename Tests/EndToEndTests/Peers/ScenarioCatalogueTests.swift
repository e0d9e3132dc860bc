import Foundation
import LabKit
import TestSupport
import Testing

extension EndToEnd {
    @Suite("The catalogue of scenarios")
    struct ScenarioCatalogueTests {
        @Test("Every scenario of the project passes")
        func everyScenarioPasses() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            let outcome = try await onThread {
                try LabCommand(["run", Workspace.projectFile("Scenarios")], in: workspace).finish(
                    within: .minutes(4).stretched)
            }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(try workspace.leftovers() == [])
        }
    }
}
