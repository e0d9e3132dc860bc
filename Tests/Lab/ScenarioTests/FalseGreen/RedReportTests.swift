// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("A result that counts against a run is red in every report, and passed in none", .endsInTime)
struct RedReportTests {
    /// A result, and its effect on the run.
    struct Row: Sendable, CustomTestStringConvertible {
        let verdict: Verdict
        let quarantine: String?
        let remark: String?

        /// Said once more, in other words than the product's.
        var isRed: Bool {
            switch verdict {
            case .passed: false
            case .failed, .inconclusive: quarantine == nil
            case .notRun: quarantine == nil && remark == nil
            }
        }

        var result: ScenarioResult {
            var result = ScenarioResult.sample(verdict, id: "red.yaml", name: "Red", quarantine: quarantine)
            result.remark = remark
            if verdict == .notRun { result.failures = [] }
            return result
        }

        var testDescription: String {
            [verdict.rawValue, quarantine.map { _ in "quarantined" }, remark].compactMap(\.self).joined(separator: ", ")
        }
    }

    static let rows: [Row] = Verdict.allCases.flatMap { verdict in
        [nil, "known"].flatMap { quarantine in
            [nil, "no `watch`"].map { Row(verdict: verdict, quarantine: quarantine, remark: $0) }
        }
    }

    /// What a reader of a report sees of the result beside a passed one.
    private struct Seen: Equatable {
        /// Whether the reader calls the run red.
        var isRed: Bool
        /// How many results it calls passed.
        var passed: Int
    }

    /// The results: the one of the row, and one that passed.
    private static func results(_ row: Row) -> [ScenarioResult] {
        [row.result, .sample(.passed, id: "green.yaml", name: "Green")]
    }

    private static func expected(_ row: Row) -> Seen {
        Seen(isRed: row.isRed, passed: row.verdict == .passed ? 2 : 1)
    }

    // MARK: Files

    /// What the reader of a format sees. A new format needs its reader here.
    private static func seen(_ data: Data, as form: RunOptions.Report.Format) throws -> Seen {
        switch form {
        case .junit:
            let document = try XMLDocument(data: data)
            let cases = try document.nodes(forXPath: "//testcase").compactMap { $0 as? XMLElement }
            let red = cases.count { !$0.elements(forName: "failure").isEmpty || !$0.elements(forName: "error").isEmpty }
            let skipped = cases.count { !$0.elements(forName: "skipped").isEmpty }
            let root = try #require(document.rootElement())
            let counted = try ["failures", "errors"].map {
                try #require(root.attribute(forName: $0)?.stringValue.flatMap { Int($0) })
            }
            #expect(counted.reduce(0, +) == red)
            return Seen(isRed: red > 0, passed: cases.count - red - skipped)
        case .tap:
            let points = String(decoding: data, as: UTF8.self).split(separator: "\n").filter {
                $0.contains(#/^(not )?ok /#)
            }
            let plain = points.filter { !$0.contains(#/[^\\]# (SKIP|TODO)/#) }
            return Seen(isRed: plain.contains { $0.hasPrefix("not ok") }, passed: plain.count { $0.hasPrefix("ok") })
        case .json:
            return seen(try results(in: JSONValue.parse(data)["results"]))
        case .jsonl:
            let lines = try data.split(separator: 0x0A).map { try JSONValue.parse(Data($0)) }
            let results = lines.filter { $0["event"] == "scenario.finished" }.compactMap { $0["result"] }
            let end = try #require(lines.last)
            let seen = seen(try results.map { try Self.result(in: $0) })
            #expect((end["exitCode"] != 0) == seen.isRed)
            #expect(end["failures"] == .integer(seen.isRed ? 1 : 0))
            return seen
        case .codequality:
            let issues = try #require(JSONValue.parse(data).arrayValue)
            // It lists what is not fine, and nothing else.
            return Seen(isRed: !issues.isEmpty, passed: -1)
        case .html:
            let page = String(decoding: data, as: UTF8.self)
            let block = try #require(
                page.firstMatch(of: #/<script[^>]*id="run"[^>]*>(.*?)</script>/#.dotMatchesNewlines()))
            return seen(try results(in: JSONValue.parse(Data(block.1.utf8))["results"]))
        }
    }

    private static func results(in list: JSONValue?) throws -> [Row] { try #require(list?.arrayValue).map(result) }

    private static func result(in value: JSONValue) throws -> Row {
        Row(
            verdict: try #require(value["verdict"]?.stringValue.flatMap(Verdict.init)),
            quarantine: value["quarantine"]?.stringValue, remark: value["remark"]?.stringValue)
    }

    private static func seen(_ rows: [Row]) -> Seen {
        Seen(isRed: rows.contains(where: \.isRed), passed: rows.count { $0.verdict == .passed })
    }

    @Test(arguments: rows, RunOptions.Report.Format.allCases)
    func `A file of each format`(_ row: Row, _ form: RunOptions.Report.Format) throws {
        let results = Self.results(row)
        let directory = try TemporaryDirectory()
        let path = directory.file("report")
        let reports = try RunReports([RunOptions.Report(format: form, path: path)], inputs: [])
        try reports.begin(seed: 1, scenarios: 2, directory: directory.path)
        for (index, result) in results.enumerated() { reports.ended(index + 1, result) }
        try reports.end(JSONReport(seed: 1, seconds: 1, results: results), outcome: RunOutcome(results))
        let data = try Files.read(form == .html ? "\(path)/\(PageReport.fileName)" : path)
        var seen = try Self.seen(data, as: form)
        if form == .codequality { seen.passed = Self.expected(row).passed }
        #expect(seen == Self.expected(row), "\(String(decoding: data.prefix(2000), as: UTF8.self))")
    }

    // MARK: Print-outs

    @Test(arguments: rows) func `The exit code is 0 only when nothing is red`(_ row: Row) {
        let outcome = RunOutcome(Self.results(row))
        #expect((outcome != .passed) == row.isRed)
        if row.isRed { #expect(outcome == (row.verdict == .failed ? .failed : .inconclusive)) }
        #expect(Set(RunOutcome.allCases.filter { $0.rawValue == 0 }) == [.passed])
    }

    @Test(arguments: rows) func `The terminal, the annotations and the summary of a job`(_ row: Row) throws {
        let results = Self.results(row)
        let terminal = TerminalReport(isColoured: false)
        let line = terminal.render(row.result)
        #expect(line.hasPrefix("✓") == (row.verdict == .passed), "\(line)")
        let passed = Self.expected(row).passed
        let total = terminal.summary(results, seconds: 1, seed: 1, directory: nil, showsCosts: false)
        #expect(total.split(separator: "\n").last?.hasPrefix("\(passed) passed") == true, "\(total)")
        let counts = total.split(separator: "\n").last?.contains(#/, 1 (failed|inconclusive|not run|quarantined)/#)
        #expect(counts == (row.verdict != .passed), "\(total)")
        let annotations = try #require(GitHubAnnotations(environment: ["GITHUB_ACTIONS": "true"])).lines(results)
        #expect(annotations.contains("::error ") == row.isRed, "\(annotations)")
        let summary = GitHubSummary.text(of: JSONReport(seed: 1, seconds: 1, results: results))
        #expect(summary.contains("### Scenarios: \(passed) passed"), "\(summary)")
        if row.isRed, row.verdict != .notRun { #expect(summary.contains("| Red | "), "\(summary)") }
    }

    // MARK: Joined reports

    /// The report of one of two shards with two scenarios.
    private static func shard(_ number: Int, _ results: [ScenarioResult]) -> JSONReport {
        JSONReport(
            seed: 1, seconds: 1, results: results,
            shard: ShardRecord(number: number, count: 2, suite: ["red.yaml", "green.yaml"]))
    }

    @Test(arguments: rows)
    func `Joined shards are as red as the whole run would have been, even if one was aborted`(_ row: Row) throws {
        let results = Self.results(row)
        let directory = try TemporaryDirectory()
        for (index, result) in results.enumerated() {
            try Files.write(Self.shard(index + 1, [result]).rendered(), to: directory.file("\(index + 1).json"))
        }
        var printed = ""
        let outcome = try ReportMerge(
            paths: ["2.json", "1.json"].map(directory.file),
            reports: [RunOptions.Report(format: .junit, path: directory.file("junit.xml"))]
        ) { printed += $0 }.perform(isColoured: false)
        #expect(outcome == RunOutcome(results))
        #expect((outcome != .passed) == row.isRed, "\(printed)")
        #expect(try Self.seen(Files.read(directory.file("junit.xml")), as: .junit) == Self.expected(row))
    }

    @Test func `A shard with a misplaced or duplicate result is refused: it could be the red one`() throws {
        let (red, green) = (
            ScenarioResult.sample(.failed, id: "red.yaml"), ScenarioResult.sample(.passed, id: "green.yaml")
        )
        let foreign = ScenarioResult.sample(.failed, id: "other.yaml")
        let passed = ScenarioResult.sample(.passed, id: "red.yaml")
        for parts in [[[passed, foreign], [green]], [[passed], [green, red]], [[red, passed], [green]]] {
            #expect(throws: BadUsage.self) {
                try ReportMerge.merge(parts.enumerated().map { (path: "\($0).json", report: Self.shard($0 + 1, $1)) })
            }
        }
    }

    @Test func `A report in another version of the format is not read as this version`() throws {
        let directory = try TemporaryDirectory()
        var report = Self.shard(1, Self.results(Self.rows[0]))
        report.version += 1
        try Files.write(report.rendered(), to: directory.file("1.json"))
        #expect(throws: BadUsage.self) { try JSONReport(at: directory.file("1.json")) }
    }
}
