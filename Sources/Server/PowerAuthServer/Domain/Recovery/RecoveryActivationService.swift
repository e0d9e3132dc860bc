import Foundation
import PowerAuthProtocol

/// Replaces a lost activation by a new one, for a valid recovery code and PUK (server.md, section 14.4).
///
/// Thread rule: worker threads only; all methods block.
struct RecoveryActivationService: Sendable {
    let context: ServiceContext

    /// The user's recovery code and PUK, and the parameters of the new activation.
    struct Recovery: Sendable {
        var code: Identifier?
        var puk: String?
        var maxFailureCount: Int?
        /// Required at the commit.
        var otp: String?
        var generatesRecoveryCode = true
    }

    /// Spends the PUK, removes the activation it belonged to and creates one that waits for its commit.
    ///
    /// A wrong PUK is counted although the call is refused; the refusal names the PUK that is expected until the
    /// attempts are used up. A failure after a correct PUK changes nothing.
    /// - Throws: `invalidRequest`, `invalidRecoveryCode` with or without an expected PUK; as
    ///   ``ActivationCreationService``.
    func recover(_ recovery: Recovery, sealed: SealedRequest) throws -> KeyExchangeService.Exchanged {
        guard let code = recovery.code.nonBlank, let puk = recovery.puk.nonBlank else {
            throw ServiceError(.invalidRequest, "recoveryCode and puk are required")
        }
        // The code decides about the refusal before the envelope does, and the PUK after it.
        let record = try context.read {
            try RecoveryAttempt.usableCode($0, applicationKey: sealed.applicationKey, code: code)
        }
        let exchange = try DeviceKeyExchange(opening: sealed, failures: .recovery, context: context)
        guard let deviceKey = exchange.devicePublicKey else {
            throw ServiceError(.activationExpired, "devicePublicKey is not a point of P-256")
        }
        var new = ActivationService.NewActivation()
        new.userId = record.userId
        new.applicationId = record.applicationId
        new.maxFailureCount = recovery.maxFailureCount
        new.otp = recovery.otp
        try ActivationCreationService.checkOtp(of: exchange, new.otpRequirement)
        let attempt = try RecoveryAttempt(context, applicationKey: sealed.applicationKey, code: code, puk: puk)
        // A wrong PUK costs only the hash of its comparison, and no hash of a one-time password.
        guard attempt.matches else {
            let refusal = try context.change { try attempt.spend(in: $0) }
            guard case .failure(let error) = refusal else {
                throw ServiceError(.invalidRecoveryCode, "a wrong PUK was taken")
            }
            throw error
        }
        let prepared = try ActivationService(context: context).prepare(new)
        let issued =
            recovery.generatesRecoveryCode
            ? try RecoveryDraft.make(context, applicationKey: sealed.applicationKey) : nil
        let activation: Activation = try context.changeKeepingRefusal { change in
            let spent: RecoveryAttempt.Spent
            switch try attempt.spend(in: change) {
            case .failure(let refusal): return .failure(refusal)
            case .success(let value): spent = value
            }
            var inheriting = prepared
            inheriting.new.flags = spent.inheritedFlags
            let activation = try ActivationCreationService(context: context).bind(
                inheriting, exchange, to: deviceKey, in: change)
            try issued?.issue(with: activation, policy: context.policy, in: change)
            return .success(activation)
        }
        return KeyExchangeService.Exchanged(
            activation: activation,
            response: try exchange.answer(activation, recovery: issued?.data, at: context.clock.now()))
    }
}

extension EnvelopeOpener.Failures {
    static let recovery = Self(wrongFields: .invalidRequest, unknownApplication: .invalidRequest)
}
