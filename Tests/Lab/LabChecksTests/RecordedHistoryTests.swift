// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

@Suite("The history of a run, as checkers see it", .endsInTime)
struct RecordedHistoryTests {
    private func event(
        _ time: UInt64, _ process: String = "app1", _ name: TraceEventName = .log, incarnation: Int = 1,
        _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(time: time, process: process, incarnation: incarnation, name: name, fields: fields)
    }

    @Test func `Checkers are reported in this order; those of scenarios need no calls and expect no outcome`() {
        #expect(
            SharingCheckers.all.map(\.name) == [
                "counters", "signatures", "exclusion", "order", "pending operations", "fresh state", "late answers",
                "tokens", "token order", "operation order", "password order", "failures", "deaths", "clean end",
            ])
        #expect(
            SharingCheckers.inScenarios.map(\.name) == [
                "counters", "exclusion", "order", "pending operations", "fresh state", "late answers",
            ])
        #expect(LinkCheckers.all.map(\.name) == ["transfers"])
    }

    @Test func `The checkers of scenarios see these events, and of logs only the report of a deadlock`() {
        let judged = TraceEventName.allCases.filter { SharingCheckers.judgeInScenarios(event(1, "app1", $0)) }
        #expect(
            judged.map(\.rawValue).sorted() == [
                "command.started", "counter.used", "disk.refused", "fault.fired", "keychain.deleted",
                "keychain.written", "lock.released", "lock.taken", "memory.created", "memory.opened",
                "operation.finished", "operation.started", "server.signature", "state.loaded", "state.saved",
            ])
        let report: [String: JSONValue] = ["message": "this can lead to interprocess deadlock."]
        #expect(SharingCheckers.judgeInScenarios(event(1, "app1", .log, report)))
        #expect(!SharingCheckers.judgeInScenarios(event(1, "app1", .log, ["message": "deadlock"])))
        #expect(!SharingCheckers.judgeInScenarios(event(1, "app1", .commandFinished, report)))
    }

    private static let statusService = "io.getlime.PowerAuthKeychain.StatusKeychain"

    /// The names of shared memory, the accounts of stored states, and whether that is one shared activation.
    private static let activations: [(memories: [String], accounts: [String], isOne: Bool)] = [
        ([], [], false), (["m"], [], true), (["m", "m"], ["a"], true), (["m", "n"], [], false), ([], ["a"], false),
        (["m"], ["a", "a"], true), (["m"], ["a", "b"], false), (["m"], ["a", "b.unusable"], true),
    ]

    @Test func `One shared activation has one shared memory, and one account at most`() {
        for (memories, accounts, isOne) in Self.activations {
            let events =
                memories.enumerated().map { index, name in
                    event(1, "app1", index == 0 ? .memoryCreated : .memoryOpened, ["name": .string(name)])
                }
                + accounts.map { account in
                    event(
                        2, "app1", .keychainWritten,
                        ["service": .string(Self.statusService), "account": .string(account)])
                }
            #expect(RecordedHistory(events).hasOneSharedActivation == isOne, "\(memories) \(accounts)")
        }
        let other = event(2, "app1", .keychainWritten, ["service": "another", "account": "b"])
        let memory = event(1, "app1", .memoryOpened, ["name": "m"])
        #expect(RecordedHistory([memory, other]).hasOneSharedActivation)
    }

    @Test func `Events are sorted by time, and those of one moment stay in their order`() {
        let history = RecordedHistory([event(2, "a"), event(1, "b"), event(2, "c"), event(1, "d")])
        #expect(history.events.map(\.process) == ["b", "d", "a", "c"])
        #expect(history.damage.isEmpty)
    }

    @Test func `A process lives until its last event; each of its starts counts by itself`() {
        let history = RecordedHistory([event(5), event(9), event(7, incarnation: 2), event(20, "app2")])
        let (first, second) = (RecordedHistory.Incarnation("app1", 1), RecordedHistory.Incarnation("app1", 2))
        #expect(history.lastEvent(of: first)?.time == 9)
        #expect(history.lives(first, after: 8))
        #expect(!history.lives(first, after: 9))
        #expect(history.lives(second, after: 6))
        #expect(!history.lives(second, after: 7))
        let unknown = RecordedHistory.Incarnation("app3", 1)
        #expect(history.lastEvent(of: unknown) == nil)
        #expect(!history.lives(unknown, after: 0))
        #expect("\(second)" == "app1#2")
        #expect(event(7, "x", incarnation: 4).incarnationOfProcess == RecordedHistory.Incarnation("x", 4))
    }

    @Test func `A call needs an operation, a process and a name; of two answers the first one counts`() {
        let whole: [String: JSONValue] = ["peer": "app1", "incarnation": 3, "call": "status"]
        func call(_ fields: [String: JSONValue], operation: String? = "1") -> [RecordedCall] {
            RecordedHistory([
                TraceEvent(time: 1, process: "stress", name: .callInvoked, operation: operation, fields: fields),
                TraceEvent(
                    time: 2, process: "stress", name: .callCompleted, operation: "1",
                    fields: [
                        "outcome": "done", "found": false, "activationId": "A", "tokenIdentifier": "t", "password": 0,
                        "newPassword": 2,
                    ]),
                TraceEvent(
                    time: 3, process: "stress", name: .callCompleted, operation: "1",
                    fields: ["outcome": "notDone", "found": true]),
                TraceEvent(time: 4, process: "stress", name: .callCompleted, operation: "2"),
            ]).calls
        }
        #expect(call(whole).map(\.operation) == ["1"])
        #expect(call(whole).map(\.incarnation.description) == ["app1#3"])
        #expect(call(whole).map(\.call) == ["status"])
        #expect(call(whole).map(\.outcome) == [.done])
        #expect(call(whole).map(\.found) == [false])
        #expect(call(whole).map(\.completed?.time) == [2])
        #expect(call(whole).map(\.activationId) == ["A"])
        #expect(call(whole).map(\.tokenIdentifier) == ["t"])
        #expect(call(whole).map(\.password) == [0])
        #expect(call(whole).map(\.newPassword) == [2])
        #expect(call(whole, operation: "2").map(\.outcome) == [.unknown])
        #expect(call(whole, operation: nil).isEmpty)
        for name in whole.keys { #expect(call(whole.filter { $0.key != name }).isEmpty, "without \(name)") }
    }
}
