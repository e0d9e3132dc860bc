// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine

@Suite("The origin of a differing value, as far as the traces show it", .endsInTime)
struct ValueOriginTests {
    private static func event(
        _ name: TraceEventName, _ step: String?, of process: String, at time: UInt64,
        _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        TraceEvent(time: time, process: process, incarnation: 1, name: name, operation: step, fields: fields)
    }

    /// A signature of an app, and the server's result.
    private static func signature(
        of app: String, _ step: String, at time: UInt64, isValid: Bool, failed: Int64, activation: String = "a"
    ) -> [TraceEvent] {
        [
            event(.httpRequest, step, of: app, at: time),
            event(
                .serverSignature, step, of: "server", at: time + 1,
                ["activationId": .string(activation), "valid": .bool(isValid), "failedAttempts": .integer(failed)]),
        ]
    }

    private static func created(_ activation: String) -> TraceEvent {
        event(
            .serverActivation, "1", of: "server", at: 1,
            ["activationId": .string(activation), "from": nil, "to": "CREATED"])
    }

    private func sentences(
        _ path: String, _ actual: JSONValue, command: String = "fetchActivationStatus", since: UInt64? = nil,
        _ events: [TraceEvent]
    ) throws -> [String] {
        let place = SourcePlace(.start, in: SourceFile(path: "scenario.yaml", text: ""))
        let sentences = ValueOrigins(
            facts: FailureCircumstances(
                step: "9", begin: 900, actor: "main", error: nil, command: command,
                mismatches: [Mismatch(path: path, expected: "another", actual: actual, place: place)],
                waitingSince: since, events: events, topology: try FakeShell.topology(), stepAt: { _, _ in nil },
                armedBy: { _ in nil })
        ).sentences
        for sentence in sentences {
            let found = try Explanation.find(sentence)
            #expect(found.count { $0.subject == .cause } == 1, "\(sentence): \(found.map(\.name))")
        }
        return sentences
    }

    @Test func `The step that set a count is named, not a later one that left it unchanged`() throws {
        let events =
            [Self.created("a")] + Self.signature(of: "wallet", "3", at: 10, isValid: false, failed: 1)
            + Self.signature(of: "wallet", "4", at: 20, isValid: false, failed: 2)
        #expect(
            try sentences("failCount", 2, events)
                == ["`failCount` is 2 since step 4, when the server refused the signature of `wallet`"])
        #expect(
            try sentences("remainingAttempts", 3, events)
                == ["`remainingAttempts` is 3 since step 4, when the server refused the signature of `wallet`"])
        let right =
            events + Self.signature(of: "main", "5", at: 30, isValid: true, failed: 0)
            + Self.signature(of: "main", "6", at: 40, isValid: true, failed: 0)
        #expect(
            try sentences("failCount", 0, right)
                == ["`failCount` is 0 since step 5, when the server accepted the signature of `main`"])
        // An app that has not fetched the status shows an older value: nothing is guessed.
        #expect(try sentences("failCount", 1, right) == [])
    }

    @Test
    func `A state is matched to the server's in other letters, and a change by the failed step itself is named`() throws
    {
        let blocked = Self.event(
            .serverActivation, "9", of: "server", at: 950,
            ["activationId": "a", "from": "ACTIVE", "to": "BLOCKED", "reason": "MAX_FAILED_ATTEMPTS"])
        #expect(
            try sentences("state", "blocked", [Self.created("a"), blocked])
                == [
                    "`state` is \"blocked\" since this step, when the server set the activation to BLOCKED (MAX_FAILED_ATTEMPTS)"
                ])
        #expect(
            try sentences("activationStatus", "CREATED", [Self.created("a")])
                == ["`activationStatus` is \"CREATED\" since step 1, when the server made the activation"])
    }

    @Test func `With two activations of the same value, or an event of another app, nothing is guessed`() throws {
        #expect(try sentences("state", "created", [Self.created("a"), Self.created("b")]) == [])
        // The apps of this topology share nothing.
        let removed = Self.event(.stateRemoved, "3", of: "wallet", at: 10)
        #expect(try sentences("", false, command: "hasValidActivation", [removed]) == [])
        let own = Self.event(.stateRemoved, "3", of: "main", at: 10)
        #expect(
            try sentences("", false, command: "hasValidActivation", [own])
                == ["`hasValidActivation` is false since step 3, when `main` removed the activation"])
    }

    @Test func `For an awaited value, a required event that did not happen is named`() throws {
        let before = [Self.created("a")]
        let sentence =
            "nothing changed `state` while the step waited: for that, the activation has to get another state at the server"
        #expect(try sentences("state", "created", since: 500, before).last == sentence)
        let meanwhile = Self.event(
            .serverActivation, "8", of: "server", at: 600,
            ["activationId": "a", "from": "CREATED", "to": "PENDING_COMMIT"])
        #expect(!(try sentences("state", "created", since: 500, before + [meanwhile])).contains(sentence))
        let quiet = "nothing but the attempts of this step happened in any process while it waited"
        #expect(try sentences("other", 1, since: 500, before) == [quiet])
        #expect(try sentences("other", 1, since: 500, before + [meanwhile]) == [])
        #expect(try sentences("other", 1, before) == [], "a step that does not wait has missed nothing")
    }
}
