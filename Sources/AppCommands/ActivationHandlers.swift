import Foundation
import LabKit
import LabPeer
import PeerCommands
import PowerAuth2

/// The commands about the life of an activation.
enum ActivationHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handle(CreateActivation.self) { arguments, reply in
            let activation = try PowerAuthActivation(activationCode: arguments.activationCode, name: arguments.name)
            if let otp = arguments.additionalActivationOtp {
                activation.with(additionalActivationOtp: otp.revealed)
            }
            activation.with(extras: arguments.extras, customAttributes: arguments.customAttributes)
            try start(activation, sdk(), reply)
        }
        peer.handleSync(ParseActivationCode.self) { arguments in
            PowerAuthActivationCodeUtil.parse(fromActivationCode: arguments.activationCode).map {
                .init(activationCode: $0.activationCode, activationSignature: $0.activationSignature)
            }
        }
        peer.handle(CreateActivationWithRecoveryCode.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                recoveryCode: arguments.recoveryCode, recoveryPuk: arguments.puk.revealed, name: arguments.name)
            try start(activation, sdk(), reply)
        }
        peer.handle(CreateCustomActivation.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                identityAttributes: arguments.identityAttributes.mapValues { $0.stringValue ?? "\($0)" },
                name: arguments.name)
            activation.with(extras: arguments.extras, customAttributes: arguments.customAttributes)
            try start(activation, sdk(), reply)
        }
        peer.handle(CreateOpenIDActivation.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                oidcProviderId: arguments.providerId, code: arguments.code, nonce: arguments.nonce,
                codeVerifier: arguments.codeVerifier)
            if let name = arguments.name { activation.with(activationName: name) }
            try start(activation, sdk(), reply)
        }
        peer.handleSync(PersistActivation.self) { arguments in
            let password = arguments.password.revealed
            try sdk().persistActivation(
                with: arguments.biometry == true
                    ? .persistWithPasswordAndBiometry(password: password) : .persistWithPassword(password: password))
            return NoResult()
        }
        peer.handle(FetchActivationStatus.self) { _, reply in
            try sdk().fetchActivationStatus { status, error in
                reply(Outcome.of(status.map(FetchActivationStatus.Result.init), error))
            }
        }
        peer.handle(RemoveActivation.self) { arguments, reply in
            try sdk().removeActivation(with: .signing(with: arguments.password)) { reply(Outcome.of($0)) }
        }
        peer.handleSync(RemoveActivationLocal.self) { _ in
            try sdk().removeActivationLocal()
            return NoResult()
        }
        peer.handleSync(CanStartActivation.self) { _ in try sdk().canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in try sdk().hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in try sdk().hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in try sdk().activationIdentifier }
        peer.handleSync(ActivationFingerprint.self) { _ in try sdk().activationFingerprint }
        peer.handleSync(ExternalPendingOperation.self) { _ in
            try sdk().externalPendingOperation.map {
                ExternalPendingOperation.Operation(
                    externalOperationType: String(describing: $0.externalOperationType),
                    externalApplicationId: $0.externalApplicationId)
            }
        }
    }

    private static func start(
        _ activation: PowerAuthActivation, _ sdk: PowerAuthSDK,
        _ reply: @escaping @Sendable (Result<CreateActivation.Result, any Error>) -> Void
    ) {
        sdk.createActivation(activation) { result, error in
            reply(Outcome.of(result.map(CreateActivation.Result.init), error))
        }
    }
}

extension PowerAuthActivation {
    fileprivate func with(extras: String?, customAttributes: [String: JSONValue]?) {
        if let extras { with(extras: extras) }
        if let customAttributes { with(customAttributes: customAttributes.propertyList) }
    }
}

extension CreateActivation.Result {
    init(_ result: PowerAuthActivationResult) {
        self.init(
            activationFingerprint: result.activationFingerprint,
            activationRecovery: result.activationRecovery.map(RecoveryDescription.init),
            customAttributes: result.customAttributes.map { .object([String: JSONValue](propertyList: $0)) },
            userInfo: result.userInfo.map { .object([String: JSONValue](propertyList: $0.allClaims)) })
    }
}

extension FetchActivationStatus.Result {
    init(_ status: PowerAuthActivationStatus) {
        self.init(
            state: String(describing: status.state), failCount: Int(status.failCount),
            maxFailCount: Int(status.maxFailCount), remainingAttempts: Int(status.remainingAttempts),
            customObject: status.customObject.map { .object([String: JSONValue](propertyList: $0)) })
    }
}
