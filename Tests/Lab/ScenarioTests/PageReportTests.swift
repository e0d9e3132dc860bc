// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("A run's page contains the whole record in one file", .endsInTime)
struct PageReportTests {
    private let directory: TemporaryDirectory
    private var scenario: String { "\(directory.path)/scenario" }

    init() throws {
        directory = try TemporaryDirectory()
        for folder in ["", "/traces", "/logs"] { try Files.createDirectory("\(directory.path)/scenario\(folder)") }
    }

    /// Writes the record of a scenario with one step.
    private func record(trace: [String] = [], torn: String = "") throws {
        let phone = HistoryEvent.Device(name: "phone", apps: ["main"])
        let outcome = ActorSession.Outcome(answer: .success(true), interval: nil)
        let history = [
            HistoryEvent(
                time: 1_000_000, .scenarioStarted(.init(id: "a.yaml", name: "A", seed: "1", devices: [phone]))),
            HistoryEvent(
                time: 2_000_000, step: "1", .stepStarted(.init(title: "main: x", sentence: "main does it"), nil)),
            HistoryEvent(time: 2_900_000, step: "1", .command(.init(of: "main", "x", ended: outcome))),
            HistoryEvent(time: 3_000_000, step: "1", .stepFinished(isFine: true)),
            HistoryEvent(time: 3_500_000, step: "2", .stepStarted(.init(title: "race", sentence: nil), nil)),
        ]
        try history.write(to: scenario, torn: #"{"e":"step.fin"#)
        let lines = trace.map { $0 + "\n" }.joined() + torn
        try Files.write(Data(lines.utf8), to: "\(scenario)/traces/main#1.jsonl")
    }

    private func timeline(_ extent: ScenarioTimeline.Extent = .whole) throws -> JSONValue {
        try #require(ScenarioTimeline(recordedIn: scenario)).json(extent)
    }

    private func history(_ timeline: JSONValue) throws -> [HistoryEvent] {
        try #require(timeline["history"]).decode()
    }

    private func written(_ page: PageReport) throws -> String {
        let path = directory.file("page.html")
        try page.write(to: path)
        return String(decoding: try Files.read(path), as: UTF8.self)
    }

    @Test
    func `Times count from the first record, in microseconds; what a killed run left unfinished is not shown`() throws {
        try record(trace: [#"{"t":500000,"p":"main#1","e":"process.started"}"#], torn: #"{"t":9"#)
        let timeline = try timeline()
        #expect(timeline["events"]?["t"] == [0])
        let history = try history(timeline)
        #expect(history.map(\.time) == [500, 1_500, 2_400, 2_500, 3_000])
        #expect(history.map(\.kind) == [.scenarioStarted, .stepStarted, .command, .stepFinished, .stepStarted])
        #expect(history.map(\.step) == [nil, "1", "1", "1", "2"])
    }

    @Test func `A step has its source position, and the text of its file is included once`() async throws {
        let steps = "  - main: hasValidActivation\n    note: first\n  - repeat: 2\n    steps:\n      - clock: freeze\n"
        let run = try await FakeRun(steps)
        try Files.write(Data(run.history.utf8), to: "\(scenario)/\(History.fileName)")
        let history = try history(timeline())
        let text = "name: Test\nsteps:\n" + steps
        let sources = history.filter { $0.kind == .source }
        #expect(sources.map(\.fact) == [.source(.init(file: "scenario.yaml", text: text))])
        let started = history.filter { $0.kind == .stepStarted }
        #expect(started.map(\.step) == ["1", "2", "2.1", "2.1"])
        let written = started.compactMap { event -> HistoryEvent.SourceLines? in
            if case .stepStarted(_, let lines) = event.fact { lines } else { nil }
        }
        #expect(written.map(\.file) == Array(repeating: "scenario.yaml", count: 4))
        #expect(written.map(\.line) == [3, 5, 7, 7])
        #expect(written.map(\.lastLine) == [4, 7, 7, 7])
        #expect(written.map(\.column) == [5, 5, 9, 9])
    }

    @Test func `The turns of an order are on the page, each before what its process did in it`() async throws {
        let run = try await FakeRun(
            """
              - parallel:
                  - main: hasValidActivation
                  - wallet: hasValidActivation
                order:
                  - wallet: start
                  - wallet: queueLock.released
                  - main: start
            """,
            answers: FakeAnswers([
                "main.hasValidActivation": [RedCase.yes], "wallet.hasValidActivation": [RedCase.yes],
            ]))
        #expect(run.result.verdict == .passed, "\(run.result.failures)")
        try Files.write(Data(run.history.utf8), to: "\(scenario)/\(History.fileName)")
        let history = try history(timeline())
        #expect(history.filter { $0.kind == .turn }.map(\.step) == ["1", "1"])
        let lines = history.compactMap { event -> String? in
            switch event.fact {
            case .turn(let turn): "turn \(turn.number): \(turn.process) from \(turn.place)"
            case .command(let call): call.actor
            default: nil
            }
        }
        // The app had ended its branch when the second turn was due, so the turn was not given.
        #expect(lines == ["turn 1: wallet from start", "wallet", "turn 3: main from start", "main"])
    }

    @Test func `Lanes follow the topology in its order, then come processes that are not in it`() throws {
        try record(trace: [
            #"{"t":500000,"p":"server#1","e":"process.started"}"#, #"{"t":600000,"p":"main#2","e":"process.started"}"#,
            #"{"t":700000,"p":"stranger#1","e":"process.started","op":"1","f":{"pid":7}}"#,
        ])
        let timeline = try timeline()
        #expect(timeline["lanes"]?.arrayValue?.map { $0["name"] } == ["steps", "phone", "main", "server", "stranger"])
        #expect(
            timeline["lanes"]?.arrayValue?.map { $0["device"] } == ["scenario", "phone", "phone", "server", "other"])
        #expect(timeline["events"]?["lane"] == [3, 2, 4])
        #expect(timeline["events"]?["inc"] == [1, 2, 1])
        let texts = try #require(timeline["texts"]?.arrayValue)
        // Repeated values of events are written once.
        #expect(texts == ["process.started", "", "1", #"{"pid":7}"#])
        #expect(timeline["events"]?["name"] == [0, 0, 0])
        #expect(timeline["events"]?["op"] == [-1, -1, 2])
        #expect(timeline["events"]?["fields"] == [1, 1, 3])
    }

    @Test func `Events that were handed on are not handed on again, nor are their texts`() throws {
        var events = TimelineEvents(lanes: [TimelineEvents.Lane(name: "main", device: "phone")])
        #expect(events.earliest == nil)
        let empty = events.drained(since: 0)
        #expect(empty?["lanes"] == [["name": "main", "device": "phone"]], "also without an event")
        func event(_ time: UInt64, _ process: String, _ name: TraceEventName, operation: String? = nil) -> TraceEvent {
            TraceEvent(time: time, process: process, incarnation: 2, name: name, operation: operation)
        }
        events.add(event(3_499, "main", .processStarted, operation: "1"))
        events.add(event(2_000, "other", .processStarted))
        events.add(event(3_500, "main", .processReady))
        #expect(events.earliest == 2_000)
        let drained = events.drained(since: 2_000)
        let first = try #require(drained)
        #expect(first["lanes"]?[1] == ["name": "other", "device": "other"])
        #expect(first["texts"] == ["process.started", "1", "", "process.ready"])
        #expect(
            first["events"] == [
                "t": [0, 1, 2], "lane": [1, 0, 0], "inc": [2, 2, 2], "name": [0, 0, 3], "op": [-1, 1, -1],
                "fields": [2, 2, 2],
            ])
        let rest = events.drained(since: 2_000)
        #expect(rest == nil)
        events.add(event(1_000, "main", .processEnded))
        let more = events.drained(since: 2_000)
        let second = try #require(more)
        #expect(second["texts"] == ["process.ended"] && second["events"]?["name"] == [4])
        #expect(second["events"]?["t"] == [0], "what came before the beginning is at it")
    }

    @Test(.verifies("size", "ScenarioTimeline.longestLog"))
    func `Only the end of a long log is kept, and only logs of interest`() throws {
        try record()
        try Files.write(
            Data((String(repeating: "a", count: 20_000) + "end").utf8), to: "\(scenario)/logs/main#1.stderr")
        #expect(try timeline(.brief)["logs"] == [])
        let log = try #require(try timeline()["logs"]?[0])
        #expect(log["name"] == "main#1.stderr")
        #expect(log["text"]?.stringValue?.utf8.count == 16_384)
        #expect(log["text"]?.stringValue?.hasSuffix("end") == true)
    }

    @Test(.verifies("size", "ScenarioTimeline.longestText"), arguments: [119, 120, 121])
    func `In brief, a longer text of a request is cut, with the size of the whole`(length: Int) throws {
        try record()
        let text = String(repeating: "k", count: length)
        let requests: JSONValue = [["body": ["key": .string(text), "old": .string("\(text)\(text)… (5000 bytes)")]]]
        try Files.write(requests.encoded(), to: "\(scenario)/\(ScenarioTraffic.fileName)")
        #expect(try timeline()["requests"] == requests)
        let body = try #require(try timeline(.brief)["requests"]?[0]?["body"])
        let start = String(repeating: "k", count: 120)
        #expect(body["key"]?.stringValue == (length > 120 ? "\(start)… (\(length) bytes)" : text))
        #expect(body["old"]?.stringValue == "\(start)… (5000 bytes)")
    }

    @Test func `Of several scenarios, those that passed are brief; one alone is whole`() throws {
        try record()
        let requests: JSONValue = [["body": ["key": .string(String(repeating: "k", count: 500))]]]
        try Files.write(requests.encoded(), to: "\(scenario)/\(ScenarioTraffic.fileName)")
        func keys(_ verdicts: [Verdict]) throws -> [Int] {
            let results = verdicts.map { verdict in
                var result = ScenarioResult.sample(verdict)
                result.directory = scenario
                return result
            }
            let report = JSONReport(seed: 1, seconds: 2, results: results)
            var page = PageReport(runs: [.init(label: "", report: report)])
            page.isCompressed = false
            return try written(page).matches(of: /k{100,}/).map(\.output.count)
        }
        #expect(try keys([.passed]) == [500])
        #expect(try keys([.passed, .failed]) == [120, 500])
    }

    @Test func `The record survives a round trip through the page, and cannot end its script block`() throws {
        try record(trace: [#"{"t":500000,"p":"main#1","e":"command.started","f":{"command":"</script><b>"}}"#])
        var result = ScenarioResult.sample(.failed)
        result.name = "</script><!-- <b>"
        result.directory = scenario
        let page = PageReport(runs: [.init(label: "", report: JSONReport(seed: .max, seconds: 2, results: [result]))])
        let text = try written(page)
        let blocks = text.matches(
            of: /<script type="application\/json" id="([^"]*)">(.*?)<\/script>/.dotMatchesNewlines())
        #expect(blocks.map { String($0.1) } == ["run", "timeline-0"])
        let run = try JSONValue.parse(Data(blocks[0].2.utf8))
        #expect(run["results"]?[0]?["name"] == "</script><!-- <b>")
        // A browser's numbers have 53 bits.
        #expect(run["results"]?[0]?["seed"]?.stringValue != nil)
        #expect(run["runs"]?[0]?["seed"] == .string(String(UInt64.max)))
        #expect(run["meanings"]?["lock.taken"]?.stringValue?.isEmpty == false)
        let timeline = try JSONValue.parse(Data(blocks[1].2.utf8))
        #expect(timeline["texts"]?.arrayValue?.contains(#"{"command":"</script><b>"}"#) == true)
        #expect(!text.contains("{{"), "every place of the page is filled")
        #expect(text.components(separatedBy: "</script>").count == 4)
        #expect(text.contains("default-src 'none'"))
    }

    @Test func `A long timeline is compressed on the page, a short overview is not; in a picture neither is`() throws {
        let line = #"{"t":500000,"p":"main#1","e":"command.started","f":{"command":"login"}}"#
        try record(trace: Array(repeating: line, count: 5_000))
        var result = ScenarioResult.sample(.passed)
        result.directory = scenario
        result.remark = String(repeating: "long ", count: 5_000)
        var page = PageReport(runs: [.init(label: "", report: JSONReport(seed: 1, seconds: 2, results: [result]))])
        let text = try written(page)
        #expect(text.contains(#"<script type="application/json" id="run">"#))
        #expect(text.contains(#"<script type="application/zlib" id="timeline-0">"#))
        let clear = try ReportPageText.read(directory.file("page.html"))
        #expect(clear.contains(#"{\"command\":\"login\"}"#))
        #expect(clear.utf8.count > text.utf8.count + 20_000)
        page.isCompressed = false
        #expect(try written(page).contains(#"<script type="application/json" id="timeline-0">"#))
    }

    @Test(.verifies("size", "PageReport.longestPlainOverview"))
    func `The overview of many scenarios is compressed, but not in a picture`() throws {
        var result = ScenarioResult.sample(.passed)
        result.remark = String(repeating: "long ", count: 20_000)
        var page = PageReport(runs: [.init(label: "", report: JSONReport(seed: 1, seconds: 2, results: [result]))])
        #expect(try written(page).contains(#"<script type="application/zlib" id="run">"#))
        page.isCompressed = false
        #expect(try written(page).contains(#"<script type="application/json" id="run">"#))
    }

    @Test func `It shows how often each of its scenarios passed in the kept runs`() throws {
        let results = [ScenarioResult.sample(.failed, id: "a.yaml"), ScenarioResult.sample(.passed, id: "b.yaml")]
        func run(_ results: [ScenarioResult]) -> RecordedRuns.Run {
            .init(directory: "/runs/20260301-093001-1a2b", report: JSONReport(seed: 1, seconds: 1, results: results))
        }
        let kept = RunHistory([run(results), run([ScenarioResult.sample(.passed, id: "a.yaml")])])
        let shown = PageReport(
            runs: [.init(label: "", report: JSONReport(seed: 1, seconds: 1, results: [results[0]]))], kept: kept)
        let text = try written(shown)
        let block = try #require(text.firstMatch(of: /id="run">(.*?)<\/script>/.dotMatchesNewlines())).1
        let overview = try JSONValue.parse(Data(block.utf8))
        #expect(overview["kept"] == ["a.yaml": ["passed": 1, "rounds": 2]])
    }

    @Test func `A result without a record is on the page without a timeline`() throws {
        var result = ScenarioResult.sample(.passed)
        result.directory = "\(directory.path)/elsewhere"
        let page = PageReport(runs: [.init(label: "", report: JSONReport(seed: 1, seconds: 2, results: [result]))])
        let text = try written(page)
        #expect(text.contains("id=\"run\""))
        #expect(!text.contains("id=\"timeline-0\""))
    }

    @Test func `The address of a result opens it in a browser, for any identifier and folder name`() {
        var result = ScenarioResult.sample(.failed)
        result.id = "a b/c&d.yaml[x]~2"
        #expect(
            PageReport.address(of: result, on: "/runs #1/index.html")
                == "file:///runs%20%231/index.html#s=a%20b/c%26d.yaml[x]~2")
    }

    @Test func `A page is written only into a directory, which is created if needed`() throws {
        let workspace = directory.path
        func check(_ path: String) throws { _ = try ReportFile(.init(format: .html, path: path), inputs: []) }
        try check("\(workspace)/new")
        #expect(Files.isDirectory("\(workspace)/new"))
        try check("\(workspace)/new")
        try Files.touch("\(workspace)/file")
        for (path, reason) in [
            ("\(workspace)/file", "a page goes into a directory"), ("\(workspace)/none/deep", "there is no directory"),
            ("-", "not to a descriptor"),
        ] {
            let error = #expect(throws: BadUsage.self) { try check(path) }
            #expect(error?.description.contains(reason) == true, "\(path): \(String(describing: error))")
        }
    }
}
