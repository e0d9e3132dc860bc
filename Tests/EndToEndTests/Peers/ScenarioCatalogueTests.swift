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
            try FileManager.default.copyItem(
                atPath: Workspace.projectFile("Scenarios"), toPath: "\(workspace.directory)/Scenarios")
            let outcome = try await onThread {
                try LabCommand(["run", "Scenarios"], in: workspace).finish()
            }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
            try Self.checkEvents(in: workspace.directory)
        }

        /// Every event of every trace below a directory carries the fields that are declared for it.
        private static func checkEvents(in directory: String) throws {
            var complaints: Set<String> = []
            var seen: Set<TraceEventName> = []
            let names = FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []
            for name in names where name.hasSuffix(".jsonl") && name.contains("/traces/") {
                for event in try TraceReader.read("\(directory)/\(name)").events {
                    seen.insert(event.name)
                    let declared = event.name.fields
                    for field in event.fields.keys where !declared.contains(where: { $0.name == field }) {
                        complaints.insert("\(event.name) has the field \(field), which is not declared")
                    }
                    for field in declared where !field.type.admits(event.fields[field.name] ?? .null) {
                        complaints.insert("\(event.name): \(field.name) is \(event.fields[field.name] ?? .null)")
                    }
                }
            }
            #expect(complaints == [])
            #expect(seen.count > 30, "traces are no longer found")
        }
    }
}
