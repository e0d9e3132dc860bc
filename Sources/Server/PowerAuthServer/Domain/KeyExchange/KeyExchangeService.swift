import Foundation
import PowerAuthProtocol

/// The server's half of the key exchange of an activation by code (server.md, section 7.2).
///
/// Thread rule: worker threads only; all methods block.
struct KeyExchangeService: Sendable {
    let context: ServiceContext

    /// The exchanged activation and the sealed answer for its device.
    struct Exchanged: Sendable {
        let activation: Activation
        let response: EciesResponse
    }

    /// Gives the activation with this code to the device that sent the request.
    ///
    /// Right keys move it to PENDING_COMMIT, or to ACTIVE when its commit phase is the key exchange. A device
    /// key that is no point of the curve removes it (server.md, section 30, item 17).
    /// - Parameters:
    ///   - activationCode: the code the user entered.
    ///   - generatesRecoveryCode: whether a recovery code comes with it, if the application allows that.
    ///   - sealed: the inner layer, application scope.
    /// - Throws: ServiceError in the order of server.md, section 7.2.
    func exchange(activationCode: Identifier?, generatesRecoveryCode: Bool, sealed: SealedRequest) throws -> Exchanged {
        let exchange = try DeviceKeyExchange(opening: sealed, failures: .keyExchange, context: context)
        let application = exchange.opened.applicationVersion.application
        let code = activationCode ?? Identifier.none
        let proof = try OtpProof.prepare(context, otp: exchange.request.activationOtp, at: .onKeyExchange) {
            try ActivationStore.findCreated($0, application: application, code: code)
        }
        // A code that no activation waits for, or a wrong password, costs no hash of a PUK.
        let recovery =
            generatesRecoveryCode && proof.isPromising && exchange.devicePublicKey != nil
            ? try RecoveryDraft.make(context, applicationKey: sealed.applicationKey) : nil

        let activation: Activation = try context.changeKeepingRefusal { change in
            let found = try ActivationStore.findCreated(change.database, application: application, code: code)
            guard var activation = found else {
                return .failure(ServiceError(.activationNotFound, "no activation waits with this code"))
            }
            guard case .created(let expires) = activation.lifecycle, try !change.removeIfExpired(&activation) else {
                return .failure(ServiceError(.activationNotFound, "activation \(activation.id) expired"))
            }
            if let refusal = try proof.refusal(of: &activation, at: .onKeyExchange, in: change) {
                return .failure(refusal)
            }
            guard let deviceKey = exchange.devicePublicKey else {
                activation.lifecycle = .removed(nil)
                try change.save(&activation, previous: .created)
                return .failure(ServiceError(.activationNotFound, "devicePublicKey is not a point of P-256"))
            }
            let binding = exchange.binding(to: deviceKey)
            // Past the check of the password, its presence means that it was due now and right.
            activation.lifecycle =
                proof.isGiven || activation.otp.commitPhase == .onKeyExchange
                ? .active(binding) : .pendingCommit(binding, expires: expires)
            exchange.describe(&activation, at: change.now)
            try change.save(&activation, previous: .created)
            try recovery?.issue(with: activation, policy: context.policy, in: change)
            return .success(activation)
        }
        return Exchanged(
            activation: activation,
            response: try exchange.answer(activation, recovery: recovery?.data, at: context.clock.now()))
    }
}
