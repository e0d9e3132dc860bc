// SPDX-License-Identifier: Apache-2.0

import LabControl
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// One way to call a resource or a command of the server, with what it does beside its answer.
///
/// There is at least one for each resource and each command (`RuleCoverageTests`), so that a new one must declare what it
/// does to failures, histories, operations and audits.
struct RuleCall: Sendable, CustomTestStringConvertible {
    /// A call whose preconditions are met.
    struct Prepared: Sendable {
        /// The activation that the call is about; nil for a call about none.
        var activationId: String?
        /// Makes the call, once.
        let perform: @Sendable () async throws -> Void
    }

    /// The path of the resource as the server declares it, or the name of the command.
    let place: String
    /// The special conditions of this call.
    var situation = ""
    /// The state of the activation at the call; nil keeps that of ``prepare``.
    var state: ActivationState?
    /// The external user that histories name; nil for none.
    var actor: String?
    let effects: RuleEffects
    let prepare: @Sendable (World) async throws -> Prepared

    var testDescription: String {
        [place, situation, state?.name ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}

/// The effect of a call on the failure counter of one record that is above zero and below its maximum.
enum FailureCount: Equatable, Sendable {
    case left
    case cleared
    /// One more than before.
    case counted
    /// Anything else, which no call may do.
    case wrong(from: Int, to: Int)

    init(from before: Int, to after: Int) {
        self =
            switch after {
            case before: .left
            case 0: .cleared
            case before + 1: .counted
            default: .wrong(from: before, to: after)
            }
    }
}

/// The side effects of a call on the server. Effects that are not named do not happen.
struct RuleEffects: Equatable, Sendable {
    /// The failures of the activation that the call is about.
    var activation = FailureCount.left
    /// The failed approvals of the operation that the call is about.
    var operation = FailureCount.left
    /// The wrong PUKs of the recovery code that the call is about.
    var recovery = FailureCount.left
    /// The items of histories, oldest first: status, and reason where there is one.
    var history: [String] = []
    /// The operations that are saved, oldest first: status and failures.
    var operations: [String] = []
    /// The signatures that are verified, oldest first: whether they are right.
    var verified: [Bool] = []
}

extension RuleEffects: CustomStringConvertible {
    /// Only what happens.
    var description: String {
        var parts: [String] = []
        if activation != .left { parts.append("activation \(activation)") }
        if operation != .left { parts.append("operation \(operation)") }
        if recovery != .left { parts.append("recovery code \(recovery)") }
        if !history.isEmpty { parts.append("history \(history)") }
        if !operations.isEmpty { parts.append("operations \(operations)") }
        if !verified.isEmpty { parts.append("verified \(verified)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }
}
