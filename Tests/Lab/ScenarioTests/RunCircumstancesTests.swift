// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("The record of a run", .endsInTime)
struct RunCircumstancesTests {
    @Test func `It has the command without the values of --set, the lab, the machine, and the commit`() throws {
        let temporary = try TemporaryDirectory()
        let arguments = ["run", "--set", "pin=4711", "--set=key=a=b", "Scenarios"]
        let outside = RunCircumstances.now(arguments: arguments, in: temporary.path)
        #expect(outside.arguments == ["run", "--set", "pin=••••", "--set=key=••••", "Scenarios"])
        #expect(outside.version == LabVersion.current)
        #expect(outside.cores == ProcessInfo.processInfo.activeProcessorCount)
        #expect(outside.system.hasPrefix("Linux "))
        #expect(outside.began.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/))
        #expect(outside.commit == nil && outside.isModified == nil)

        for words in [
            ["init", "-q"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "a"],
        ] {
            _ = try #require(try ToolCall.output(of: ["git", "-C", temporary.path] + words))
        }
        let clean = RunCircumstances.now(arguments: [], in: temporary.path)
        #expect(clean.commit?.count == 40)
        #expect(clean.isModified == false)
        try Files.touch(temporary.file("new"))
        #expect(RunCircumstances.now(arguments: [], in: temporary.path).isModified == true)
    }

    @Test(arguments: ["artefact/.lab/runs/20260301-093001-1a2b", "artefact/runs/20260301-093001-1a2b", "artefact"])
    func `A report that was moved with its records finds them beside it`(place: String) throws {
        let temporary = try TemporaryDirectory()
        let there = temporary.file("\(place)/Scenarios/a.yaml")
        try Files.createDirectory(there, mode: 0o755)
        var (moved, gone, present) = (
            ScenarioResult.sample(.failed), ScenarioResult.sample(.failed), ScenarioResult.sample(.failed)
        )
        moved.directory = "/elsewhere/.lab/runs/20260301-093001-1a2b/Scenarios/a.yaml"
        gone.directory = "/elsewhere/.lab/runs/20260301-093001-1a2b/Scenarios/b.yaml"
        present.directory = temporary.path
        let report = JSONReport(seed: 1, seconds: 1, results: [moved, gone, present])
        #expect(
            report.found(beside: temporary.file("artefact")).results.map(\.directory)
                == [there, gone.directory, present.directory])
    }

    @Test
    func `GitLab's file has one entry for each scenario that counts, at its line, with the same fingerprint each time`()
        throws
    {
        var result = ScenarioResult.sample(.failed, name: "A")
        result.failures[0].differences = []
        result.failures[0].place = ReportedPlace(file: "/builds/bank/Scenarios/a.yaml", line: 3, column: 5)
        let data = try CodeQualityReport.render(
            [result, .sample(.passed), .sample(.failed, quarantine: "known")],
            environment: ["CI_PROJECT_DIR": "/builds/bank"])
        let entries = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(entries.count == 1)
        let entry = try #require(entries.first)
        #expect(entry["description"] as? String == "A: \(try #require(result.leadingFailure).headline)")
        #expect(entry["fingerprint"] as? String == result.id)
        #expect(entry["severity"] as? String == "critical")
        #expect(entry["check_name"] as? String == "lab")
        let location = try #require(entry["location"] as? [String: Any])
        #expect(location["path"] as? String == "Scenarios/a.yaml")
        #expect((location["lines"] as? [String: Any])?["begin"] as? Int == 3)
    }

    @Test func `GitLab's entry is at the expectation that did not hold, and an open verdict is less severe`() throws {
        let results = [ScenarioResult.sample(.inconclusive, id: "a.yaml", name: "A"), .sample(.notRun, id: "b.yaml")]
        let data = try CodeQualityReport.render(results, environment: ["CI_PROJECT_DIR": "/builds/bank"])
        let entries = try #require(JSONValue.parse(data).arrayValue)
        #expect(entries.map { $0["severity"] } == ["major", "major"])
        #expect(entries.map { $0["fingerprint"] } == ["a.yaml", "b.yaml"])
        #expect(entries[0]["location"] == ["path": "a/b.yaml", "lines": ["begin": 4]])
    }

    @Test func `GitHub's summary with counts and failures is appended to the output of other steps`() throws {
        let temporary = try TemporaryDirectory()
        let path = temporary.file("summary.md")
        #expect(GitHubSummary(environment: ["GITHUB_STEP_SUMMARY": path]) == nil)
        #expect(GitHubSummary(environment: ["GITHUB_ACTIONS": "true"]) == nil)
        try Files.write(Data("before\n".utf8), to: path)
        let summary = try #require(GitHubSummary(environment: ["GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": path]))
        var result = ScenarioResult.sample(.failed, name: "A | *b*")
        result.failures[0].causes = ["the\nserver"]
        result.failures[0].reason = "it failed"
        try summary.add(JSONReport(seed: 1, seconds: 2, results: [.sample(.passed), result]))
        #expect(
            String(decoding: try Files.read(path), as: UTF8.self) == """
                before
                ### Scenarios: 1 passed, 1 failed in 2.00 s

                | scenario | what failed |
                | --- | --- |
                | A \\| \\*b\\* | main: x: it failed, because the server |


                """)
    }

    @Test(.verifies("size", "GitHubSummary.most"), arguments: Sizes.ofBatches(50))
    func `GitHub's summary has rows for fifty scenarios, and a line for the rest`(count: Int) {
        let failed = Array(repeating: ScenarioResult.sample(.failed, name: "Red"), count: count)
        let lines = GitHubSummary.text(of: JSONReport(seed: 1, seconds: 2, results: failed)).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("| Red |") } == min(count, 50))
        #expect(lines.last == (count > 50 ? "and \(count - 50) more" : lines[2 + min(count, 50)]))
    }

    @Test func `A run in a directory is found outside any project`() throws {
        let temporary = try TemporaryDirectory()
        let run = temporary.file("carried/20260301-093001-1a2b")
        try Files.createDirectory(run, mode: 0o755)
        try Files.write(JSONReport(seed: 1, seconds: 1, results: []).rendered(), to: "\(run)/report.json")
        #expect(try RecordedRuns(holding: run).directory(of: run) == run)
    }
}
