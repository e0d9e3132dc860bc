// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@Suite("The checker framework", .endsInTime)
struct ExaminationTests {
    /// Reports the given finding.
    private struct Given: Checker {
        let name = "given"
        let rule = "What is given holds."
        var finding = Finding()
        var spends = 0

        func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
            for _ in 0..<spends { try budget.spend() }
            return finding
        }
    }

    private func event(_ time: UInt64, _ process: String = "app1") -> TraceEvent {
        TraceEvent(time: time, process: process, name: .lockTaken, fields: ["lock": "status"])
    }

    @Test func `Every rule is a sentence, and checker names are unique`() {
        let checkers = SharingCheckers.all
        #expect(Set(checkers.map(\.name)).count == checkers.count)
        #expect(checkers.allSatisfy { $0.rule.hasSuffix(".") && !$0.rule.dropLast().contains(". ") })
    }

    @Test
    func `A damaged trace line makes every rule inconclusive, even a broken one, and its place is named`() throws {
        let directory = try TemporaryDirectory()
        let good = String(decoding: event(1).json.encoded(), as: UTF8.self)
        try Files.write(Data("\(good)\nno event\n\(good)\n{\n\(good)".utf8), to: directory.file("app1#1.jsonl"))
        let history = try RecordedHistory(traces: directory.path)
        #expect(history.events.count == 2, "the last line is torn, and no damage")
        let open = Examination(history, by: [Given()])
        #expect(open.verdict == .inconclusive)
        #expect(
            open.results.map(\.openBecause) == [
                "the trace is damaged: app1#1.jsonl:2 and 1 more lines cannot be read"
            ])
        let broken = Given(finding: Finding(breaches: [Breach("far", [event(1)])], examined: 1))
        #expect(Examination(history, by: [broken]).verdict == .inconclusive)
    }

    @Test func `The breach with the fewest events is reported; among those, the one whose events are closest`() {
        let finding = Finding(
            breaches: [
                Breach("far", [event(1), event(100)]), Breach("near", [event(1), event(2)]),
                Breach("long", [event(1), event(2), event(3)]),
            ], examined: 3)
        let result = Examination(RecordedHistory([]), by: [Given(finding: finding)]).results[0]
        #expect(result.breach?.sentence == "near")
        #expect(result.breaches == 3)
        #expect(result.verdict == .failed)
    }

    @Test(.verifies("size", "Breach.longestExcerpt")) func `An excerpt has at most twenty events, in order of time`() {
        let breach = Breach("", (1...30).map { event(UInt64(31 - $0)) })
        #expect(breach.excerpt.map(\.time) == Array(11...30))
    }

    @Test func `A reached limit makes the verdict inconclusive and is reported; a found breach takes precedence`() {
        var limits = Examination.Limits()
        limits.events = 1
        let long = Examination(RecordedHistory([event(1), event(2)]), by: [Given()], limits: limits)
        #expect(long.verdict == .inconclusive)
        #expect(long.results[0].openBecause == "the history has 2 events, and 1 are the limit")

        limits = Examination.Limits()
        limits.seconds = 0
        let slow = Examination(RecordedHistory([]), by: [Given(spends: 10_000)], limits: limits)
        #expect(slow.verdict == .inconclusive)
        #expect(slow.results[0].openBecause == "the search took longer than 0 s")

        let gap = Examination(RecordedHistory([]), by: [Given(finding: Finding(gap: "it is cut off"))])
        #expect(gap.verdict == .inconclusive)
        let breach = Finding(breaches: [Breach("", [])], gap: "it is cut off")
        #expect(Examination(RecordedHistory([]), by: [Given(), Given(finding: breach)]).verdict == .failed)
    }

    @Test func `Calls are joined with their answers; the outcome of a call without an answer is unknown`() throws {
        var history = WrittenHistory()
        history.call("app1#3", "requestToken", token: "cards", outcome: "notDone", error: "missingActivation")
        history.add("stress", .callInvoked, operation: "app2/9", ["peer": "app2", "incarnation": 1, "call": "status"])
        let calls = RecordedHistory(history.events).calls
        #expect(calls.map(\.incarnation.description) == ["app1#3", "app2#1"])
        #expect(calls.map(\.outcome) == [.notDone, .unknown])
        #expect(calls[0].error == "missingActivation")
        #expect(calls[0].token == "cards")
        #expect(calls[1].completed == nil)
    }

    @Test func `The record of a killed run is read up to its torn last line`() throws {
        let directory = try TemporaryDirectory()
        let lines =
            #"{"t":2,"p":"app1#1","e":"lock.taken","f":{"lock":"status"}}"# + "\n"
            + #"{"t":5,"p":"app1#1","e":"lock.rel"#
        try Files.write(Data(lines.utf8), to: directory.file("app1#1.jsonl"))
        let earlier = #"{"t":1,"p":"app2#1","e":"lock.taken","f":{"lock":"queue"}}"# + "\n"
        try Files.write(Data(earlier.utf8), to: directory.file("app2#1.jsonl"))
        let history = try RecordedHistory(traces: directory.path)
        #expect(history.events.map(\.process) == ["app2", "app1"])
    }

    @Test func `An excerpt has one column per process`() {
        let events = [
            event(5_000), event(1_005_000, "app2"),
            TraceEvent(time: 2_345_678, process: "app1", name: .lockReleased, fields: ["lock": "status"]),
        ]
        #expect(
            ExcerptTable(events).lines == [
                "        ms  app1#1                app2#1",
                "     0.000  lock.taken status",
                "     1.000                        lock.taken status",
                "     2.340  lock.released status",
            ])
        #expect(ExcerptTable([]).lines.isEmpty)
    }

    @Test func `Every field that distinguishes events is shown, in this order; other fields are not`() {
        let shown = [
            "lock", "peer", "call", "outcome", "error", "found", "tokenIdentifier", "password", "newPassword",
            "counter", "activation", "type", "valid", "failedAttempts", "name", "token", "how", "point", "signal",
            "status", "cause", "to", "complaints",
        ]
        var fields: [String: JSONValue] = ["activationId": "hidden", "service": "hidden", "bytes": 7]
        for (index, name) in shown.enumerated() { fields[name] = .string("v\(index)") }
        let event = TraceEvent(time: 1, process: "app1", incarnation: 2, name: .callCompleted, fields: fields)
        #expect(
            ExcerptTable([event]).lines == [
                "        ms  app1#2",
                "     0.000  call.completed " + shown.indices.map { "v\($0)" }.joined(separator: " "),
            ])
        let values: [String: JSONValue] = ["found": false, "counter": 3, "complaints": ["a"]]
        let times: [UInt64] = [0, 7_999, 1_050_000, 12_345_678_901_000]
        let lines = ExcerptTable(
            times.map { TraceEvent(time: 5 + $0, process: "app1", name: .log, fields: values) }
        ).lines
        #expect(
            lines.dropFirst() == [
                #"     0.000  log false 3 ["a"]"#, #"     0.007  log false 3 ["a"]"#, #"     1.050  log false 3 ["a"]"#,
                #"12345678.901  log false 3 ["a"]"#,
            ])
    }

    @Test func `The clock is asked at every 4096th event only, and a budget that is not spent ends nothing`() throws {
        var empty = Budget(seconds: 0)
        for _ in 1..<4096 { try empty.spend() }
        let error = #expect(throws: Budget.Exhausted.self) { try empty.spend() }
        #expect(error?.description == "the search took longer than 0 s")
        var ample = Budget(seconds: 600)
        for _ in 0..<10_000 { try ample.spend() }
    }

    @Test func `Every checker pays for each event, call and signature that it looks at`() throws {
        var written = WrittenHistory()
        for _ in 1...3 { written.add("server", .serverSignature, ["valid": true]) }
        for _ in 1...2 { written.call("app1", "status") }
        let history = RecordedHistory(written.events)
        try #require(history.events.count == 7 && history.calls.count == 2)
        /// Whether a budget lasts that has so much left when its time is over.
        func isEnough(_ rest: Int, for checker: any Checker) throws -> Bool {
            var budget = Budget(seconds: 0)
            for _ in 0..<(4095 - rest) { try budget.spend() }
            do {
                _ = try checker.check(history, &budget)
                return true
            } catch is Budget.Exhausted {
                return false
            }
        }
        // All others look at each event once.
        let prices = [
            "signatures": 7 + 3, "tokens": 7 + 2, "token order": 7 + 2, "operation order": 7 + 2,
            "password order": 7 + 2, "failures": 2, "clean end": 0,
        ]
        for checker in SharingCheckers.all + LinkCheckers.all {
            let price = prices[checker.name] ?? 7
            #expect(try isEnough(price, for: checker), "\(checker.name)")
            if price > 0 { #expect(try !isEnough(price - 1, for: checker), "\(checker.name)") }
        }
    }

    @Test func `A history may have as many events as the limit says; the usual limits are two million and a minute`() {
        let usual = Examination.Limits()
        #expect(usual.events == 2_000_000)
        #expect(usual.seconds == 60)
        var limits = usual
        limits.events = 2
        let finding = Finding(examined: 7)
        func examined(_ count: UInt64) -> Examination.Result {
            let history = RecordedHistory((1...count).map { event($0) })
            return Examination(history, by: [Given(finding: finding)], limits: limits).results[0]
        }
        #expect(examined(2).verdict == .passed && examined(2).examined == 7)
        #expect(examined(3).verdict == .inconclusive && examined(3).examined == 0)
    }

    @Test func `The worst verdict counts, and without a checker all is well`() {
        let findings = [
            Finding(examined: 1), Finding(gap: "it is cut off"), Finding(breaches: [Breach("b", [event(1)])]),
        ]
        let verdicts: [Examination.Verdict] = [.passed, .inconclusive, .failed]
        for count in 0...3 {
            let examination = Examination(RecordedHistory([]), by: findings.prefix(count).map { Given(finding: $0) })
            #expect(examination.results.map(\.verdict) == Array(verdicts.prefix(count)))
            let expected: [Examination.Verdict] = [.passed, .passed, .inconclusive, .failed]
            #expect(examination.verdict == expected[count])
            #expect(examination.results.allSatisfy { $0.name == "given" && $0.rule == "What is given holds." })
        }
    }
}
