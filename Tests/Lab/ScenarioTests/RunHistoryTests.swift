// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The history of kept runs: how often a scenario passed, how long it took, and since when it fails", .endsInTime)
struct RunHistoryTests {
    private static func run(_ day: Int, _ results: [(id: String, verdict: Verdict, seconds: Double)])
        -> RecordedRuns.Run
    {
        let results = results.map { id, verdict, seconds in
            var result = ScenarioResult.sample(verdict, id: id)
            result.round = id.split(separator: "~").dropFirst().first.flatMap { Int($0) } ?? 1
            result.seed = UInt64(day * 10 + result.round - 1)
            result.seconds = seconds
            return result
        }
        return RecordedRuns.Run(
            directory: "/runs/2026030\(day)-093001-1a2b", report: JSONReport(seed: 1, seconds: 1, results: results))
    }

    private func entry(_ runs: [RecordedRuns.Run]) throws -> RunHistory.Entry {
        let entries = RunHistory(runs).scenarios
        #expect(entries.map(\.id) == ["a.yaml"])
        return try #require(entries.first)
    }

    @Test func `All rounds are counted, except those that did not run`() throws {
        let entry = try entry([
            Self.run(3, [("a.yaml", .passed, 5), ("a.yaml~2", .passed, 4)]),
            Self.run(2, [("a.yaml", .notRun, 0)]),
            Self.run(1, [("a.yaml", .failed, 1)]),
        ])
        #expect((entry.rounds, entry.passed) == (3, 2))
        #expect((entry.medianSeconds, entry.lastSeconds) == (4, 4))
        #expect(entry.notPassedSince == nil)
    }

    @Test
    func `It has not passed since the first of the latest runs with a failing round, shown with that round's seed`()
        throws
    {
        let bad = [
            Self.run(4, [("a.yaml", .inconclusive, 1)]), Self.run(3, [("b.yaml", .notRun, 1)]),
            Self.run(2, [("a.yaml", .passed, 1), ("a.yaml~2", .failed, 1)]),
        ]
        let begin = try #require(try entry(bad + [Self.run(1, [("a.yaml", .passed, 1)])]).notPassedSince)
        #expect(begin == .init(run: "20260302-093001-1a2b", at: "2026-03-02T09:30:01Z", seed: 21, isOldest: false))
        #expect(try entry(bad).notPassedSince?.isOldest == true)
    }

    @Test func `The columns fit into 80 characters, and a path is not cut`() {
        let id = "Scenarios/sharing/\(String(repeating: "x", count: 30)).yaml"
        let runs = [Self.run(2, [("b.yaml", .failed, 2), (id, .failed, 1234.5)]), Self.run(1, [(id, .passed, 0.25)])]
        let text = RunHistory(runs).text
        #expect(
            text == """
                 passed   median     last  scenario
                    1/2 617.38 s 1234.50 s  \(id)
                         not passed since 2026-03-02 09:30 UTC, seed 20
                    0/1   2.00 s   2.00 s  b.yaml
                         not passed since the oldest run, 2026-03-02 09:30 UTC, seed 20

                """)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 81 }, "\(text)")
        #expect(RunHistory([]).text == "no kept run has played these scenarios\n")
    }

    @Test func `Programs read the same as JSON`() throws {
        let history = RunHistory([Self.run(2, [("a.yaml", .failed, 2)])])
        let value = try JSONValue.parse(Data(try history.json().utf8))
        #expect(
            value == [
                "version": 1,
                "scenarios": [
                    [
                        "id": "a.yaml", "rounds": 1, "passed": 0, "medianSeconds": 2, "lastSeconds": 2,
                        "notPassedSince": [
                            "run": "20260302-093001-1a2b", "at": "2026-03-02T09:30:01Z", "seed": 20, "isOldest": true,
                        ],
                    ]
                ],
            ])
    }

    @Test func `Paths select files, folders and rows, also of deleted scenarios; any other path is an error`() throws {
        let workspace = try SuiteWorkspace(["sub/new.yaml": "name: New\nsteps:\n  - main: kill\n"])
        let root = workspace.directory.path
        let ids = ["gone.yaml", "sub.yaml", "sub/a.yaml", "sub/t.yaml[one]", "sub/t.yaml[two]"]
        let history = RunHistory([Self.run(1, ids.map { ($0, .passed, 1) })])
        func selected(_ paths: String...) throws -> [String] {
            try history.selected(by: paths.map { "\(root)/\($0)" }, root: root).scenarios.map(\.id)
        }
        #expect(try history.selected(by: [], root: root).scenarios.map(\.id) == ids)
        #expect(try history.selected(by: [root], root: root).scenarios.map(\.id) == ids)
        #expect(try selected("gone.yaml") == ["gone.yaml"])
        #expect(try selected("sub") == ["sub/a.yaml", "sub/t.yaml[one]", "sub/t.yaml[two]"])
        #expect(
            try selected("sub/t.yaml", "sub/a.yaml", "sub") == ["sub/a.yaml", "sub/t.yaml[one]", "sub/t.yaml[two]"])
        #expect(try selected("sub/t.yaml[two]") == ["sub/t.yaml[two]"])
        #expect(try selected("sub/new.yaml") == [])
        #expect(throws: BadUsage.self) { try selected("never.yaml") }
    }

    @Test func `Without a run there is no history, and an unreadable report is skipped`() throws {
        let workspace = try SuiteWorkspace([:])
        let records = workspace.directory.file(".lab")
        #expect(throws: BadUsage.self) { try RecordedRuns(records: records).history(of: []) }
        for (run, text) in [
            (
                "20260301-093001-1a2b",
                try String(decoding: Self.run(1, [("a.yaml", .passed, 1)]).report.rendered(), as: UTF8.self)
            ),
            ("20260302-093001-1a2b", "{ \"vers"),
        ] {
            try workspace.write(text, to: ".lab/runs/\(run)/report.json")
        }
        #expect(try RecordedRuns(records: records).history(of: []).scenarios.map(\.passed) == [1])
    }
}
