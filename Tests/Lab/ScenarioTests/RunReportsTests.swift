// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("When the reports of a run are written", .endsInTime)
struct RunReportsTests {
    private static func report(_ format: RunOptions.Report.Format, _ path: String) -> RunOptions.Report {
        RunOptions.Report(format: format, path: path)
    }

    private static func scenario() throws -> Scenario {
        let temporary = try TemporaryDirectory()
        try FileManager.default.copyItem(
            atPath: "\(TestFiles.directory)/Failures/lab.yaml", toPath: temporary.file("lab.yaml"))
        try Files.write(Data("name: One\nsteps:\n  - main: kill\n".utf8), to: temporary.file("one.yaml"))
        return try #require(SuiteReader(labPath: nil, environment: [:]).read([temporary.path]).scenarios.first)
    }

    private static func events(in path: String) throws -> [JSONValue] {
        try String(decoding: Files.read(path), as: UTF8.self).split(separator: "\n").map {
            try JSONValue.parse(String($0))
        }
    }

    @Test func `Events are written as they happen; the other reports are written at the end`() throws {
        let directory = try TemporaryDirectory()
        let (events, junit) = (directory.file("run.jsonl"), directory.file("junit.xml"))
        try Files.write(Data("the run before".utf8), to: events)
        let reports = try RunReports([Self.report(.jsonl, events), Self.report(.junit, junit)], inputs: [])
        try reports.begin(seed: .max, scenarios: 1, directory: "/d")
        #expect(try Self.events(in: events).map { $0["event"] } == ["run.started"])
        reports.began(1, try Self.scenario(), seed: 7)
        #expect(try Self.events(in: events).map { $0["event"] } == ["run.started", "scenario.started"])
        let started = try #require(Self.events(in: events).last)
        #expect(started["id"] == "one.yaml" && started["name"] == "One" && started["seed"] == 7)
        reports.ended(1, .sample(.failed))
        #expect(try Self.events(in: events).last?["result"]?["failures"]?[0]?["place"] == "a/b.yaml:3:5")
        #expect(!Files.exists(junit))
        try reports.end(JSONReport(seed: .max, seconds: 2, results: [.sample(.failed)]), outcome: .failed)
        let all = try Self.events(in: events)
        #expect(all.map { $0["event"] } == ["run.started", "scenario.started", "scenario.finished", "run.finished"])
        #expect(all[0]["seed"] == .unsigned(.max))
        #expect(all[3]["exitCode"] == 1)
        #expect(Files.exists(junit))
    }

    @Test func `The last event counts finished scenarios, not those that the end of the run prevented`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("run.jsonl")
        let reports = try RunReports([Self.report(.jsonl, path)], inputs: [])
        try reports.begin(seed: 1, scenarios: 3, directory: "/d")
        reports.ended(1, .sample(.passed))
        reports.ended(2, .sample(.failed))
        try reports.end(
            JSONReport(seed: 1, seconds: 2, results: [.sample(.passed), .sample(.failed), .sample(.notRun)]),
            outcome: .failed)
        let last = try Self.events(in: path).last
        #expect(last?["scenarios"] == 2 && last?["failures"] == 1)
    }

    @Test func `A stream that cannot be written makes only the end of the run fail`() throws {
        let reports = try RunReports([Self.report(.jsonl, "/dev/full")], inputs: [])
        try reports.begin(seed: 1, scenarios: 1, directory: "/d")
        reports.ended(1, .sample(.passed))
        let failure = #expect(throws: LabFailure.self) {
            try reports.end(JSONReport(seed: 1, seconds: 1, results: []), outcome: .passed)
        }
        #expect(failure?.description.hasPrefix("the report /dev/full could not be written: ") == true)
    }

    @Test(arguments: [["-", "-"], ["-", "/dev/stdout"], ["/dev/stdout", "/dev/fd/1"]])
    func `Standard output accepts one report`(paths: [String]) {
        #expect(throws: BadUsage.self) { try RunReports(paths.map { Self.report(.tap, $0) }, inputs: []) }
        #expect(paths.allSatisfy { Self.report(.tap, $0).isStandardOutput })
        #expect(!Self.report(.tap, "/dev/stderr").isStandardOutput)
    }
}
