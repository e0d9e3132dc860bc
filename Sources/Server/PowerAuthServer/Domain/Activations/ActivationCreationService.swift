import Foundation
import PowerAuthProtocol

/// Activations whose user is known before the device comes: initiation and key exchange in one step, without an
/// activation code from outside (server.md, section 7.3).
///
/// Thread rule: worker threads only; all methods block.
struct ActivationCreationService: Sendable {
    let context: ServiceContext

    /// Creates an activation for the device that sent the request; it waits for its commit.
    ///
    /// A failure leaves no record. A one-time password, if given, is required at the commit (server.md, section 30,
    /// item 3).
    /// - Parameters:
    ///   - new: the user and the limits; its application is the one of the request's application key.
    ///   - generatesRecoveryCode: whether a recovery code comes with it, if the application allows that.
    ///   - sealed: the inner layer, application scope.
    /// - Throws: `invalidRequest` for the user, `activationCreateFailure` for the limits, `invalidApplication` for the
    ///   application key, `activationExpired` for a device key that is not a point of P-256, `invalidActivationOtp` for
    ///   a one-time password that the device sends too early; the rest as in the key exchange.
    func create(
        _ new: ActivationService.NewActivation, generatesRecoveryCode: Bool, sealed: SealedRequest
    ) throws -> KeyExchangeService.Exchanged {
        let exchange = try DeviceKeyExchange(opening: sealed, failures: .decryptor, context: context)
        guard let deviceKey = exchange.devicePublicKey else {
            throw ServiceError(.activationExpired, "devicePublicKey is not a point of P-256")
        }
        // Before anything costly; `bind` decides.
        try Self.checkOtp(of: exchange, new.otpRequirement)
        var new = new
        new.applicationId = exchange.opened.applicationVersion.application.id
        let prepared = try ActivationService(context: context).prepare(new)
        let recovery =
            generatesRecoveryCode
            ? try RecoveryDraft.make(context, applicationKey: sealed.applicationKey) : nil
        let activation = try context.change { change in
            let activation = try bind(prepared, exchange, to: deviceKey, in: change)
            try recovery?.issue(with: activation, policy: context.policy, in: change)
            return activation
        }
        return KeyExchangeService.Exchanged(
            activation: activation,
            response: try exchange.answer(activation, recovery: recovery?.data, at: context.clock.now()))
    }

    /// Inserts the prepared activation and binds it to the device, within one transaction.
    /// - Throws: `invalidActivationOtp` for a one-time password in the inner layer, where none is allowed; as
    ///   `ActivationService.insert`.
    func bind(
        _ prepared: ActivationService.Prepared, _ exchange: DeviceKeyExchange, to deviceKey: PublicKey,
        in change: WriteTransaction
    ) throws -> Activation {
        var activation = try ActivationService(context: context).insert(prepared, in: change).activation
        guard case .created(let expires) = activation.lifecycle else {
            throw ServiceError(.activationIncorrectState, "activation \(activation.id) was not just created")
        }
        try Self.checkOtp(of: exchange, activation.otp)
        activation.lifecycle = .pendingCommit(exchange.binding(to: deviceKey), expires: expires)
        exchange.describe(&activation, at: change.now)
        try change.save(&activation, previous: .created)
        return activation
    }

    /// - Throws: `invalidActivationOtp` for a one-time password in the inner layer, where none is allowed.
    static func checkOtp(of exchange: DeviceKeyExchange, _ requirement: OtpRequirement) throws {
        let isGiven = exchange.request.activationOtp.nonBlank != nil
        guard requirement.check(at: .onKeyExchange, given: isGiven) == .skip else {
            throw ServiceError(.invalidActivationOtp, "no one-time password is expected in the key exchange")
        }
    }
}
