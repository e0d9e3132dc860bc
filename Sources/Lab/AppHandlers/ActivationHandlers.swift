// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2

enum ActivationHandlers {
    static func register<SDK: FullSDK>(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> SDK) {
        requests.handle(CreateActivation.self) { arguments, reply in
            let activation = try SDK.Activation(activationCode: arguments.activationCode, name: arguments.name)
            if let otp = arguments.additionalActivationOtp { activation.with(additionalActivationOtp: otp.revealed) }
            activation.with(extras: arguments.extras, customAttributes: arguments.customAttributes)
            return try sdk().start(activation, reply)
        }
        peer.handleSync(ParseActivationCode.self) { arguments in
            PowerAuthActivationCodeUtil.parse(fromActivationCode: arguments.activationCode).map { code in
                ParseActivationCode.Parts {
                    $0.activationCode = code.activationCode
                    $0.activationSignature = code.activationSignature
                }
            }
        }
        requests.handle(CreateCustomActivation.self) { arguments, reply in
            let activation = try SDK.Activation(
                identityAttributes: arguments.identityAttributes.mapValues { $0.stringValue ?? "\($0)" },
                name: arguments.name)
            activation.with(extras: arguments.extras, customAttributes: arguments.customAttributes)
            return try sdk().start(activation, reply)
        }
        requests.handle(CreateOpenIDActivation.self) { arguments, reply in
            let activation = try SDK.Activation(
                oidcProviderId: arguments.providerId, code: arguments.code, nonce: arguments.nonce,
                codeVerifier: arguments.codeVerifier)
            if let name = arguments.name { activation.with(activationName: name) }
            return try sdk().start(activation, reply)
        }
        requests.handle(PersistActivation.self) { arguments, reply in
            let password = arguments.password.revealed
            return try sdk().persist(
                arguments.biometry
                    ? .persistWithPasswordAndBiometry(password: password) : .persistWithPassword(password: password),
                reply)
        }
        requests.handle(FetchActivationStatus.self) { _, reply in try sdk().fetchStatus(reply) }
        requests.handle(RemoveActivation.self) { arguments, reply in
            try sdk().removeActivation(with: .signing(with: arguments.password)) { reply(Outcome.of($0)) }
        }
        peer.handleSync(RemoveActivationLocal.self) { _ in
            try sdk().removeActivationLocal()
        }
        peer.handleSync(CanStartActivation.self) { _ in try sdk().canStartActivation() }
        peer.handleSync(HasPendingActivation.self) { _ in try sdk().hasPendingActivation() }
        peer.handleSync(HasValidActivation.self) { _ in try sdk().hasValidActivation() }
        peer.handleSync(ActivationIdentifier.self) { _ in try sdk().activationIdentifier }
        peer.handleSync(ActivationFingerprint.self) { _ in try sdk().activationFingerprint }
        peer.handleSync(ExternalPendingOperation.self) { _ in
            try sdk().externalPendingOperation.map(ExternalPendingOperation.Operation.init)
        }
    }
}

/// The commands about recovery codes, which SDK 2.0 has no longer.
enum RecoveryHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        requests.handle(CreateActivationWithRecoveryCode.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                recoveryCode: arguments.recoveryCode, recoveryPuk: arguments.puk.revealed, name: arguments.name)
            return try sdk().start(activation, reply)
        }
        peer.handleSync(HasActivationRecoveryData.self) { _ in try sdk().hasActivationRecoveryData() }
        requests.handle(ActivationRecoveryData.self) { arguments, reply in
            try sdk().activationRecoveryData(.signing(with: arguments.password)) { data, error in
                reply(Outcome.of(data.map(RecoveryDescription.init), error))
            }
        }
        requests.handle(ConfirmRecoveryCode.self) { arguments, reply in
            try sdk().confirmRecoveryCode(
                arguments.recoveryCode, authentication: .signing(with: arguments.password)
            ) { wasConfirmed, error in
                reply(Outcome.of(.init { $0.alreadyConfirmed = wasConfirmed }, error))
            }
        }
    }
}

extension ActivationData {
    fileprivate func with(extras: String?, customAttributes: [String: JSONValue]?) {
        if let extras { with(extras: extras) }
        if let customAttributes { with(customAttributes: customAttributes.propertyList) }
    }
}

extension FetchActivationStatus.State {
    init(_ state: PowerAuthActivationState) {
        self =
            switch state {
            case .created: .created
            case .pendingCommit: .pendingCommit
            case .active: .active
            case .blocked: .blocked
            case .removed: .removed
            case .deadlock: .deadlock
            }
    }
}

extension RecoveryDescription {
    init(_ data: PowerAuthActivationRecoveryData) {
        self.init {
            $0.recoveryCode = data.recoveryCode
            $0.puk = Secret(data.puk)
        }
    }
}

extension ExternalPendingOperation.Operation {
    fileprivate init(_ operation: PowerAuthExternalPendingOperation) {
        self.init {
            $0.externalOperationType = operation.externalOperationType == .activation ? .activation : .protocolUpgrade
            $0.externalApplicationId = operation.externalApplicationId
        }
    }
}

/// The commands that give an app an activation of the protocol V2, as after an update of an app that has not run for years.
///
/// They write the stored state as the older SDK would have; everything afterwards is the SDK's own.
enum LegacyActivationHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        // Between the two commands; on the main queue only, like every handler.
        var started: LegacyActivation?
        peer.handleSync(StartLegacyActivation.self) { _ in
            let sdk = try sdk()
            guard sdk.canStartActivation(),
                let setup = PowerAuthCoreSessionSetup(configuration: sdk.configuration.configuration),
                let activation = LegacyActivation(setup: setup)
            else { throw NSError.powerAuth(.invalidActivationState) }
            started = activation
            return .init { $0.devicePublicKey = activation.devicePublicKey }
        }
        peer.handleSync(CompleteLegacyActivation.self) { arguments in
            let sdk = try sdk()
            let keys = try sdk.factorKeys.possessionKeys()
            keys.userPassword = PowerAuthCorePassword(string: arguments.password.revealed)
            let activation = started
            started = nil
            guard
                let state = activation?.state(
                    activationId: arguments.activationId, serverPublicKey: arguments.serverPublicKey, keys: keys)
            else { throw NSError.powerAuth(.invalidActivationState) }
            // Another app may have made one since.
            let isStored = sdk.sessionProvider.writeBoolTask { $0.canStartActivation && $0.deserializeState(state) }
            guard isStored else { throw NSError.powerAuth(.invalidActivationState) }
        }
    }
}
