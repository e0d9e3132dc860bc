// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every call that counts a failure closes what has its most failures, and nothing that has fewer (server.md, sections
/// 14.4, 20.1, 20.6 and 23).
@Suite("Limits of failures over all calls", .endsInTime)
struct RuleLimitTests {
    /// The most failures of every activation, operation and recovery code here.
    private static let limit = 5

    /// The calls that count, as the table of rules declares them.
    private static func counting(_ calls: [RuleCall]) -> [RuleCall] {
        calls.filter { call in
            [call.effects.activation, call.effects.operation, call.effects.recovery].contains(.counted)
        }
    }

    @Test(.verifies("size", "ServerPolicy.recoveryMaxFailedAttempts"))
    func `A call of the back office that counts a failure closes at the limit, and not before`() async throws {
        try await check(RuleCall.backOffice, on: ServerFixture.deviceSide())
    }

    @Test func `A call of a device that counts a failure closes at the limit, and not before`() async throws {
        try await check(RuleCall.device + RuleCall.deviceV4, on: ServerFixture.deviceSide())
    }

    @Test
    func `A call of the Mobile Token API, the lab or a command that counts a failure closes at the limit`() async throws
    {
        try await check(RuleCall.mobileToken + RuleCall.lab + RuleCall.commands, on: ServerFixture.mobileToken())
    }

    private func check(_ calls: [RuleCall], on fixture: ServerFixture) async throws {
        let counting = Self.counting(calls)
        #expect(!counting.isEmpty)
        try await World.runRules(fixture) { world in
            // All calls of one place end in the same code; one of each is enough for the numbers around the limit.
            for call in Dictionary(grouping: counting, by: \.place).values.compactMap(\.first) {
                // Only an activation can have them all and be open, when it was seeded so.
                let most = call.effects.activation == .counted ? Self.limit : Self.limit - 1
                for failures in Self.limit - 2...most {
                    let trial = try #require(
                        try await RuleTrial(call, in: world, failures: failures, limit: Self.limit))
                    try check(trial, of: call, after: failures)
                }
            }
        }
    }

    private func check(_ trial: RuleTrial, of call: RuleCall, after failures: Int) throws {
        let what: Comment = "\(call.testDescription) after \(failures) of \(Self.limit) failures"
        let closes = failures >= Self.limit - 1
        #expect(trial.mismatches(actor: call.actor) == [], what)
        if call.effects.activation == .counted {
            let former = call.effects.verified.isEmpty ? ActivationState.removed : .blocked
            let closed = trial.after.activations.filter { id, activation in
                activation.status == former && trial.before.activations[id]?.status != former
            }
            #expect(closed.count == (closes ? 1 : 0), what)
            let item = former == .blocked ? "BLOCKED MAX_FAILED_ATTEMPTS" : "REMOVED OTP_MAX_FAILED_ATTEMPTS"
            #expect(trial.effects.history.contains(item) == closes, what)
        }
        if call.effects.operation == .counted, failures < Self.limit {
            let last = "FAILED \(Self.limit)"
            #expect(trial.effects.operations == [closes ? last : "PENDING \(failures + 1)"], what)
        }
        if call.effects.recovery == .counted {
            let isBlocked = trial.after.audit.last?.detail["isBlocked"]?.boolValue
            #expect(isBlocked == closes, what)
        }
    }

    @Test(.verifies("size", "ServerPolicy.maxFailedAttempts"), arguments: [1, 2, 3, 5])
    func `An activation that was unblocked has all its attempts again, however often`(limit: Int) async throws {
        try await World.run { world in
            var device = try await world.client.activeDevice(.v3_3, ["maxFailureCount": limit])
            let id = device.activationId
            let unblocking: [(String, Fields)] = [
                ("activation/unblock", ["activationId": id]),
                ("activation/status/update", ["activationIds": [id], "activationStatus": "ACTIVE"]),
                ("activation/unblock", ["activationId": id]),
            ]
            for (path, fields) in unblocking {
                for attempt in 1...limit {
                    let answer = try await device.verifySignature(correct: false)
                    #expect(answer.number("remainingAttempts") == limit - attempt)
                    #expect(answer.text("activationStatus") == (attempt == limit ? "BLOCKED" : "ACTIVE"))
                }
                // A wrong signature does not move the counter of the server.
                device.counter = try await device.counterOfServer(world)
                try await world.call(path, fields)
            }
            #expect(try await device.verifySignature().flag("signatureValid") == true)
        }
    }

    @Test(arguments: 1...6)
    func `Successes between failures give all attempts back, and possession alone gives none`(failures: Int)
        async throws
    {
        try await World.run { world in
            var device = try await world.client.activeDevice(.v3_3, ["maxFailureCount": 5])
            for type in [SignatureType.possessionKnowledge, .possessionBiometry, .possessionKnowledgeBiometry] {
                for attempt in 1...4 {
                    let answer = try await device.verifySignature(type: type, correct: false)
                    #expect(answer.number("remainingAttempts") == 5 - attempt)
                    device.counter = try await device.counterOfServer(world)
                    #expect(try await device.verifySignature(type: .possession).flag("signatureValid") == true)
                }
                #expect(try await device.verifySignature(type: type).number("remainingAttempts") == 5)
                #expect(try await world.client.activationStatus(device.activationId).number("failedAttempts") == 0)
            }
            for attempt in 1...failures {
                let answer = try await device.verifySignature(correct: false)
                device.counter = try await device.counterOfServer(world)
                #expect(answer.text("activationStatus") == (attempt < 5 ? "ACTIVE" : "BLOCKED"))
            }
        }
    }
}

extension TestDevice {
    /// The counter that the server will look for.
    fileprivate func counterOfServer(_ world: World) async throws -> CounterData {
        let activation = try #require(
            try world.fixture.server.services.context.activation(Identifier(known: activationId)))
        return try CounterData(#require(activation.lifecycle.binding?.counterData))
    }
}
