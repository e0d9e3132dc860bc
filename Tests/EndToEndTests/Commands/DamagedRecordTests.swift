import Foundation
import LabKit
import LabSystem
import TestSupport
import Testing

extension EndToEnd.Commands {
    /// Commands about a run with a modified record.
    @Suite("A damaged record")
    struct DamagedRecordTests {
        @Test("Every command that reads a run refuses one with a changed byte, names the file, and ends with 3")
        func commands() async throws {
            let workspace = try Workspace()
            try workspace.useProjectTopology()
            try workspace.write(
                "name: A\nsteps:\n  - main: hasValidActivation\n    expect: false\n", to: "a.yaml")
            try await onThread {
                for _ in 0..<2 { #expect(try lab("run", "a.yaml", in: workspace).status == 0) }
                let runs = "\(workspace.directory)/.lab/runs"
                let names = try Files.list(runs).filter { $0 != "latest" }.sorted()
                let newest = "\(runs)/\(try #require(names.last))"
                let commands: [[String]] = [
                    ["inspect", "moment", "a.yaml"], ["stats"], ["show"], ["bundle", "--output", "run.tar.gz"],
                    ["diff", names[0], names[1]],
                ]
                for words in commands {
                    #expect(try LabCommand(words, in: workspace).finish().status == 0, "\(words)")
                }
                for path in ["report.json", "a/history.jsonl", "a/traces/main#1.jsonl"] {
                    let original = try Files.read("\(newest)/\(path)")
                    var changed = original
                    changed[changed.count / 2] ^= 1
                    try Files.write(changed, to: "\(newest)/\(path)")
                    for words in commands {
                        let outcome = try LabCommand(words, in: workspace).finish()
                        #expect(outcome.status == 3, "\(words) with \(path): \(outcome.output)")
                        #expect(outcome.errors.contains("damaged: \(path) is not"), "\(words): \(outcome.errors)")
                    }
                    try Files.write(original, to: "\(newest)/\(path)")
                }
            }
            try workspace.expectNothingLeft()
        }
    }
}
