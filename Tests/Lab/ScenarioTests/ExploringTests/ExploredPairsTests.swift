// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabPoints
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("What `make explore` explores", .endsInTime)
struct ExploredPairsTests {
    private static let folder = "Scenarios/exploring"
    private static let operations = [
        "creation", "persistence", "sign", "password", "token", "no-token", "biometry", "no-biometry", "removal",
        "upgrade",
    ]

    /// A defect, and the scenario in which exploring must find it or the reason why it is not explored.
    private struct ListedQuirk: Decodable {
        let quirk: String
        let apps: [String]?
        let scenario: String?
        let deaths: Int?
        let reason: String?
    }

    private static func scenarios() throws -> [Scenario] {
        let suite = SuiteReader(labPath: Project.path("lab.yaml"), environment: [:]).read([Project.path(folder)])
        #expect(suite.diagnostics.map(\.kind.sentence) == [])
        return suite.scenarios
    }

    @Test func `Each pair of operations has one scenario, and the block of each scenario can be explored`() throws {
        var pairs: [Set<String>] = []
        for scenario in try Self.scenarios() {
            #expect(throws: Never.self, "\(scenario.id)") { _ = try ExploredScenario(scenario) }
            guard let row = scenario.row else { continue }
            let names = row.components(separatedBy: "-and-")
            if names.count == 2, names.allSatisfy(Self.operations.contains) { pairs.append(Set(names)) }
        }
        let expected = Self.operations.enumerated().flatMap { index, first in
            Self.operations[index...].map { Set([first, $0]) }
        }
        #expect(pairs.count == 55)
        #expect(Set(pairs) == Set(expected))
    }

    @Test func `Each defect of sharing, SDK and watch has a scenario that finds it, or a reason why not`() throws {
        let data = try Data(contentsOf: Project.file("Tools/Exploring/quirks.json"))
        let listed = try JSONDecoder().decode([ListedQuirk].self, from: data)
        let chapters = ["sdk.", "sharing.", "watch."]
        let expected = Quirk.allCases.map(\.rawValue).filter { name in chapters.contains(where: name.hasPrefix) }
        #expect(listed.map(\.quirk) == expected)
        let known = Set(try Self.scenarios().map { Self.name(of: $0) })
        for entry in listed {
            let isExplored = entry.scenario.map(known.contains) ?? false
            #expect(isExplored == (entry.reason == nil), "\(entry.quirk)")
            #expect(isExplored == (entry.apps?.isEmpty == false), "\(entry.quirk)")
            #expect(isExplored == (entry.deaths != nil), "\(entry.quirk)")
        }
    }

    /// `upgrade.yaml[upgrade-and-sign]`
    private static func name(of scenario: Scenario) -> String {
        scenario.id.components(separatedBy: "\(folder)/").last ?? scenario.id
    }
}
