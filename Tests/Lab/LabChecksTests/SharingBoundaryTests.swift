// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

/// The nearest history on each side of what a checker of shared activations decides.
@Suite("Where the checkers of shared activations draw the line", .endsInTime)
struct SharingBoundaryTests {
    /// A history with times of its own, in milliseconds.
    private struct Timed {
        var events: [TraceEvent] = []

        @discardableResult
        mutating func add(
            _ milliseconds: UInt64, _ process: String, _ name: TraceEventName, operation: String? = nil,
            incarnation: Int = 1, _ fields: [String: JSONValue] = [:]
        ) -> TraceEvent {
            let event = TraceEvent(
                time: milliseconds * 1_000_000, process: process, incarnation: incarnation, name: name,
                operation: operation, fields: fields)
            events.append(event)
            return event
        }

        func judged(by name: String) throws -> Examination.Result {
            let checker = SharingCheckers.all.filter { $0.name == name }
            return try Examination(RecordedHistory(events), by: checker).results.first.orThrow("no checker \(name)")
        }
    }

    private static func use(_ counter: String, of activation: String = "A") -> [String: JSONValue] {
        ["counter": .string(counter), "activationId": .string(activation), "factor": "possession"]
    }

    private static func signature(
        _ counter: Int64, isValid: Bool = true, failed: Int64 = 0, of activation: String = "A"
    ) -> [String: JSONValue] {
        [
            "activationId": .string(activation), "type": "possession", "valid": .bool(isValid),
            "counter": .integer(counter), "failedAttempts": .integer(failed),
        ]
    }

    private static let status: [String: JSONValue] = ["lock": "status"]
    private static let state: [String: JSONValue] = [
        "service": "io.getlime.PowerAuthKeychain.StatusKeychain", "account": "com.example.bank", "accessGroup": "g",
    ]

    // MARK: The beginning of a record

    // The rows of a table begin with the state that a shared set-up has left.
    @Test func `A record that begins with an activation, with counters and a stored state breaks no rule`() throws {
        var history = Timed()
        for (app, start, counter) in [("main", 1_000, 41), ("wallet", 2_000, 42)] as [(String, UInt64, Int64)] {
            history.add(start, app, .memoryOpened, ["name": "m"])
            history.add(start + 1, app, .commandStarted, operation: "\(counter)", ["command": "validatePassword"])
            history.add(start + 2, app, .lockTaken, Self.status)
            history.add(start + 3, app, .stateLoaded, ["activation": true, "activationId": "A"])
            history.add(start + 4, app, .counterUsed, operation: "\(counter)", Self.use("\(counter)"))
            history.add(start + 5, app, .keychainWritten, Self.state)
            history.add(
                start + 5, app, .stateSaved, operation: "\(counter)", ["activation": true, "activationId": "A"])
            history.add(start + 6, app, .lockReleased, Self.status)
            history.add(start + 7, "server", .serverSignature, Self.signature(counter))
        }
        let recorded = RecordedHistory(history.events)
        #expect(recorded.hasOneSharedActivation)
        for result in Examination(recorded, by: SharingCheckers.inScenarios).results {
            #expect(result.breaches == 0, "\(result.name): \(result.breach?.sentence ?? "")")
        }
        #expect(try history.judged(by: "counters").examined == 2)
    }

    // MARK: Counters

    @Test(arguments: [199, 200] as [UInt64])
    func `A lower counter is a breach from 200 ms after the higher one`(after wait: UInt64) throws {
        var history = Timed()
        history.add(1_000, "server", .serverSignature, Self.signature(7))
        history.add(1_000 + wait, "server", .serverSignature, Self.signature(6))
        #expect(try history.judged(by: "counters").breaches == (wait < 200 ? 0 : 1))
    }

    @Test
    func `A late record of a lower counter does not become the counter that the next one is compared with`() throws {
        var history = Timed()
        history.add(1_000, "server", .serverSignature, Self.signature(7))
        history.add(1_001, "server", .serverSignature, Self.signature(5))
        let last = history.add(2_000, "server", .serverSignature, Self.signature(6))
        let result = try history.judged(by: "counters")
        #expect(result.breaches == 1)
        #expect(result.breach?.sentence == "The server's counter went from 7 to 6.")
        #expect(result.breach?.excerpt.last == last)
    }

    @Test func `Counters of other activations, refused signatures and uses without a name are not compared`() throws {
        var history = Timed()
        history.add(1, "server", .serverSignature, Self.signature(7))
        history.add(1_000, "server", .serverSignature, Self.signature(7, of: "B"))
        history.add(1_001, "server", .serverSignature, Self.signature(3, isValid: false))
        history.add(1_002, "app1", .counterUsed, ["counter": "k"])
        history.add(1_003, "app2", .counterUsed, ["counter": "k"])
        let result = try history.judged(by: "counters")
        #expect(result.verdict == .passed && result.examined == 0, "\(result)")
    }

    @Test(arguments: ["disk", "fault", "delay"])
    func `A refusal concerns the task in which it occurs only`(_ kind: String) throws {
        var history = Timed()
        for task in [UInt64(0), 10] {
            history.add(1 + task, "app1", .lockTaken, Self.status)
            history.add(2 + task, "app1", .counterUsed, Self.use("k\(task)"))
            if task == 0 {
                switch kind {
                case "disk": history.add(3, "app1", .diskRefused, ["what": "keychain", "error": "ENOSPC"])
                case "fault": history.add(3, "app1", .faultFired, ["action": "fail", "point": "keychain.write"])
                default: history.add(3, "app1", .faultFired, ["action": "delay", "point": "keychain.write"])
                }
            }
            history.add(4 + task, "app1", .lockReleased, Self.status)
        }
        #expect(try history.judged(by: "counters").examined == (kind == "delay" ? 2 : 1))
    }

    // MARK: Signatures

    /// When the state changes, when the signature is made and judged, and whether its refusal is a breach.
    private static let changes: [(active: UInt64, ended: UInt64, isBreach: Bool)] = [
        (1_000, 9_000, true),  // made as it becomes active
        (1_001, 9_000, false),  // made before
        (1, 1_000, false),  // ended as it was made: the state then counts
        (1, 1_500, false),  // ended meanwhile
        (1, 2_199, false),  // recorded a little later
        (1, 2_200, true),
    ]

    @Test func `An activation must be active from the making of a signature until 200 ms after its refusal`() throws {
        for (active, ended, isBreach) in Self.changes {
            var history = Timed()
            history.add(active, "server", .serverActivation, ["activationId": "A", "to": "ACTIVE"])
            history.add(1_000, "app1", .counterUsed, operation: "app1/1", Self.use("k"))
            history.add(2_000, "server", .serverSignature, operation: "app1/1", Self.signature(1, isValid: false))
            history.add(2_001, "app1", .httpResponse, ["path": "/", "status": 401])
            history.add(ended, "server", .serverActivation, ["activationId": "A", "to": "BLOCKED"])
            #expect(try history.judged(by: "signatures").breaches == (isBreach ? 1 : 0), "\(active) to \(ended)")
        }
    }

    @Test(arguments: [199, 200] as [UInt64])
    func `A signature whose making is not recorded counts from 200 ms before its refusal`(after wait: UInt64) throws {
        var history = Timed()
        history.add(1_000, "server", .serverActivation, ["activationId": "A", "to": "ACTIVE"])
        history.add(1_000 + wait, "server", .serverSignature, Self.signature(1, isValid: false))
        #expect(try history.judged(by: "signatures").breaches == (wait < 200 ? 0 : 1))
    }

    @Test func `A valid signature that counts a failed attempt is a breach, too`() throws {
        var history = Timed()
        history.add(1, "server", .serverActivation, ["activationId": "A", "to": "ACTIVE"])
        history.add(1_000, "server", .serverSignature, Self.signature(1, failed: 1))
        #expect(try history.judged(by: "signatures").breaches == 1)
    }

    /// What overtakes the signature of a dead app, and whether that explains its refusal.
    private static let others: [(made: UInt64, judged: UInt64, activation: String, isValid: Bool, explains: Bool)] = [
        (1_001, 1_500, "A", true, true), (999, 1_500, "A", true, false), (1_001, 1_500, "B", true, false),
        (1_001, 1_500, "A", false, false), (1_001, 2_199, "A", true, true), (1_001, 2_200, "A", true, false),
    ]

    @Test
    func `Only a later signature of the same activation that was accepted before explains a dead app's refusal`() throws
    {
        for (made, judged, activation, isValid, explains) in Self.others {
            var history = Timed()
            history.add(1, "server", .serverActivation, ["activationId": "A", "to": "ACTIVE"])
            history.add(1_000, "app1", .counterUsed, operation: "app1/1", Self.use("k"))
            history.add(made, "app2", .counterUsed, operation: "app2/1", Self.use("l", of: activation))
            history.add(
                judged, "server", .serverSignature, operation: "app2/1",
                Self.signature(2, isValid: isValid, of: activation))
            history.add(2_000, "server", .serverSignature, operation: "app1/1", Self.signature(2, isValid: false))
            let sentences = try history.judged(by: "signatures")
            let expected = (explains ? 0 : 1) + (isValid || activation == "B" ? 0 : 1)
            #expect(sentences.breaches == expected, "\(made) \(judged) \(activation) \(isValid)")
        }
    }

    // MARK: State

    /// What happens between the first task of `app1` and its second one, and whether that one is stale.
    private static let writes: [(name: TraceEventName, process: String, fields: [String: JSONValue], isStale: Bool)] = [
        (.keychainWritten, "app2", state, true), (.keychainDeleted, "app2", state, true),
        (.keychainWritten, "app1", state, false), (.keychainWritten, "companion", state, false),
        (.keychainWritten, "app2", state.merging(["account": "x.unusable"]) { $1 }, false),
        (.keychainWritten, "app2", state.merging(["service": "another"]) { $1 }, false),
        (.stateSaved, "app2", ["bytes": 1], false),
    ]

    @Test func `A task is stale if another process that shares the state has stored or deleted it since`() throws {
        for (name, process, fields, isStale) in Self.writes {
            var history = Timed()
            history.add(1, "app2", .lockTaken, Self.status)
            history.add(2, "app2", .keychainWritten, Self.state)
            history.add(3, "app2", .lockReleased, Self.status)
            history.add(4, "app1", .lockTaken, Self.status)
            history.add(5, "app1", .stateLoaded, ["activation": true])
            history.add(6, "app1", .lockReleased, Self.status)
            history.add(7, process, name, fields)
            history.add(8, "app1", .lockTaken, Self.status)
            history.add(9, "app1", .lockReleased, Self.status)
            let result = try history.judged(by: "fresh state")
            #expect(result.breaches == (isStale ? 1 : 0), "\(name) of \(process)")
            #expect(result.examined == 2, "\(name) of \(process)")
        }
    }

    @Test func `What is stored while a task runs does not make it stale`() throws {
        var history = Timed()
        history.add(1, "app2", .lockTaken, Self.status)
        history.add(2, "app2", .keychainWritten, Self.state)
        history.add(3, "app2", .lockReleased, Self.status)
        history.add(4, "app1", .lockTaken, Self.status)
        history.add(5, "app1", .stateLoaded, ["activation": true])
        history.add(6, "app2", .keychainWritten, Self.state)
        history.add(7, "app1", .lockReleased, Self.status)
        #expect(try history.judged(by: "fresh state").breaches == 0)
    }
}
