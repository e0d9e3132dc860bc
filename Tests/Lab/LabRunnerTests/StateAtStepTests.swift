import Foundation
import LabKit
import TestSupport
import Testing

@testable import LabRunner

@Suite("The state at a moment of a recorded scenario", .endsInTime)
struct StateAtStepTests {
    private static let millisecond: UInt64 = 1_000_000

    /// A trace with an event every 10 ms, the first at 10 ms.
    private static func trace(
        _ events: [(process: String, name: TraceEventName, fields: [String: JSONValue])]
    ) -> [TraceEvent] {
        events.enumerated().map { index, event in
            TraceEvent(
                time: UInt64(index + 1) * 10 * millisecond, process: event.process, name: event.name,
                fields: event.fields)
        }
    }

    private static func lines(_ events: [TraceEvent], after count: Int) -> [String] {
        StateAtStep(events, until: UInt64(count) * 10 * millisecond).lines.dropFirst().map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test("A dying process releases its locks and requests, and leaves its operation")
    func death() {
        let events = Self.trace([
            ("main", .processStarted, ["pid": 7]),
            ("main", .lockRequested, ["lock": "status"]),
            ("main", .lockTaken, ["lock": "status"]),
            ("wallet", .lockRequested, ["lock": "status"]),
            ("main", .operationStarted, ["type": "activation", "application": "main"]),
            ("main", .httpRequest, ["path": "/pa/v3/activation/create", "method": "POST"]),
            ("phone", .processEnded, ["peer": "main", "incarnation": 1, "reason": "signal SIGKILL"]),
            ("main", .processStarted, ["pid": 8]),
        ])
        #expect(Self.lines(events, after: 2).contains("locks           main waits for the status lock, since 0.0 ms"))
        #expect(
            Self.lines(events, after: 6) == [
                "processes       main#1 runs (pid 7)",
                "locks           main holds the status lock, since 30.0 ms",
                "wallet waits for the status lock, since 20.0 ms",
                "operations      activation of main, since 10.0 ms",
                "requests        main waits for /pa/v3/activation/create, since 0.0 ms",
            ])
        #expect(
            Self.lines(events, after: 7) == [
                "processes       main#1 has ended: signal SIGKILL",
                "locks           wallet waits for the status lock, since 30.0 ms",
                "operations      activation of main, since 20.0 ms",
            ])
        #expect(Self.lines(events, after: 8).first == "processes       main#1 runs (pid 8)")
    }

    @Test("Stored state and server state are those of the moment")
    func stored() {
        let item: [String: JSONValue] = ["accessGroup": "group", "service": "tokens", "account": "balance"]
        let events = Self.trace([
            ("main", .stateSaved, ["bytes": 100, "counter": 3]),
            ("main", .tokenStored, ["name": "balance"]),
            ("main", .keychainWritten, item),
            ("server", .serverActivation, ["activationId": "a", "to": "ACTIVE"]),
            ("wallet", .keychainWritten, item),
            ("server", .serverActivation, ["activationId": "a", "to": "BLOCKED", "reason": "MAX_FAILED_ATTEMPTS"]),
            ("main", .tokenRemoved, ["name": "balance"]),
            ("wallet", .keychainDeleted, item),
            ("main", .stateRemoved, [:]),
        ])
        #expect(
            Self.lines(events, after: 4) == [
                "sessions        main: an activation, counter 3, token balance",
                "keychain        group tokens balance, written by main",
                "server          activation a is ACTIVE",
            ])
        #expect(
            Self.lines(events, after: 6).suffix(2) == [
                "keychain        group tokens balance, written by wallet",
                "server          activation a is BLOCKED (MAX_FAILED_ATTEMPTS)",
            ])
        #expect(Self.lines(events, after: 9).first == "sessions        main: no activation, counter 3")
        #expect(Self.lines(events, after: 9).count == 2)
    }

    @Test("A link is up if both ends say so, and a message is in transit until its sender is notified")
    func link() {
        let events = Self.trace([
            ("phone", .linkUp, ["link": "pairing"]),
            ("watch", .linkUp, ["link": "pairing"]),
            ("phone", .linkAccepted, ["link": "pairing", "kind": "transfer", "id": "1", "app": "main"]),
            ("phone", .linkAccepted, ["link": "pairing", "kind": "live", "id": "2", "app": "main"]),
            ("watch", .linkDown, ["link": "pairing"]),
            ("main", .linkTold, ["id": "1"]),
            ("clock", .clockChanged, ["offset": 1500, "frozen": true, "rate": 1]),
            ("watch", .deviceLocked, [:]),
        ])
        #expect(Self.lines(events, after: 1) == ["links           pairing is up for phone only"])
        #expect(Self.lines(events, after: 4) == ["links           pairing is up, 1 guaranteed message under way"])
        #expect(
            Self.lines(events, after: 8) == [
                "links           pairing is up for phone only", "devices         watch is locked",
                "clock           1.50 s ahead, stands still",
            ])
    }

    @Test("A moment is found by step number, by time, and by failure")
    func places() throws {
        let directory = try TemporaryDirectory()
        func write(_ fine: [Bool]) throws -> StepEnds {
            let start = HistoryEvent.ScenarioStart(id: "a.yaml", name: "A", seed: nil, devices: [])
            let steps = fine.enumerated().map { index, isFine in
                HistoryEvent(
                    time: UInt64(index + 2) * Self.millisecond, step: "\(index + 1)", .stepFinished(isFine: isFine))
            }
            try ([HistoryEvent(time: Self.millisecond, .scenarioStarted(start))] + steps)
                .write(to: directory.path, torn: "{\"torn")
            return try #require(StepEnds(in: directory.path))
        }
        let ends = try write([true, false, true])
        #expect(try ends.moment(at: nil).step == "2")
        #expect(try ends.moment(at: "3").time == 4_000_000)
        #expect(try ends.moment(at: "1500us").step == "1")
        #expect(try ends.moment(at: "0s").step == nil)
        #expect(try write([true, true]).moment(at: nil).step == "2")
        let error = #expect(throws: BadUsage.self) { try ends.moment(at: "4") }
        #expect(error?.description.hasPrefix("no step 4 has ended; those that have are `1`, `2` and `3`.") == true)
    }
}
