import LabKit
import PowerAuthProtocol
import Testing

@testable import PowerAuthServer

/// One way to call a resource or a command of the server, with what it does beside its answer.
///
/// There is at least one for each resource and each command (`RuleCoverageTests`), so that a new one must declare what it
/// does to failures, histories, operations and audits.
struct RuleCall: Sendable, CustomTestStringConvertible {
    /// What a call needs is there.
    struct Prepared: Sendable {
        /// The activation that the call is about; nil for a call about none.
        var activationId: String?
        /// Makes the call, once.
        let perform: @Sendable () async throws -> Void
    }

    /// The path of the resource as the server declares it, or the name of the command.
    let place: String
    /// What is special about this call.
    var situation = ""
    /// What the activation is when the call comes; nil leaves it as ``prepare`` has left it.
    var state: ActivationState?
    /// The external user that histories name; nil for none.
    var actor: String?
    let effects: RuleEffects
    let prepare: @Sendable (World) async throws -> Prepared

    var testDescription: String {
        [place, situation, state?.name ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
    }
}
