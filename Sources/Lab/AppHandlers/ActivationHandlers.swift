// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2

enum ActivationHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        requests.handle(CreateActivation.self) { arguments, reply in
            let activation = try PowerAuthActivation(activationCode: arguments.activationCode, name: arguments.name)
            if let otp = arguments.additionalActivationOtp { activation.with(additionalActivationOtp: otp.revealed) }
            activation.with(extras: arguments.extras, customAttributes: arguments.customAttributes)
            return try start(activation, sdk(), reply)
        }
        peer.handleSync(ParseActivationCode.self) { arguments in
            PowerAuthActivationCodeUtil.parse(fromActivationCode: arguments.activationCode).map { code in
                ParseActivationCode.Parts {
                    $0.activationCode = code.activationCode
                    $0.activationSignature = code.activationSignature
                }
            }
        }
        requests.handle(CreateActivationWithRecoveryCode.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                recoveryCode: arguments.recoveryCode, recoveryPuk: arguments.puk.revealed, name: arguments.name)
            return try start(activation, sdk(), reply)
        }
        requests.handle(CreateCustomActivation.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                identityAttributes: arguments.identityAttributes.mapValues { $0.stringValue ?? "\($0)" },
                name: arguments.name)
            activation.with(extras: arguments.extras, customAttributes: arguments.customAttributes)
            return try start(activation, sdk(), reply)
        }
        requests.handle(CreateOpenIDActivation.self) { arguments, reply in
            let activation = try PowerAuthActivation(
                oidcProviderId: arguments.providerId, code: arguments.code, nonce: arguments.nonce,
                codeVerifier: arguments.codeVerifier)
            if let name = arguments.name { activation.with(activationName: name) }
            return try start(activation, sdk(), reply)
        }
        peer.handleSync(PersistActivation.self) { arguments in
            let password = arguments.password.revealed
            try sdk().persistActivation(
                with: arguments.biometry
                    ? .persistWithPasswordAndBiometry(password: password) : .persistWithPassword(password: password))
        }
        requests.handle(FetchActivationStatus.self) { _, reply in
            try sdk().fetchActivationStatus { status, error in
                reply(Outcome.of(status.map(FetchActivationStatus.Result.init), error))
            }
        }
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
        registerRecovery(on: peer, requests: requests, sdk: sdk)
    }

    private static func registerRecovery(
        on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK
    ) {
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

    private static func start(
        _ activation: PowerAuthActivation, _ sdk: PowerAuthSDK,
        _ reply: @escaping CommandDispatcher<Void>.Reply<CreateActivation.Result>
    ) -> (any PowerAuthOperationTask)? {
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
        self.init {
            $0.activationFingerprint = result.activationFingerprint
            $0.activationRecovery = result.activationRecovery.map(RecoveryDescription.init)
            $0.customAttributes = result.customAttributes.map([String: JSONValue].init(propertyList:))
            $0.userInfo = result.userInfo.map { [String: JSONValue](propertyList: $0.allClaims) }
        }
    }
}

extension FetchActivationStatus.Result {
    init(_ status: PowerAuthActivationStatus) {
        self.init {
            $0.state = FetchActivationStatus.State(status.state)
            $0.failCount = Int(status.failCount)
            $0.maxFailCount = Int(status.maxFailCount)
            $0.remainingAttempts = Int(status.remainingAttempts)
            $0.customObject = status.customObject.map([String: JSONValue].init(propertyList:))
        }
    }
}

extension FetchActivationStatus.State {
    fileprivate init(_ state: PowerAuthActivationState) {
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
    fileprivate init(_ data: PowerAuthActivationRecoveryData) {
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
