// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import TestSupport
import Testing

extension EndToEnd.Peers {
    /// The scenarios of `Scenarios/failing`, one for each kind of failure, run by the program with real processes.
    @Suite("Explanations of failing runs")
    struct FailingScenarioTests {
        private static let explanations = Project.path("Tests/EndToEndTests/Explanations")

        @Test func `Every scenario that fails on purpose fails with its recorded explanation`() async throws {
            let workspace = try Workspace()
            try workspace.copy("Scenarios/failing", to: "failing")
            let outcome = try await LabCommand.run(["run", "failing", "--seed", "1", "--jobs", "1"], in: workspace)
            #expect(outcome.status == 1, "\(outcome.errors)")
            let files = try FileManager.default.contentsOfDirectory(atPath: "\(workspace.directory)/failing")
            let scenarios = files.filter { $0.hasSuffix(".yaml") && $0 != "lab.yaml" }
            let sections = Self.sections(of: outcome.output)
            #expect(sections.count == scenarios.count)
            for scenario in scenarios.sorted() {
                let section = try #require(
                    sections.first { $0.contains("  \(scenario)  ") }, "\(scenario) is missing in\n\(outcome.output)")
                #expect(!section.hasPrefix("✓"), "\(scenario) passed")
                let name = scenario.replacing(".yaml", with: ".txt")
                GoldenFile(path: "\(Self.explanations)/\(name)").check(Self.normalised(section))
            }
            let recorded = try FileManager.default.contentsOfDirectory(atPath: Self.explanations)
            #expect(recorded.count == scenarios.count, "an explanation without a scenario")
            try workspace.expectNothingLeft()
        }

        @Test func `They are not part of the catalogue: a folder with its own lab file is skipped`() async throws {
            let workspace = try Workspace()
            try workspace.copy("Scenarios/failing", to: "failing")
            try workspace.useProjectTopology()
            try workspace.write(
                "name: Quick\nsteps:\n  - main: hasValidActivation\n    expect: false\n", to: "quick.yaml")
            let outcome = try await onThread { try lab("run", ".", in: workspace) }
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            #expect(outcome.output.contains("1 passed"))
        }

        /// The output of the scenarios, each with its mark.
        private static func sections(of output: String) -> [String] {
            var sections: [String] = []
            for line in output.split(separator: "\n", omittingEmptySubsequences: false) {
                if line.isEmpty { break }
                if let mark = line.first, "✓✗?".contains(mark) {
                    sections.append("\(line)\n")
                } else if !sections.isEmpty {
                    sections[sections.count - 1] += "\(line)\n"
                }
            }
            return sections
        }

        /// Without the parts that differ between runs: times, identifiers, ports, and the last events of processes,
        /// which start in any order.
        private static func normalised(_ section: String) -> String {
            var isLastEvents = false
            let lines = section.split(separator: "\n", omittingEmptySubsequences: false).filter { line in
                if line.hasPrefix("    last events:") {
                    isLastEvents = true
                    return false
                }
                if isLastEvents, line.hasPrefix("      ") { return false }
                isLastEvents = false
                return true
            }
            return lines.joined(separator: "\n")
                .replacing(/\+?[0-9]+(\.[0-9]+)? (ms|s)\b/, with: "N ms")
                .replacing(/"pid":[0-9]+/, with: "\"pid\":N")
                .replacing(/file:\/\/\/\S*\/index\.html/, with: "file:///PAGE")
                .replacing(/[0-9]+ attempts/, with: "N attempts")
                .replacing(/milliseconds=[0-9.]+/, with: "milliseconds=N")
                // A private key is saved without leading zero bytes (protocol.md, section 2.1): one in 256 is a block
                // shorter.
                .replacing(/\bbytes=[0-9]+/, with: "bytes=N")
                .replacing(/\b[0-9]+ bytes for the keychain/, with: "N bytes for the keychain")
                .replacing(/[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}/, with: "UUID")
                .replacing(/\b[0-9a-f]{16}\b/, with: "COUNTER")
                .replacing(/\b[0-9]{10}(\.[0-9]+)?\b/, with: "TIME")
                .replacing(/127\.0\.0\.1:[0-9]+/, with: "HOST")
                .replacing(/\bport [0-9]+/, with: "port N")
                .replacing(/\b(pid[= ])[0-9]+/, with: { "\($0.output.1)N" })
        }
    }

    /// `make run` runs the catalogue with the programs that users run. Tests do so only under sanitizers.
    @Suite("The catalogue of scenarios", .enabled(if: EndToEnd.isSanitized, "`make run` plays it"))
    struct ScenarioCatalogueTests {
        @Test func `Every scenario of the project passes`() async throws {
            let workspace = try Workspace.ofProject()
            try workspace.copy("Scenarios", to: "Scenarios")
            let outcome = try await LabCommand.run(["run", "Scenarios"], in: workspace)
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            try workspace.expectNothingLeft()
        }
    }
}
