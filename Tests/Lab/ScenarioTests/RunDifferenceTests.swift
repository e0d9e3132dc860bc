// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabReports
@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Comparing two recorded runs", .endsInTime)
struct RunDifferenceTests {
    private static func started(_ step: String, at time: UInt64, title: String) -> HistoryEvent {
        HistoryEvent(time: time, step: step, .stepStarted(.init(title: title, sentence: nil), nil))
    }

    private static func answered(_ step: String, at time: UInt64, _ answer: JSONValue) -> HistoryEvent {
        let outcome = ActorSession.Outcome(answer: .success(answer), interval: nil)
        return HistoryEvent(time: time, step: step, .command(.init(of: "main", "x", ended: outcome)))
    }

    private static func passed(_ step: String, at time: UInt64) -> HistoryEvent {
        HistoryEvent(time: time, step: step, .stepFinished(isFine: true))
    }

    private static func history(answer: JSONValue = true) -> [HistoryEvent] {
        [
            started("1", at: 100, title: "main: hasValidActivation"), answered("1", at: 190, answer),
            passed("1", at: 200), started("2", at: 200, title: "main: fetchActivationStatus"), passed("2", at: 300),
        ]
    }

    private static func event(
        _ time: UInt64, _ name: TraceEventName, step: String? = "1", _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(time: time, process: "main", name: name, operation: step, fields: fields)
    }

    private static let events = [
        event(110, .commandStarted, ["command": "hasValidActivation"]), event(120, .lockTaken, ["lock": "status"]),
        event(130, .httpRequest, ["path": "/pa/v3/activation/status"]),
        event(140, .httpResponse, ["path": "/pa/v3/activation/status", "status": 200]),
        event(150, .lockReleased, ["lock": "status"]), event(160, .commandFinished, ["command": "hasValidActivation"]),
        event(210, .commandStarted, step: "2", ["command": "fetchActivationStatus"]),
    ]

    private func lines(_ first: [TraceEvent], _ second: [TraceEvent], answer: JSONValue = true) -> [String] {
        RunDifference.lines(
            ComparableRun(history: Self.history(), events: first),
            ComparableRun(history: Self.history(answer: answer), events: second))
    }

    @Test func `Times, identifiers, process numbers, key lengths and thread interleaving make no difference`() {
        let identified =
            Self.events + [
                Self.event(
                    170, .stateSaved, ["id": "6f1b0c3e-aa01", "pid": 17, "port": 4711, "bytes": 287, "counter": 3])
            ]
        let later = Self.events.enumerated().map { offset, event in
            // The lock is released by another thread, after the command's end.
            Self.event(
                event.time + (event.name == .lockReleased ? 15 : 3), event.name,
                step: offset == 3 ? nil : event.operation, event.fields)
        }
        let again =
            later + [
                Self.event(90, .processReady, step: nil), Self.event(175, .lockRequested, ["lock": "status"]),
                Self.event(
                    178, .stateSaved, ["id": "0b1d44aa-0002", "pid": 9, "port": 4712, "bytes": 271, "counter": 3]),
                // How the process is ended, after the last step.
                Self.event(310, .stateSaved, step: nil, ["counter": 4]),
            ]
        #expect(lines(identified, again) == [])
    }

    @Test func `An app that still starts during the first step makes no difference, but a restarted one does`() {
        func started(at time: UInt64, incarnation: Int) -> [TraceEvent] {
            [
                TraceEvent(
                    time: time, process: "main", incarnation: incarnation, name: .sessionState, operation: nil,
                    fields: ["paired": false]),
                TraceEvent(
                    time: time + 4, process: "main", incarnation: incarnation, name: .processReady, operation: nil,
                    fields: [:]),
            ]
        }
        let (before, within) = (started(at: 90, incarnation: 1), started(at: 101, incarnation: 1))
        #expect(lines(before + Self.events, within + Self.events) == [])
        #expect(lines(Self.events, Self.events + started(at: 220, incarnation: 2)).first == "  main#2 parts at 1:")
    }

    @Test func `Identifiers and keys make no difference within a text, but other words do`() {
        func told(_ first: String, _ second: String) -> [String] {
            let courses = [first, second].map { text in
                ComparableRun(history: Self.history(answer: .string(text)), events: [])
            }
            return RunDifference.lines(courses[0], courses[1])
        }
        let header = "PowerAuth pa_version=\"3.3\", pa_activation_id=\"%\", pa_nonce=\"kYjz+BB8Y0ZFabxSWbWovY==\""
        #expect(
            told(
                header.replacing("%", with: "cbd57140-b21d-46dc-9e2f-47ee7cdae3ec"),
                header.replacing("%", with: "36f78acc-aa7a-4ef6-b6e9-bcbb1582ed85").replacing("kYjz", with: "ab0q"))
                == [])
        #expect(
            told(header, header.replacing("kYjz+BB8Y0ZFabxSWbWovY==", with: "kYjz+0a1b2c3d0ZFabxSWb==")) == [],
            "eight hexadecimal digits of a key are no identifier")
        #expect(told("/operations/6f1b0c3e", "/operations/0b1d44aa") == [])
        #expect(
            told(
                "/operationDetail/cbd57140-b21d-46dc-9e2f-47ee7cdae3ec",
                "/operationReject/36f78acc-aa7a-4ef6-b6e9-bcbb1582ed85") != [])
        #expect(told("VVVVV-VVVVV-VVVVV-VTFVA", "ABCDE-23456-VVVVV-VTFVA") == [])
        #expect(told("/pa/v3/activation/status", "/pa/v3/activation/remove") != [])
        #expect(told("state ACTIVE", "state BLOCKED") != [])
    }

    @Test(.verifies("size", "RunDifference.longestLine"))
    func `An entry is shown up to 160 characters, and a longer one is cut there`() {
        var lengths: Set<Int> = []
        for count in 1...200 {
            let answer = String(repeating: "x ", count: count / 2) + (count.isMultiple(of: 2) ? "" : "y")
            let shown = lines(Self.events, Self.events, answer: .string(answer)).filter { $0.hasPrefix("  +") }
            for line in shown {
                lengths.insert(line.count)
                #expect(line.count <= 160)
                #expect(line.hasSuffix("…") == (line.count == 160 && !line.contains(answer)), "\(line)")
            }
        }
        #expect(lengths.isSuperset(of: 100...160))
    }

    @Test(.verifies("size", "RunDifference.context"))
    func `The first difference of each process is shown with two lines before it`() {
        var other = Self.events
        other[3] = Self.event(140, .httpResponse, ["path": "/pa/v3/activation/status", "status": 503])
        #expect(
            lines(Self.events, other, answer: false) == [
                "  main#1 parts at 4:",
                #"       2  step 1 command.finished command="hasValidActivation""#,
                #"       3  step 1 http.request path="/pa/v3/activation/status""#,
                #"  -    4  step 1 http.response path="/pa/v3/activation/status" status=200"#,
                #"  -    5  step 1 lock.taken lock="status""#, #"  -    6  step 1 lock.released lock="status""#,
                #"  +    4  step 1 http.response path="/pa/v3/activation/status" status=503"#,
                #"  +    5  step 1 lock.taken lock="status""#, #"  +    6  step 1 lock.released lock="status""#,
                "  the steps part at 2:", "       1  step 1 main: hasValidActivation", "  -    2  step 1 answers true",
                "  -    3  step 1 ends as expected", "  -    4  step 2 main: fetchActivationStatus",
                "  +    2  step 1 answers false", "  +    3  step 1 ends as expected",
                "  +    4  step 2 main: fetchActivationStatus",
            ])
    }

    @Test func `A process with fewer entries than in the other run differs at its end`() {
        let told = lines(Self.events, Array(Self.events.dropLast()))
        #expect(told.first == "  main#1 parts at 7:")
        #expect(told.last == "  +       nothing more", "\(told)")
    }

    @Test func `A retried step makes no difference between two and three attempts`() {
        func course(_ attempts: UInt64) -> ComparableRun {
            let tries = (0..<attempts).map { Self.answered("1", at: 150 + $0, false) }
            let events = (0..<attempts).flatMap { attempt in
                Self.events.prefix(6).map { Self.event($0.time + attempt, $0.name, $0.fields) }
            }
            return ComparableRun(
                history: [Self.started("1", at: 100, title: "eventually")] + tries + [Self.passed("1", at: 300)],
                events: events.sorted { $0.time < $1.time })
        }
        #expect(RunDifference.lines(course(2), course(3)) == [])
    }

    /// One scenario of a run, or one round of it.
    private struct Played {
        var verdict = Verdict.passed
        var id = "a.yaml"
        var round = 1
        /// What its first step answered.
        var answer: JSONValue = true
    }

    /// Writes the record of a run.
    private func write(_ id: String, _ played: [Played], into records: String) throws {
        let results = try played.enumerated().map { offset, played in
            let directory = "\(records)/runs/\(id)/\(offset)"
            try Files.createDirectory("\(directory)/traces")
            try Self.history(answer: played.answer).write(to: directory)
            var result = ScenarioResult.sample(played.verdict, id: played.id)
            result.round = played.round
            if played.round > 1 { result.id += "~\(played.round)" }
            result.directory = directory
            return result
        }
        try Files.write(
            try JSONReport(seed: 1, seconds: 1, results: results).rendered(), to: "\(records)/runs/\(id)/report.json")
    }

    @Test func `Runs are compared scenario by scenario; a missing run or scenario is an error`() throws {
        let temporary = try TemporaryDirectory()
        let records = temporary.file(".lab")
        let ids = (1...3).map { "2026010\($0)-100000-aaaa" }
        try write(ids[0], [Played()], into: records)
        try write(ids[1], [Played()], into: records)
        try write(ids[2], [Played(verdict: .failed, answer: false)], into: records)
        let runs = RecordedRuns(records: records)
        let same = try runs.difference(of: ids[0], and: ids[1], in: nil)
        #expect(same.isSame)
        #expect(same.text == "- \(ids[0])\n+ \(ids[1])\n\na.yaml: the same in both\n")
        let different = try runs.difference(of: ids[0], and: ids[2], in: nil)
        #expect(!different.isSame)
        #expect(different.text.contains("\na.yaml: passed, then failed\n  the steps part at 2:\n"), "\(different.text)")
        #expect(throws: BadUsage.self) { try runs.difference(of: ids[0], and: ids[0], in: nil) }
        #expect(throws: BadUsage.self) { try runs.difference(of: ids[0], and: "20260109-100000-aaaa", in: nil) }
        #expect(throws: BadUsage.self) {
            try runs.difference(of: ids[0], and: ids[1], in: temporary.file("b.yaml"))
        }
    }

    @Test func `One differing scenario is a difference, and the round that did not pass is compared`() throws {
        let temporary = try TemporaryDirectory()
        let records = temporary.file(".lab")
        let ids = ["20260101-100000-aaaa", "20260102-100000-aaaa"]
        try write(ids[0], [Played(), Played(id: "b.yaml")], into: records)
        let flaky = [
            Played(round: 3, answer: 2), Played(round: 1), Played(verdict: .failed, round: 2, answer: false),
            Played(id: "b.yaml"),
        ]
        try write(ids[1], flaky, into: records)
        let difference = try RecordedRuns(records: records).difference(of: ids[0], and: ids[1], in: nil)
        #expect(!difference.isSame)
        #expect(difference.text.contains("\na.yaml: passed, then failed\n"), "\(difference.text)")
        #expect(difference.text.contains("step 1 answers false"), "\(difference.text)")
        #expect(difference.text.contains("\nb.yaml: the same in both\n"), "\(difference.text)")
        let chosen = try RecordedRuns(records: records)
            .difference(of: ids[0], and: ids[1], in: temporary.file("b.yaml"))
        #expect(chosen.isSame && !chosen.text.contains("a.yaml"), "\(chosen.text)")
    }

    @Test func `The newest kept run that passed a scenario is found; a run that did not pass it is ignored`() throws {
        let temporary = try TemporaryDirectory()
        let records = temporary.file(".lab")
        let ids = (1...3).map { "2026010\($0)-100000-aaaa" }
        for (id, verdict) in zip(ids, [Verdict.passed, .passed, .failed]) {
            try write(id, [Played(verdict: verdict)], into: records)
        }
        let earlier = LastPassingRuns(in: records)
        #expect(earlier.lastRun(passing: "a.yaml") == ids[1])
        #expect(earlier.lastRun(passing: "b.yaml") == nil)
        var failure = try #require(ScenarioResult.sample(.failed).failures.first)
        failure.passed = EarlierPass(run: ids[1], comparison: "lab diff \(ids[1]) latest a.yaml")
        let text = FailureText(isColoured: false).render(failure)
        #expect(
            text.hasSuffix(
                "  it passed in \(ids[1]): lab diff \(ids[1]) latest a.yaml\n    run it again: lab run b.yaml --seed 7"),
            "\(text)")
    }
}
