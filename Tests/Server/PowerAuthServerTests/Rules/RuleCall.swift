import LabKit
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
