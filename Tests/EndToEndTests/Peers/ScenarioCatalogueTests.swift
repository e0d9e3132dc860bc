import Foundation
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// `make run` runs the catalogue with the programs that users run. Tests do so only under sanitizers.
    @Suite("The catalogue of scenarios", .enabled(if: EndToEnd.isSanitized, "`make run` plays it"))
    struct ScenarioCatalogueTests {
        @Test("Every scenario of the project passes")
        func everyScenarioPasses() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try FileManager.default.copyItem(
                atPath: Project.path("Scenarios"), toPath: "\(workspace.directory)/Scenarios")
            let outcome = try await onThread {
                try LabCommand(["run", "Scenarios"], in: workspace).finish()
            }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }
    }
}
