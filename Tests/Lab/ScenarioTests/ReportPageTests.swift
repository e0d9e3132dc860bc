// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine

@Suite("The page about reports describes every member that a program can read", .endsInTime)
struct ReportPageTests {
    /// The written members, by the heading of their table.
    private static func documents() throws -> [String: JSONValue] {
        var result = ScenarioResult.sample(.failed, quarantine: "known")
        result.remark = "its quarantine has ended"
        let place = ReportedPlace(file: "a/b.yaml", line: 4, column: 5)
        let skipped = SkippedStep(step: "2", title: "main: x", place: place, reason: "no", times: 1)
        result.skipped = [skipped]
        let shard = ShardRecord(number: 1, count: 2, suite: ["a"])
        var failure = try #require(result.failures.first)
        failure.explain = "networkError"
        failure.sentence = "main does x"
        failure.sharing = "lab inspect sharing main --failure a/b.yaml"
        failure.row = "a/rows.csv:2:1: id = \"b\""
        failure.link = "lab inspect link phone --failure a/b.yaml"
        failure.passed = EarlierPass(run: "20260301-093001-1a2b", comparison: "lab diff 20260301-093001-1a2b latest")
        return [
            "The report": try JSONValue(
                encoding: JSONReport(
                    seed: 7, seconds: 1.5, results: [result], shard: shard, circumstances: .now(arguments: [], in: "."))
            ),
            "A result": try JSONValue(encoding: result),
            "A failure": try JSONValue(encoding: failure),
            "A difference": try JSONValue(encoding: try #require(failure.differences.first)),
            "A skipped step": try JSONValue(encoding: skipped),
            "`run.started`": try JSONValue(encoding: RunEvent.RunStarted(seed: 7, scenarios: 1, directory: "/d")),
            "`scenario.started`": try JSONValue(
                encoding: RunEvent.ScenarioStarted(number: 1, at: 0.5, id: "a", name: "A", seed: 7)),
            "`scenario.finished`": try JSONValue(
                encoding: RunEvent.ScenarioFinished(number: 1, at: 0.5, result: result)),
            "`run.finished`": try JSONValue(
                encoding: RunEvent.RunFinished(at: 0.5, scenarios: 1, failures: 1, exitCode: 1)),
        ]
    }

    @Test func `Every member has a row with its type, and every row has a member`() throws {
        let page = try Project.text(of: "docs/reports.md")
        for (heading, document) in try Self.documents() {
            let section = try #require(
                page.components(separatedBy: "### \(heading)\n").dropFirst().first?.components(separatedBy: "\n#")
                    .first,
                "docs/reports.md has no heading \(heading)")
            let rows = section.matches(of: /(?m)^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$/).map {
                (name: String($0.1), type: String($0.2))
            }
            let members = try #require(document.objectValue)
            #expect(Set(rows.map(\.name)) == Set(members.keys), "\(heading)")
            #expect(rows.count == members.count, "\(heading)")
            for row in rows {
                let value = try #require(members[row.name])
                #expect(Self.title(of: value) == row.type.prefix { $0 != " " && $0 != "," }, "\(heading): \(row.name)")
            }
        }
    }

    @Test func `The page names the written version`() throws {
        let page = try Project.text(of: "docs/reports.md")
        #expect(page.contains("The version is \(JSONReport.version)."))
    }

    private static func title(of value: JSONValue) -> String {
        switch value {
        case .string: "text"
        case .integer, .unsigned: "integer"
        case .number: "number"
        case .array: "list"
        case .object: "object"
        case .bool: "boolean"
        case .null: "null"
        }
    }
}
