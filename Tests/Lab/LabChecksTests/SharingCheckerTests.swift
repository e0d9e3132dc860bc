// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

@Suite("The checkers of shared activations", .endsInTime)
struct SharingCheckerTests {
    /// A breach is found once, and its excerpt is exactly these events.
    private func expect(
        _ history: WrittenHistory, breaks checker: String, shownBy excerpt: [TraceEvent],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try history.judged(by: checker)
        #expect(result.verdict == .failed, sourceLocation: sourceLocation)
        #expect(result.breaches == 1, sourceLocation: sourceLocation)
        #expect(result.breach?.excerpt == excerpt, sourceLocation: sourceLocation)
    }

    private func expect(
        _ history: WrittenHistory, keeps checker: String, examined: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try history.judged(by: checker)
        #expect(result.verdict == .passed, "\(result)", sourceLocation: sourceLocation)
        #expect(result.examined == examined, sourceLocation: sourceLocation)
    }

    private static func use(_ counter: String, of activation: String = "A") -> [String: JSONValue] {
        ["counter": .string(counter), "activationId": .string(activation), "factor": "possession"]
    }

    private static func signature(_ counter: Int64, valid: Bool = true, failed: Int64 = 0) -> [String: JSONValue] {
        [
            "activationId": "A", "type": "possession", "valid": .bool(valid), "counter": .integer(counter),
            "failedAttempts": .integer(failed),
        ]
    }

    // MARK: Counters

    @Test func `A counter that two apps use is a breach, unless it belongs to two activations`() throws {
        var history = WrittenHistory()
        let first = history.add("app1", .counterUsed, Self.use("k"))
        history.add("app2", .counterUsed, Self.use("l"))
        history.add("app2", .counterUsed, Self.use("k", of: "B"))
        try expect(history, keeps: "counters", examined: 3)
        let second = history.add("app2", .counterUsed, Self.use("k"))
        try expect(history, breaks: "counters", shownBy: [first, second])
    }

    @Test func `The counter of an app that dies before it stores the state is free; after that it is used`() throws {
        let status: [String: JSONValue] = ["lock": "status"]
        var history = WrittenHistory()
        history.add("app1", .lockTaken, status)
        history.add("app1", .counterUsed, Self.use("k"))
        // app1 has died.
        history.add("app2", .lockTaken, status)
        let first = history.add("app2", .counterUsed, Self.use("k"))
        history.add(
            "app2", .keychainWritten,
            ["service": "io.getlime.PowerAuthKeychain.StatusKeychain", "account": "com.example.bank"])
        // app2 has died.
        history.add("app3", .lockTaken, status)
        let second = history.add("app3", .counterUsed, Self.use("k"))
        try expect(history, keeps: "counters", examined: 1)
        history.add("app3", .lockReleased, status)
        try expect(history, breaks: "counters", shownBy: [first, second])
    }

    @Test func `A server counter that goes back is a breach, unless two server threads reported at once`() throws {
        var history = WrittenHistory()
        history.add("server", .serverSignature, Self.signature(4))
        let high = history.add("server", .serverSignature, Self.signature(7))
        try expect(history, keeps: "counters", examined: 0)
        history.add("server", .serverSignature, Self.signature(6))
        try expect(history, keeps: "counters", examined: 0)
        history.passASecond()
        let low = history.add("server", .serverSignature, Self.signature(6))
        try expect(history, breaks: "counters", shownBy: [high, low])
    }

    @Test func `The counter of protocol 4 begins anew, and does not go back either`() throws {
        func signature(_ counter: Int64) -> [String: JSONValue] {
            Self.signature(counter).merging(["version": "4.0"]) { $1 }
        }
        var history = WrittenHistory()
        history.add("server", .serverSignature, Self.signature(7))
        history.passASecond()
        let first = history.add("server", .serverSignature, signature(1))
        try expect(history, keeps: "counters", examined: 0)
        history.passASecond()
        let second = history.add("server", .serverSignature, signature(1))
        try expect(history, breaks: "counters", shownBy: [first, second])
    }

    @Test func `A counter that the server accepts twice is a breach, even at the same time`() throws {
        var history = WrittenHistory()
        let first = history.add("server", .serverSignature, Self.signature(4))
        let second = history.add("server", .serverSignature, Self.signature(4))
        try expect(history, breaks: "counters", shownBy: [first, second])
    }

    // MARK: Signatures

    @Test func `A refused signature is a breach only while the activation is active`() throws {
        func change(_ state: String) -> [String: JSONValue] { ["activationId": "A", "to": .string(state)] }
        var history = WrittenHistory()
        history.add("server", .serverActivation, change("PENDING_COMMIT"))
        history.add("server", .serverSignature, Self.signature(0, valid: false))
        // Made before, and judged before the server reports that the activation is active.
        history.add("app1", .counterUsed, operation: "app1/0", Self.use("j"))
        let active = history.add("server", .serverActivation, change("ACTIVE"))
        history.add("server", .serverSignature, operation: "app1/0", Self.signature(0, valid: false))
        history.add("server", .serverSignature, operation: "app1/1", Self.signature(1))
        try expect(history, keeps: "signatures", examined: 3)
        var ended = history
        ended.add("server", .serverActivation, change("REMOVED"))
        ended.add("server", .serverSignature, Self.signature(1, valid: false))
        try expect(ended, keeps: "signatures", examined: 4)
        let use = history.add("app2", .counterUsed, operation: "app2/5", Self.use("k"))
        let refused = history.add(
            "server", .serverSignature, operation: "app2/5", Self.signature(1, valid: false, failed: 1))
        try expect(history, breaks: "signatures", shownBy: [active, use, refused])
    }

    @Test
    func `A dead app's signature may be refused after a later one overtook it; a living app's is a breach`() throws {
        var history = WrittenHistory()
        let active = history.add("server", .serverActivation, ["activationId": "A", "to": "ACTIVE"])
        let use = history.add("app1", .counterUsed, operation: "app1/0", Self.use("j"))
        var alone = history
        history.add("app2", .counterUsed, operation: "app2/0", Self.use("k"))
        history.add("server", .serverSignature, operation: "app2/0", Self.signature(2))
        let refused = history.add(
            "server", .serverSignature, operation: "app1/0", Self.signature(2, valid: false, failed: 1))
        // app1 has died.
        try expect(history, keeps: "signatures", examined: 2)
        history.add("app1", .lockReleased, ["lock": "queue"])
        try expect(history, breaks: "signatures", shownBy: [active, use, refused])
        // Nothing has overtaken it.
        let wrong = alone.add(
            "server", .serverSignature, operation: "app1/0", Self.signature(1, valid: false, failed: 1))
        try expect(alone, breaks: "signatures", shownBy: [active, use, wrong])
    }

    // MARK: Locks

    @Test(arguments: ["status", "queue"])
    func `A lock with two holders is a breach; a dead holder's lock is free`(of lock: String) throws {
        let field: [String: JSONValue] = ["lock": .string(lock)]
        var history = WrittenHistory()
        history.add("app1", .lockTaken, field)
        history.add("app1", .lockReleased, field)
        history.add("app2", .lockTaken, field)
        history.add("app3", .lockTaken, ["lock": "operation-of-another-kind"])
        // app2 has died with it.
        let taken = history.add("app1", .lockTaken, field)
        try expect(history, keeps: "exclusion", examined: 4)
        let second = history.add("app3", .lockTaken, field)
        let sign = history.add("app1", .lockReleased, field)
        try expect(history, breaks: "exclusion", shownBy: [taken, second, sign])
    }

    @Test func `Taking the operation lock outside a task is a breach, and so is the queue inside one`() throws {
        var history = WrittenHistory()
        history.add("app1", .lockTaken, ["lock": "status"])
        history.add("app1", .lockTaken, ["lock": "operation"])
        history.add("app1", .lockReleased, ["lock": "status"])
        try expect(history, keeps: "order", examined: 2)
        var queue = history
        let log = queue.add(
            "app1", .log,
            ["message": "ERROR: Adding operation to shared queue from session task can lead to interprocess deadlock."])
        try expect(queue, breaks: "order", shownBy: [log])
        let taken = history.add("app2", .lockTaken, ["lock": "operation"])
        try expect(history, breaks: "order", shownBy: [taken])
    }

    // MARK: Pending operations

    @Test func `Two pending operations are a breach; a dead owner's operation may be replaced`() throws {
        let lock: [String: JSONValue] = ["lock": "operation"]
        let fields: [String: JSONValue] = ["type": "activation", "application": "x"]
        var history = WrittenHistory()
        history.add("app1", .lockTaken, lock)
        history.add("app1", .operationStarted, fields)
        // app1 has died.
        history.add("app2", .lockTaken, lock)
        history.add("app2", .operationStarted, fields)
        history.add("app2", .lockReleased, lock)
        history.add("app2", .operationFinished, fields)
        history.add("app1#2", .lockTaken, lock)
        let first = history.add("app1#2", .operationStarted, fields)
        try expect(history, keeps: "pending operations", examined: 3)
        history.add("app2", .lockTaken, lock)
        let second = history.add("app2", .operationStarted, fields)
        let sign = history.add("app1#2", .httpRequest, ["method": "POST", "path": "/"])
        try expect(history, breaks: "pending operations", shownBy: [first, second, sign])
    }

    @Test func `An operation without the operation lock is a breach`() throws {
        var history = WrittenHistory()
        let started = history.add("app1", .operationStarted, ["type": "activation", "application": "x"])
        try expect(history, breaks: "pending operations", shownBy: [started])
    }

    // MARK: State

    @Test func `A task with a state older than the stored one is a breach, regardless of who counted`() throws {
        let status: [String: JSONValue] = ["lock": "status"]
        let state: [String: JSONValue] = [
            "service": "io.getlime.PowerAuthKeychain.StatusKeychain", "account": "com.example.bank", "accessGroup": "g",
        ]
        var history = WrittenHistory()
        for app in ["app1", "app2"] {
            history.add(app, .lockTaken, status)
            history.add(app, .stateLoaded, ["activation": true, "counter": 1])
            history.add(app, .lockReleased, status)
        }
        let known = history.events[4]
        history.add("app1", .lockTaken, status)
        // A state that was put aside is not the state.
        history.add("app1", .keychainWritten, state.merging(["account": "com.example.bank.unusable"]) { $1 })
        history.add("app1", .lockReleased, status)
        history.add("app2", .lockTaken, status)
        history.add("app2", .lockReleased, status)
        history.add("app1", .lockTaken, status)
        let written = history.add("app1", .keychainWritten, state)
        try expect(history, keeps: "fresh state", examined: 0)
        // app1 dies with the lock, and has counted nothing.
        let begin = history.add("app2", .lockTaken, status)
        let end = history.add("app2", .lockReleased, status)
        try expect(history, breaks: "fresh state", shownBy: [known, written, begin, end])
    }

    @Test func `A task that loads what another one stored is not a breach`() throws {
        let status: [String: JSONValue] = ["lock": "status"]
        let state: [String: JSONValue] = [
            "service": "io.getlime.PowerAuthKeychain.StatusKeychain", "account": "com.example.bank", "accessGroup": "g",
        ]
        var history = WrittenHistory()
        for app in ["app1", "app2", "app1"] {
            history.add(app, .lockTaken, status)
            history.add(app, .stateLoaded, ["activation": true, "counter": 1])
            history.add(app, .keychainWritten, state)
            history.add(app, .lockReleased, status)
        }
        try expect(history, keeps: "fresh state", examined: 2)
    }

    @Test func `A task whose state the device refuses to read or to store proves nothing`() throws {
        let status: [String: JSONValue] = ["lock": "status"]
        var history = WrittenHistory()
        for _ in 1...2 {
            history.add("app1", .lockTaken, status)
            history.add("app1", .counterUsed, Self.use("c1"))
            if history.events.count < 3 {
                history.add("app1", .diskRefused, ["what": "keychain", "bytes": 1, "error": "ENOSPC"])
            }
            history.add("app1", .lockReleased, status)
        }
        try expect(history, keeps: "counters", examined: 1)
    }

    @Test func `Changing or removing an activation other than the one that signed is a breach`() throws {
        func state(_ activation: String?) -> [String: JSONValue] {
            var fields: [String: JSONValue] = ["bytes": 1]
            fields["activationId"] = activation.map { .string($0) }
            return fields
        }
        var history = WrittenHistory()
        history.add("app1", .stateLoaded, state("A"))
        history.add("app1", .counterUsed, operation: "app1/1", Self.use("c1"))
        history.add("app1", .stateSaved, operation: "app1/1", state("A"))
        history.add("app1", .stateSaved, operation: "app1/1", state(nil))
        try expect(history, keeps: "late answers", examined: 2)

        let signature = history.add("app1", .counterUsed, operation: "app1/2", Self.use("c2"))
        let before = history.add("app1", .stateLoaded, operation: "app1/2", state("B"))
        let removal = history.add("app1", .stateSaved, operation: "app1/2", state(nil))
        try expect(history, breaks: "late answers", shownBy: [signature, before, removal])
    }

    @Test func `The next command of an operation and other work of the app may use another activation`() throws {
        var history = WrittenHistory()
        let state: [String: JSONValue] = ["bytes": 1, "activationId": "B"]
        history.add("app1", .counterUsed, operation: "app1/1", Self.use("c1"))
        history.add("app1", .stateLoaded, state)
        history.add("app1", .stateSaved, operation: "app1/2", state)
        history.add("app1", .commandStarted, operation: "app1/1", [:])
        history.add("app1", .stateSaved, operation: "app1/1", ["bytes": 1])
        try expect(history, keeps: "late answers", examined: 0)
    }

    // MARK: Tokens

    @Test func `A stored token that another app does not see is a breach, unless it is being changed`() throws {
        let name: [String: JSONValue] = ["name": "accounts"]
        var history = WrittenHistory()
        history.call("app2", "tokenHeader", token: "accounts", found: false)
        let stored = history.add("app1", .tokenStored, name)
        history.call("app2", "tokenHeader", token: "accounts", found: true)
        history.call("app2", "tokenHeader", token: "accounts", found: false) {
            $0.add("app1", .tokenRemoved, name)
            $0.add("app1", .tokenStored, name)
        }
        try expect(history, keeps: "tokens", examined: 1)
        let last = try #require(history.events.last { $0.name == .tokenStored })
        #expect(last != stored)
        let asked = history.call("app2", "tokenHeader", token: "accounts", found: false)
        try expect(history, breaks: "tokens", shownBy: [last] + asked)
    }

    @Test func `A removed token that another app still sees is a breach`() throws {
        var history = WrittenHistory()
        let removed = history.add("app1", .tokenRemoved, ["name": "accounts"])
        history.call("app2", "tokenHeader", token: "cards", found: true)
        let asked = history.call("app2", "tokenHeader", token: "accounts", found: true)
        try expect(history, breaks: "tokens", shownBy: [removed] + asked)
    }

    // MARK: Calls and processes

    @Test func `A call that fails without a reason is a breach, unless its app was killed`() throws {
        var history = WrittenHistory()
        history.call("app1", "status", outcome: "unknown", error: "peerDied")
        history.call("app1", "status", outcome: "notDone", error: "missingActivation")
        // Another app removes the activation that this one adds a factor to.
        history.call("app1", "addBiometry", outcome: "notDone", error: "invalidActivationState") {
            $0.add("app3", .stateRemoved)
        }
        try expect(history, keeps: "failures", examined: 3)
        let failed = history.call("app2", "status", outcome: "notDone", error: "invalidActivationState")
        try expect(history, breaks: "failures", shownBy: failed)
    }

    @Test func `An unexpected process death is a breach`() throws {
        func end(_ peer: String, _ number: Int64, _ signal: String) -> [String: JSONValue] {
            [
                "peer": .string(peer), "incarnation": .integer(number), "signal": .string(signal),
                "reason": .string(signal),
            ]
        }
        var history = WrittenHistory()
        history.add("app1", .faultFired, ["action": "kill", "point": "state.save"])
        history.add("phone", .processEnded, end("app1", 1, "SIGKILL"))
        history.add("stress", .deathWanted, ["peer": "app1", "incarnation": 2, "how": "relaunch"])
        history.add("phone", .processEnded, end("app1", 2, "SIGTERM"))
        try expect(history, keeps: "deaths", examined: 2)
        let last = history.add("app2", .lockTaken, ["lock": "status"])
        let death = history.add("phone", .processEnded, end("app2", 1, "SIGBUS"))
        history.call("app3", "status")
        // The driver was killed, and the apps end with it.
        var killed = history
        killed.add("phone", .processEnded, end("app3", 1, "SIGKILL"))
        try expect(killed, breaks: "deaths", shownBy: [last, death])
        history.add("stress", .stressEnding)
        history.add("phone", .processEnded, end("app3", 1, "SIGKILL"))
        try expect(history, breaks: "deaths", shownBy: [last, death])
    }

    @Test func `Remains of a run are a breach, and a record without its end is inconclusive`() throws {
        var history = WrittenHistory()
        history.add("app1", .processStarted)
        #expect(try history.judged(by: "clean end").verdict == .inconclusive)
        var clean = history
        clean.add("stress", .stressEnded, ["complaints": []])
        try expect(clean, keeps: "clean end", examined: 1)
        let end = history.add("stress", .stressEnded, ["complaints": ["the process of `app1` outlived its device"]])
        try expect(history, breaks: "clean end", shownBy: [end])
    }
}
