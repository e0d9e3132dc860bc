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

@Suite("Records of runs: retention and lookup", .endsInTime)
struct RecordTests {
    private let workspace: SuiteWorkspace
    private static let good = "name: Good\nsteps:\n  - main: hasValidActivation\n"

    init() throws {
        workspace = try SuiteWorkspace([
            "a.yaml": Self.good, "b.yaml": Self.good, "c.yaml": "name: C\nsteps:\n  - include: steps/group.yaml\n",
            "steps/group.yaml": "steps:\n  - main: kill\n",
        ])
    }

    private func selected(_ change: (inout RunOptions) -> Void) -> ([String]?, String) {
        workspace.output(change: change) { options, print in
            SuiteSearch(options: options, environment: [:], print: print, writeErrors: print).find()?.scenarios.map(
                \.id)
        }
    }

    @Test func `Only the newest runs are kept, and running ones are never removed`() throws {
        let records = workspace.directory.file(".lab")
        for day in 1...4 {
            try Files.createDirectory("\(records)/runs/2020010\(day)-000000-\(day)")
            try Files.touch("\(records)/runs/2020010\(day)-000000-\(day)/.running")
        }
        try Files.createDirectory("\(records)/runs/mine")
        let running = try FileLock(path: "\(records)/runs/20200101-000000-1/.running")
        #expect(try running.tryLock())
        let new = try RunDirectory.create(in: records, keeping: 2)
        #expect(
            try Files.list("\(records)/runs")
                == ["20200101-000000-1", "20200104-000000-4", Files.name(of: new.path), "latest", "mine"])
        #expect(try Files.readLink("\(records)/runs/latest") == Files.name(of: new.path))
    }

    @Test func `The names of runs sort by time, also in the last half of a millisecond of a second`() {
        let second: Int64 = 1_795_000_000_000_000_000
        let times = [0, 999_400_000, 999_600_000, 999_999_999, 1_000_000_000, 1_000_020_000].map { second + $0 }
        let names = times.map(RunDirectory.name(at:))
        #expect(names == names.sorted() && Set(names).count >= 5, "\(names)")
        #expect(names[3].hasPrefix("20261118-110640-ffff") && names[4] == "20261118-110641-0000")
    }

    @Test func `Names beside a recorded selection are checked against the whole project`() throws {
        try workspace.write("name: A\ntags: [sdk]\nsteps:\n  - clock: freeze\n", to: "a.yaml")
        try workspace.write("name: B\ntags: [slow]\nsteps:\n  - clock: freeze\n", to: "b.yaml")
        try record([("a.yaml", .failed), ("b.yaml", .passed)])
        func outcome(filter: String? = nil, tags: [String] = []) -> (RunOutcome, String) {
            workspace.run(environment: ["LAB_BIN": "/usr/bin"]) { options in
                (options.lastFailed, options.labFile) = (true, "\(options.paths[0])/lab.yaml")
                (options.paths, options.filter, options.tags) = ([], filter, tags)
            }
        }
        let (selected, _) = outcome(tags: ["!slow"])
        #expect(selected == .inconclusive, "it would run")
        // There are no programs here, or nothing is left to run.
        #expect(outcome(tags: ["slow"]).0 == .inconclusive)
        for (outcome, text) in [outcome(tags: ["typo"]), outcome(filter: "typo")] {
            #expect(outcome == .badInput, "\(text)")
        }
    }

    @Test func `Scenarios whose names differ only in special characters have separate directories`() throws {
        let run = try RunDirectory.create(in: workspace.directory.file(".lab"), keeping: 9)
        let ids = ["a/b.yaml", "a-b.yaml", "a-b-2.yaml", "c.yaml[<]", "c.yaml[>]", "a/b.yaml"]
        #expect(
            ids.map { Files.name(of: run.scenario($0)) } == [
                "a-b", "a-b-2", "a-b-2-2", "c.yaml---", "c.yaml----2", "a-b",
            ])
    }

    @Test func `The scenarios that failed last time are found in their record or among given paths`() throws {
        let (none, complaint) = selected { $0.lastFailed = true }
        #expect(none == nil)
        #expect(complaint.contains("no run is recorded"), "\(complaint)")
        try record([("a.yaml", .passed), ("b.yaml", .inconclusive), ("c.yaml", .notRun), ("b.yaml~2", .failed)])
        // A later run without a report, such as a killed one, hides nothing.
        _ = try RunDirectory.create(in: workspace.directory.file(".lab"), keeping: 9)
        #expect(selected { $0.lastFailed = true }.0 == ["b.yaml"])
        #expect(
            selected { options in
                (options.lastFailed, options.labFile) = (true, "\(options.paths[0])/lab.yaml")
                options.paths = []
            }.0 == ["b.yaml"])
        try record([("a.yaml", .passed)])
        for hasPath in [true, false] {
            let (outcome, text) = workspace.run { options in
                (options.lastFailed, options.labFile) = (true, "\(options.paths[0])/lab.yaml")
                options.reports = [RunOptions.Report(format: .json, path: workspace.directory.file("\(hasPath).json"))]
                if !hasPath { options.paths = [] }
            }
            let report = try Files.read(workspace.directory.file("\(hasPath).json"))
            #expect(try JSONDecoder().decode(JSONReport.self, from: report).results.isEmpty)
            #expect(outcome == .passed)
            #expect(text == "nothing to run: nothing failed last time\n")
        }
    }

    @Test func `A run of nothing still writes its reports: no scenario, and no failure`() throws {
        try record([("a.yaml", .passed)])
        let path = workspace.directory.file("run.jsonl")
        let (outcome, _) = workspace.run { options in
            options.lastFailed = true
            options.reports = [RunOptions.Report(format: .jsonl, path: path)]
        }
        #expect(outcome == .passed)
        let events = try Files.read(path).split(separator: 0x0A).map { try JSONValue.parse(Data($0)) }
        #expect(events.map { $0["event"] } == ["run.started", "run.finished"])
        #expect(events.first?["scenarios"] == 0 && events.first?["directory"] == "")
        #expect(events.last?["scenarios"] == 0 && events.last?["failures"] == 0 && events.last?["exitCode"] == 0)
    }

    @Test func `The slowest scenarios of the last run are found by their longest round, including failures`() throws {
        #expect(selected { $0.slowest = 1 }.1.contains("--slowest: no run is recorded"))
        try record(
            [("a.yaml", .failed), ("b.yaml", .passed), ("c.yaml", .notRun), ("b.yaml~2", .passed)],
            seconds: [2, 1, 9, 3])
        #expect(selected { $0.slowest = 1 }.0 == ["b.yaml"])
        #expect(selected { $0.slowest = 3 }.0 == ["a.yaml", "b.yaml"])
        #expect(selected { ($0.slowest, $0.lastFailed) = (1, true) }.0 == ["a.yaml"])
        #expect(
            selected { options in
                (options.slowest, options.labFile) = (2, "\(options.paths[0])/lab.yaml")
                options.paths = []
            }.0 == ["a.yaml", "b.yaml"])
        #expect(selected { $0.slowest = 0 }.1 == "error: --slowest must be at least 1\n")
        let (outcome, text) = workspace.run { ($0.slowest, $0.filter) = (1, "a.yaml") }
        #expect(outcome == .passed)
        #expect(text == "nothing to run: none of these was among the slowest last time\n")
    }

    @Test func `A scenario is new if no kept run has a result of it`() throws {
        #expect(selected { $0.neverPlayed = true }.0 == ["a.yaml", "b.yaml", "c.yaml"])
        try record([("a.yaml", .passed), ("b.yaml", .notRun)])
        try record([("b.yaml", .notRun)])
        #expect(selected { $0.neverPlayed = true }.0 == ["b.yaml", "c.yaml"], "a turn that never came is no result")
        try record([("b.yaml", .failed), ("c.yaml", .inconclusive)])
        let (outcome, text) = workspace.run { $0.neverPlayed = true }
        #expect(outcome == .passed)
        #expect(text == "nothing to run: every scenario has a record\n")
        #expect(
            selected { ($0.neverPlayed, $0.lastFailed) = (true, true) }.1
                == "error: --last-failed and --new exclude each other: what is new has no record\n")
    }

    @Test func `The last failures of a suite with several parts are found in the last run of each part`() throws {
        func part(_ number: Int, of suite: [String] = ["a.yaml", "b.yaml", "c.yaml"]) -> ShardRecord {
            ShardRecord(number: number, count: 2, suite: suite)
        }
        try record([("a.yaml", .passed), ("c.yaml", .failed)], shard: part(1))
        try record([("a.yaml", .failed), ("c.yaml", .passed)], shard: part(1))
        try record([("c.yaml", .failed)], shard: part(1, of: ["c.yaml"]))
        try record([("b.yaml", .failed)], shard: part(2))
        #expect(selected { $0.lastFailed = true }.0 == ["a.yaml", "b.yaml"])
        try record([("b.yaml", .passed)])
        #expect(selected { $0.lastFailed = true }.0 == [], "a run of its own is the last run")
    }

    @Test func `A scenario in a record has its path relative to the current directory`() throws {
        let here = Files.absolute(".")
        let file = try #require(try Files.list(here).first)
        #expect(ScenarioPath.path(ofScenario: file, inProject: here) == file)
        let elsewhere = workspace.directory
        #expect(ScenarioPath.path(ofScenario: "a.yaml", inProject: elsewhere.path) == elsewhere.file("a.yaml"))
    }

    private func record(
        _ results: [(id: String, verdict: Verdict)], seconds: [Double]? = nil, shard: ShardRecord? = nil
    ) throws {
        let run = try RunDirectory.create(in: workspace.directory.file(".lab"), keeping: 9)
        let report = JSONReport(
            seed: 1, seconds: 1,
            results: results.enumerated().map { index, item in
                var result = ScenarioResult.sample(item.verdict, id: item.id)
                result.round = item.id.hasSuffix("~2") ? 2 : 1
                if let seconds { result.seconds = seconds[index] }
                if item.verdict == .notRun { result.failures = [] }
                return result
            }, shard: shard)
        try Files.write(report.rendered(), to: "\(run.path)/report.json")
    }

    @Test func `Scenarios with a changed file are found: their own, an included one, or lab.yaml`() throws {
        let (none, complaint) = selected { $0.changedSince = "HEAD" }
        #expect(none == nil)
        #expect(complaint.contains("is in no repository"), "\(complaint)")
        try git("init", "-q")
        try git("add", ".")
        try git("-c", "user.name=Lab", "-c", "user.email=lab@example.com", "commit", "-q", "-m", "All")
        #expect(selected { $0.changedSince = "HEAD" }.0 == [])
        let (outcome, text) = workspace.run { $0.changedSince = "HEAD" }
        #expect(outcome == .passed)
        #expect(text == "nothing to run: nothing has changed\n")

        try workspace.write(Self.good + "  - main: kill\n", to: "b.yaml")
        try workspace.write(Self.good, to: "new.yaml")
        #expect(selected { $0.changedSince = "HEAD" }.0 == ["b.yaml", "new.yaml"])
        try workspace.write("steps:\n  - main: hasValidActivation\n", to: "steps/group.yaml")
        #expect(selected { $0.changedSince = "HEAD" }.0 == ["b.yaml", "c.yaml", "new.yaml"])
        let labFile = try String(contentsOfFile: workspace.directory.file("lab.yaml"), encoding: .utf8)
        try workspace.write(labFile + "# changed\n", to: "lab.yaml")
        #expect(selected { $0.changedSince = "HEAD" }.0 == ["a.yaml", "b.yaml", "c.yaml", "new.yaml"])

        let unknown = selected { $0.changedSince = "--output=stolen" }
        #expect(unknown.0 == nil)
        #expect(unknown.1.contains("git knows no such commit"), "\(unknown.1)")
    }

    private func git(_ words: String...) throws {
        #expect(try ToolCall.output(of: ["git", "-C", workspace.directory.path] + words) != nil, "git \(words)")
    }

    @Test func `A run, by default the last one, is packed into one file`() throws {
        try record([("a.yaml", .passed)])
        let runs = RecordedRuns(records: workspace.directory.file(".lab"))
        let file = try runs.bundle(nil, to: workspace.directory.file("ticket.tar.gz"))
        let names = try #require(try ToolCall.output(of: ["tar", "-tzf", file]))
        let run = try Files.readLink(workspace.directory.file(".lab/runs/latest"))
        let lines = String(decoding: names, as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines == ["\(run)/", "\(run)/report.json"])
        #expect(try runs.bundle(run, to: file) == file)
        #expect(throws: BadUsage.self) { try runs.bundle("20000101-000000-0", to: file) }
        #expect(throws: LabFailure.self) { try runs.bundle(nil, to: "/nowhere/ticket.tar.gz") }
    }

    @Test func `A program that is missing is named`() {
        let error = #expect(throws: BadUsage.self) { try ToolCall.output(of: ["no-such-program"]) }
        #expect(error.map { "\($0)" } == "there is no program `no-such-program` on the PATH")
    }
}
