// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabControl
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

@Suite("The report of a stress round says what happened and which rules hold", .endsInTime)
struct StressReportTests {
    /// Reports the given finding.
    private struct Given: Checker {
        let name: String
        let rule = "What is given holds."
        var finding = Finding()

        func check(_ history: RecordedHistory, _ budget: inout Budget) -> Finding { finding }
    }

    private static func event(
        _ second: UInt64, _ process: String, _ name: TraceEventName, operation: String? = nil, incarnation: Int = 1,
        _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(
            time: second * 1_000_000_000, process: process, incarnation: incarnation, name: name,
            operation: operation, fields: fields)
    }

    private static func call(_ second: UInt64, _ action: StressAction, _ outcome: String?) -> [TraceEvent] {
        let fields: [String: JSONValue] = ["peer": "app1", "incarnation": 1, "call": .string(action.rawValue)]
        let begin = event(second, "stress", .callInvoked, operation: "app1/\(second)", fields)
        guard let outcome else { return [begin] }
        let ended = fields.merging(["outcome": .string(outcome)]) { $1 }
        return [begin, event(second, "stress", .callCompleted, operation: "app1/\(second)", ended)]
    }

    private static let history = RecordedHistory(
        call(10, .activate, "done") + call(11, .status, "notDone") + call(12, .tokenHeader, nil) + [
            event(12, "app1", .faultFired, ["action": "kill", "point": "state.save"]),
            event(12, "app2", .faultFired, ["action": "kill", "point": "state.save"]),
            event(12, "app2", .faultFired, ["action": "delay", "point": "http.responseReceived"]),
            event(12, "stress", .deathWanted, ["how": "kill"]), event(12, "stress", .deathWanted, ["how": "relaunch"]),
            event(13, "phone", .processSuspended), event(13, "phone", .processSuspended),
            event(13, "app1", .processStarted), event(13, "app1", .processStarted, incarnation: 2),
        ])

    private static func outcome(_ checkers: [Given]) -> StressRound.Outcome {
        StressRound.Outcome(history: history, examination: Examination(history, by: checkers))
    }

    @Test func `Calls and faults are counted, and what never happened is listed`() {
        let text = StressReport(isColoured: false).render(
            Self.outcome([Given(name: "a", finding: Finding(examined: 3)), Given(name: "b")]), title: "round 1")
        let lines = text.split(separator: "\n").map(String.init)
        let rows = StressAction.allCases.count
        #expect(
            lines.prefix(4) == [
                "✓ round 1", "  3 calls, 1 a second",
                "                              done  not done   unknown",
                "    activate                     1         0         0",
            ])
        #expect(lines.contains("    status                       0         1         0"))
        #expect(lines.contains("    tokenHeader                  0         0         1"))
        let points = StressAction.allFaultPoints
        let actions = StressAction.allCases.filter { $0 != .activate }.map(\.rawValue)
        let missing = actions + points.filter { $0 != .stateSave }.map { "kill at \($0)" }
        #expect(
            lines.dropFirst(3 + rows) == [
                "  2 kills at 1 of \(points.count) fault points, 1 at any moment, 1 answers held back, 2 suspensions, 1 launches",
                "  never happened: \(missing.joined(separator: ", "))",
                "  ✓ a: What is given holds.  3 times", "  ✓ b: What is given holds.  nothing to judge",
            ])
    }

    @Test func `A round without any event lacks everything, and has no rate`() {
        let tally = StressTally(RecordedHistory([]))
        #expect(tally.total == 0 && tally.seconds == 0)
        #expect(
            tally.missing == StressAction.allCases.map(\.rawValue)
                + StressAction.allFaultPoints.map { "kill at \($0)" }
                + ["kill at any moment", "answer that is held back", "suspension"])
        let empty = RecordedHistory([])
        let text = StressReport(isColoured: false).render(
            StressRound.Outcome(history: empty, examination: Examination(empty, by: [])), title: "t")
        #expect(text.hasPrefix("✓ t\n  0 calls\n"), "\(text)")
    }

    @Test func `A broken rule shows its shortest excerpt, an open one its reason; a quiet report nothing else`() {
        let breaches = [
            Breach("It is\nlong.", [Self.event(1, "app1", .log), Self.event(3, "app2", .log)]),
            Breach("It is\nshort.", [Self.event(1, "app1", .stateSaved)]),
        ]
        let outcome = Self.outcome([
            Given(name: "a", finding: Finding(examined: 3)), Given(name: "b", finding: Finding(breaches: breaches)),
            Given(name: "c", finding: Finding(gap: "it is cut off")),
            Given(name: "d", finding: Finding(breaches: [breaches[1]])),
        ])
        let report = StressReport(isColoured: false)
        let short = "It is\nshort.".onOneVisibleLine
        let excerpt = ["              ms  app1#1", "           0.000  state.saved"]
        var lines = ["✗ t", "  ✗ b: What is given holds.", "      \(short) (the shortest of 2 places)"]
        lines += excerpt
        lines += ["  ? c: What is given holds.", "      not known: it is cut off"]
        lines += ["  ✗ d: What is given holds.", "      \(short)"]
        lines += excerpt
        #expect(report.render(outcome, title: "t", isQuiet: true) == lines.map { $0 + "\n" }.joined())
        #expect(report.render(outcome, title: "t").contains("  ✓ a: What is given holds.  3 times\n  ✗ b: "))
        let fine = Self.outcome([Given(name: "a", finding: Finding(examined: 3))])
        #expect(report.render(fine, title: "t", isQuiet: true) == "")
        let open = Self.outcome([Given(name: "c", finding: Finding(gap: "g"))])
        #expect(report.render(open, title: "t", isQuiet: true).hasPrefix("? t\n"))
    }

    @Test func `Colours are those of verdicts everywhere`() {
        let report = StressReport(isColoured: true)
        func head(_ finding: Finding) -> String {
            String(report.render(Self.outcome([Given(name: "a", finding: finding)]), title: "t").prefix { $0 != "t" })
        }
        #expect(head(Finding()) == "\u{1B}[32m✓\u{1B}[0m ")
        #expect(head(Finding(breaches: [Breach("b", [])])) == "\u{1B}[31m✗\u{1B}[0m ")
        #expect(head(Finding(gap: "g")) == "\u{1B}[33m?\u{1B}[0m ")
    }

    // MARK: Records

    @Test func `A record is the directory of a run or of a round with the traces of a driver`() throws {
        let directory = try TemporaryDirectory()
        func isRecord(_ path: String) -> Bool { RecordedStress(at: directory.file(path)) != nil }
        for round in ["run/round-1", "run/round-2", "other/round-x", "other/xround-1"] {
            try Files.createDirectory(directory.file("\(round)/traces"))
            let writer = try TraceWriter(
                directory: directory.file("\(round)/traces"), process: StressRound.driver, incarnation: 1)
            writer.emit(.stressEnded, ["complaints": []])
        }
        try Files.createDirectory(directory.file("empty/round-1/traces"))
        #expect(isRecord("run") && isRecord("run/round-1"))
        for none in ["other", "empty", "missing", "run/round-1/traces"] { #expect(!isRecord(none), "\(none)") }
        var output: [String] = []
        let run = try #require(RecordedStress(at: directory.file("run")))
        let verdict = try run.check(look: .plain, print: { output.append($0) })
        #expect(verdict == .passed)
        #expect(output.map { String($0.prefix(9)) }.sorted() == ["✓ round-1", "✓ round-2"])
    }

    // MARK: Answers

    @Test func `After an error of the app nothing was done; after a lost answer that is not known`() {
        let open = [
            "peerDied", "timedOut", "interrupted", "networkError", "operationCancelled", "network_unknown",
            "network_generic", "network_timeOut", "network_noInternetConnection", "canceled",
        ]
        for name in open {
            #expect(StressAnswer(ControlError(domain: "lab", name: name, message: "")).outcome == .unknown, "\(name)")
        }
        for name in ["signatureError", "missingActivation", "biometryCancel", "notRunning"] {
            #expect(StressAnswer(ControlError(domain: "lab", name: name, message: "")).outcome == .notDone, "\(name)")
        }
        let lost = ControlError(domain: "NSURLErrorDomain", name: "cannotFindHost", message: "")
        #expect(StressAnswer(lost).outcome == .unknown)
        #expect(StressAnswer(lost).error == lost)
        #expect(StressAnswer(ControlError(domain: "lab", message: "")).outcome == .notDone)
        #expect(StressAnswer(LabFailure("It is broken.")).error?.message == "It is broken.")
        #expect(StressAnswer.done.outcome == .done && StressAnswer.needless.outcome == .notDone)
    }
}
