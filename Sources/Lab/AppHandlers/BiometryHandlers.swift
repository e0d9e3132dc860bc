// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import LocalAuthentication
import PowerAuth2

enum BiometryHandlers {
    static func register<SDK: FullSDK>(
        on peer: Peer, requests: RunningRequests, kept: KeptCredentials, sdk: @escaping () throws -> SDK
    ) {
        peer.handleSync(BiometryInfo.self) { _ in
            let info = PowerAuthKeychain.biometricAuthenticationInfo
            return BiometryInfo.Result {
                $0.canUse = PowerAuthKeychain.canUseBiometricAuthentication
                $0.currentStatus = BiometryInfo.Status(info.currentStatus)
                $0.biometryType = DeviceSpec.Biometry(info.biometryType)
            }
        }
        requests.handle(AddBiometryFactor.self) { arguments, reply in
            try sdk().addBiometryFactor(password: arguments.password.revealed) { reply(Outcome.of($0)) }
        }
        peer.handleSync(HasBiometryFactor.self) { _ in try sdk().hasBiometryFactor() }
        requests.handle(RemoveBiometryFactor.self) { _, reply in try sdk().removeBiometry(reply) }
        peer.handleBlocking(BiometrySignature.self) { arguments in
            let sdk = try sdk()
            let authentication = try factors(for: arguments, kept)
            return { try sdk.header(authentication, arguments.method, arguments.uriId, arguments.body) }
        }
        peer.handle(AuthenticateUsingBiometry.self) { arguments, reply in
            let sdk = try sdk()
            let sign = { (authentication: PowerAuthAuthentication?, error: (any Error)?) in
                if let authentication, let name = arguments.keepAs { kept.keep(authentication, as: name) }
                reply(
                    Outcome.of(authentication, error).flatMap { authentication in
                        Result { try sdk.header(authentication, arguments.method, arguments.uriId, arguments.body) }
                    })
            }
            guard let fallbackTitle = arguments.fallbackTitle else {
                return sdk.authenticateUsingBiometry(withPrompt: arguments.prompt, callback: sign)
            }
            let context = LAContext()
            context.localizedReason = arguments.prompt
            context.localizedFallbackTitle = fallbackTitle
            sdk.authenticateUsingBiometry(withContext: context, callback: sign)
        }
    }

    private static func factors(
        for arguments: BiometrySignature, _ kept: KeptCredentials
    ) throws -> PowerAuthAuthentication {
        guard let name = arguments.credentials else {
            return arguments.prompt.map { .possessionWithBiometry(prompt: $0) } ?? .possessionWithBiometry()
        }
        guard arguments.prompt == nil else {
            throw ControlError.badArgument(
                "`biometrySignature` takes either `prompt` or `credentials`: kept credentials open no dialog.")
        }
        return try kept.credentials(named: name)
    }
}

/// The credentials of an app's process that the user has confirmed in advance, by the names under which later commands
/// sign with them. They hold the biometry key, which never leaves the process.
///
/// Main queue only.
final class KeptCredentials {
    private var credentials: [String: PowerAuthAuthentication] = [:]

    /// Keeps credentials, in place of earlier ones of the same name.
    func keep(_ authentication: PowerAuthAuthentication, as name: String) { credentials[name] = authentication }

    /// The credentials that were kept under a name.
    /// - Throws: `ControlError` named `wrongState` when there are none.
    func credentials(named name: String) throws -> PowerAuthAuthentication {
        guard let found = credentials[name] else {
            let known = credentials.keys.sorted().joined(separator: ", ")
            throw ControlError.device(
                .wrongState,
                "the process keeps no credentials `\(name)`\(known.isEmpty ? "" : ", only \(known)"); "
                    + "`authenticateUsingBiometry` with `keepAs: \(name)` keeps them")
        }
        return found
    }
}

extension BiometryInfo.Status {
    fileprivate init(_ status: PowerAuthBiometricAuthenticationStatus) {
        self =
            switch status {
            case .available: .available
            case .notSupported: .notSupported
            case .notAvailable: .notAvailable
            case .notEnrolled: .notEnrolled
            case .lockout: .lockout
            }
    }
}

extension DeviceSpec.Biometry {
    fileprivate init(_ type: PowerAuthBiometricAuthenticationType) {
        self =
            switch type {
            case .none: .none
            case .touchID: .touchID
            case .faceID: .faceID
            }
    }
}
