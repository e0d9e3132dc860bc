// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import TestSupport
import Testing

@testable import LabReports
@testable import ScenarioEngine
@testable import ScenarioLanguage

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

    /// A history of two phones; each command was answered 5 ms after an event, by the number of that.
    private static func history(
        _ answers: [(after: Int, actor: String, command: String, fails: Bool)] = []
    ) -> [HistoryEvent] {
        let devices = [
            HistoryEvent.Device(name: "phone", apps: ["main", "wallet"]),
            HistoryEvent.Device(name: "spare", apps: ["twin"]),
        ]
        let start = HistoryEvent.ScenarioStart(id: "a.yaml", name: "A", seed: nil, devices: devices)
        let calls = answers.map { answer in
            // Of the type itself: `nil` would be the JSON value null.
            let error: JSONValue? = if answer.fails { "notRunning" } else { .none }
            return HistoryEvent(
                time: (UInt64(answer.after) * 10 + 5) * millisecond, step: "1",
                .command(
                    HistoryEvent.Call(
                        actor: answer.actor, command: answer.command,
                        error: error, handling: nil, elapsed: nil)))
        }
        return [HistoryEvent(time: 0, .scenarioStarted(start))] + calls
    }

    private static func lines(
        _ events: [TraceEvent], _ history: [HistoryEvent] = [], after count: Int
    ) -> [String] {
        StateAtStep(events, history, until: UInt64(count) * 10 * millisecond).lines.dropFirst().map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    @Test func `A dying process releases its locks and requests, and leaves its operation`() {
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

    @Test func `With the system of a device all its apps and its ends of links end`() {
        let events = Self.trace([
            ("phone", .processStarted, ["pid": 6]), ("main", .processStarted, ["pid": 7]),
            ("twin", .processStarted, ["pid": 8]),
            ("phone", .linkUp, ["link": "pairing"]), ("watch", .linkUp, ["link": "pairing"]),
            ("main", .lockTaken, ["lock": "status"]),
            ("phone", .faultFired, ["point": "link.sending", "action": "kill"]),
        ])
        #expect(
            Self.lines(events, Self.history(), after: 7) == [
                "processes       phone#1 has ended: signal SIGKILL", "main#1 has ended: with the device",
                "twin#1 runs (pid 8)", "links           pairing is up for watch only",
            ])
    }

    @Test func `Shared memory announces one operation, which ends with the repair that its dead owner needs`() {
        let events = Self.trace([
            ("main", .processStarted, ["pid": 7]), ("main", .memoryCreated, ["name": "group"]),
            ("wallet", .processStarted, ["pid": 8]), ("wallet", .memoryOpened, ["name": "group"]),
            ("main", .operationStarted, ["type": "activation"]),
            // An app of another memory.
            ("twin", .operationFinished, ["type": "activation"]),
            ("phone", .processEnded, ["peer": "main", "incarnation": 1, "reason": "signal SIGKILL"]),
            ("wallet", .memoryRepaired, ["name": "group", "cause": "noName"]),
            ("wallet", .memoryRepaired, ["name": "group", "cause": "deadOwner"]),
            ("main", .processStarted, ["pid": 9]), ("main", .memoryOpened, ["name": "group"]),
            ("wallet", .operationStarted, ["type": "activation"]), ("main", .operationStarted, ["type": "activation"]),
        ])
        func operations(after count: Int) -> [String] {
            Self.lines(events, after: count).filter { $0.contains("activation of") }
        }
        #expect(operations(after: 8) == ["operations      activation of main, since 30.0 ms"])
        #expect(operations(after: 9) == [])
        #expect(operations(after: 13) == ["operations      activation of main, since 0.0 ms"])
    }

    @Test func `Each device has a keychain of its own`() {
        let item: [String: JSONValue] = ["accessGroup": "group", "service": "tokens", "account": "balance"]
        let events = Self.trace([
            ("main", .processStarted, ["pid": 7]), ("twin", .processStarted, ["pid": 8]),
            ("main", .keychainWritten, item), ("twin", .keychainWritten, item), ("twin", .keychainDeleted, item),
        ])
        #expect(
            Self.lines(events, Self.history(), after: 4).suffix(2) == [
                "keychain        group tokens balance, written by main", "group tokens balance, written by twin",
            ])
        #expect(
            Self.lines(events, Self.history(), after: 5).last == "keychain        group tokens balance, written by main"
        )
    }

    @Test func `What the answer to a command has removed is no longer there, nor is a session without anything`() {
        let events = Self.trace([
            ("main", .processStarted, ["pid": 7]), ("main", .stateSaved, ["bytes": 100, "counter": 3]),
            ("main", .tokenStored, ["name": "balance"]),
            ("main", .keychainWritten, ["accessGroup": "group", "service": "tokens", "account": "balance"]),
            ("wallet", .tokenRemoved, ["name": "balance"]),
        ])
        let history = Self.history([
            (5, "main", "reinstall", true), (6, "main", "uninstall", false), (7, "spare", "erase", false),
            (8, "phone", "erase", false),
        ])
        let keychain = "keychain        group tokens balance, written by main"
        #expect(
            Self.lines(events, history, after: 6) == [
                "processes       main#1 runs (pid 7)", "sessions        main: an activation, counter 3, token balance",
                keychain,
            ])
        // Tokens are kept in the keychain.
        #expect(Self.lines(events, history, after: 8) == ["sessions        main: token balance", keychain])
        #expect(Self.lines(events, history, after: 9) == [])
    }

    @Test func `A device that was started again is locked until it is unlocked`() {
        let history = Self.history([
            (0, "spare", "reboot", true), (1, "phone", "reboot", false), (2, "phone", "unlock", false),
            (3, "phone", "switchOn", false),
        ])
        #expect(Self.lines([], history, after: 1) == [])
        #expect(Self.lines([], history, after: 2) == ["devices         phone is locked"])
        #expect(Self.lines([], history, after: 3) == [])
        #expect(Self.lines([], history, after: 4) == ["devices         phone is locked"])
    }

    @Test func `Stored state and server state are those of the moment`() {
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

    @Test func `A link is up if both ends say so, and a message is in transit until its sender is notified`() {
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

    @Test func `Every part of the state has its line, and survives a round trip as JSON`() throws {
        var state = StateAtStep()
        #expect(state.lines == ["before the first step of  in run , 0.0 ms after it began:"])
        (state.run, state.scenario, state.step, state.milliseconds) = ("r", "a.yaml~2", "3", 1_500)
        state.processes = [
            StateAtStep.Process(name: "main", incarnation: 2, pid: 7),
            StateAtStep.Process(name: "wallet", incarnation: 1),
            StateAtStep.Process(name: "widget", incarnation: 1, pid: 8, state: .suspended),
            StateAtStep.Process(name: "server", incarnation: 3, state: .ended, reason: "exit code 1"),
            StateAtStep.Process(name: "phone", incarnation: 1, state: .ended),
        ]
        state.sessions = [
            StateAtStep.Session(app: "main", hasActivation: true, counter: 3, tokens: ["a", "b"]),
            StateAtStep.Session(app: "wallet", hasActivation: false),
        ]
        state.keychain = [StateAtStep.Item(accessGroup: "g", service: "s", account: "a", writer: "main")]
        state.locks = [
            StateAtStep.Lock(lock: "status", app: "main", isHeld: true, milliseconds: 999.94),
            StateAtStep.Lock(lock: "queue", app: "wallet", isHeld: false, milliseconds: 1_000),
        ]
        state.operations = [StateAtStep.Operation(type: "activation", app: "main", milliseconds: 5)]
        state.activations = [
            StateAtStep.Activation(activationId: "1", status: "ACTIVE"),
            StateAtStep.Activation(activationId: "2", status: "BLOCKED", reason: "MAX_FAILED_ATTEMPTS"),
        ]
        state.requests = [StateAtStep.Request(app: "main", path: "/a", milliseconds: 6)]
        state.links = [
            StateAtStep.Link(link: "one", endsThatAreUp: [], underWay: ["1", "2"]),
            StateAtStep.Link(link: "two", endsThatAreUp: ["phone", "watch"], underWay: ["1"]),
        ]
        state.watchSessions = [
            StateAtStep.WatchSession(app: "main", isPaired: true, isInstalled: false, isReachable: false),
            StateAtStep.WatchSession(app: "companion", isPaired: false, isInstalled: true, isReachable: true),
        ]
        state.lockedDevices = ["phone"]
        state.clock = StateAtStep.Clock(offset: 250, isFrozen: false, rate: 60)
        #expect(
            state.lines.joined(separator: "\n") == """
                after step 3 of a.yaml~2 in run r, 1.50 s after it began:
                  processes       main#2 runs (pid 7)
                                  wallet#1 runs
                                  widget#1 is suspended
                                  server#3 has ended: exit code 1
                                  phone#1 has ended
                  sessions        main: an activation, counter 3, tokens a, b
                                  wallet: no activation
                  keychain        g s a, written by main
                  locks           main holds the status lock, since 999.9 ms
                                  wallet waits for the queue lock, since 1.00 s
                  operations      activation of main, since 5.0 ms
                  server          activation 1 is ACTIVE
                                  activation 2 is BLOCKED (MAX_FAILED_ATTEMPTS)
                  requests        main waits for /a, since 6.0 ms
                  links           one is down, 2 guaranteed messages under way
                                  two is up, 1 guaranteed message under way
                  watch sessions  main: paired, counterpart not installed, not reachable
                                  companion: not paired, counterpart installed, reachable
                  devices         phone is locked
                  clock           250.0 ms ahead, runs 60 times as fast
                """)
        state.clock = StateAtStep.Clock(offset: 0, isFrozen: false, rate: 1)
        #expect(state.lines.last == "  clock           0.0 ms ahead, runs")
        let document = try state.rendered()
        #expect(try JSONDecoder().decode(StateAtStep.self, from: Data(document.utf8)) == state)
        #expect(try JSONValue.parse(document)["version"] == .integer(Int64(StateAtStep.version)))
    }

    @Test func `A fault that kills the server ends its process`() {
        let events = Self.trace([
            ("server", .processStarted, ["pid": 7]),
            ("server", .faultFired, ["point": "server.requestReceived", "action": "delay"]),
            ("server", .faultFired, ["point": "server.beforeCommit", "action": "kill"]),
        ])
        #expect(Self.lines(events, after: 2) == ["processes       server#1 runs (pid 7)"])
        #expect(Self.lines(events, after: 3) == ["processes       server#1 has ended: signal SIGKILL"])
    }

    @Test func `Each event changes the state of its own process, device or link only`() {
        let events = Self.trace([
            ("main", .processStarted, ["pid": 7]), ("wallet", .processStarted, ["pid": 8]),
            ("phone", .processSuspended, ["peer": "main", "incarnation": 1, "pid": 7]),
            ("phone", .processResumed, ["peer": "main", "incarnation": 1, "pid": 7]),
            // The end of a start that another one has followed.
            ("phone", .processEnded, ["peer": "wallet", "incarnation": 2, "reason": "signal SIGKILL"]),
            ("phone", .deviceLocked, [:]), ("watch", .deviceLocked, [:]), ("phone", .deviceLocked, [:]),
            ("watch", .deviceUnlocked, [:]),
            ("main", .httpRequest, ["path": "/a", "method": "GET"]),
            ("main", .httpRequest, ["path": "/a", "method": "GET"]),
            ("wallet", .httpResponse, ["path": "/a", "status": 200]),
            ("main", .httpFailed, ["path": "/a", "error": "networkConnectionLost"]),
            ("main", .sessionState, ["paired": true, "installed": true, "reachable": false]),
            ("main", .sessionState, ["paired": true, "installed": true, "reachable": true]),
            ("main", .counterBumped, ["counter": 4]), ("wallet", .stateLoaded, ["activation": false]),
        ])
        #expect(Self.lines(events, after: 3) == ["processes       main#1 is suspended", "wallet#1 runs (pid 8)"])
        #expect(
            Self.lines(events, after: 17) == [
                "processes       main#1 runs (pid 7)", "wallet#1 runs (pid 8)",
                "sessions        main: counter 4", "wallet: no activation",
                "requests        main waits for /a, since 60.0 ms",
                "watch sessions  main: paired, counterpart installed, reachable",
                "devices         phone is locked",
            ])
    }

    @Test func `A moment is found by step number, by time, and by failure`() throws {
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

    private func moment(_ lines: [String]) throws -> String? {
        let directory = try TemporaryDirectory()
        let events = lines.enumerated().map { index, line in
            let words = line.split(separator: " ").map(String.init)
            return HistoryEvent(
                time: UInt64(index), step: words[1],
                words[0] == "begin"
                    ? .stepStarted(.init(title: "", sentence: nil), nil) : .stepFinished(isFine: words[0] == "fine"))
        }
        try events.write(to: directory.path)
        return try #require(StepEnds(in: directory.path)).moment(at: nil).step
    }

    @Test func `It is the failed step, not one that an enclosing step allowed to fail`() throws {
        let race = ["begin 1", "begin 1.1", "begin 1.2", "bad 1.2", "fine 1.1", "fine 1"]
        #expect(try moment(race + ["begin 2", "bad 2"]) == "2")
        #expect(try moment(race + ["begin 2", "fine 2"]) == "2")
        // In a failed race, the first failure counts.
        #expect(try moment(["begin 1", "begin 1.1", "begin 1.2", "bad 1.2", "fine 1.1", "bad 1"]) == "1.2")
    }

    @Test func `Steps with the same number in another round or with the same prefix are different steps`() throws {
        #expect(try moment(["begin 1.1", "bad 1.1", "begin 1", "begin 1.1", "fine 1.1", "fine 1"]) == "1.1")
        #expect(try moment(["begin 1", "begin 10.1", "bad 10.1", "fine 1"]) == "10.1")
    }
}
