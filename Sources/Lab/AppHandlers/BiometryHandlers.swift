// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabVocabulary
import LocalAuthentication
import PowerAuth2

enum BiometryHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
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
        peer.handleSync(RemoveBiometryFactor.self) { _ in try sdk().removeBiometryFactor() }
        peer.handleBlocking(BiometrySignature.self) { arguments in
            let sdk = try sdk()
            return {
                let authentication: PowerAuthAuthentication =
                    arguments.prompt.map { .possessionWithBiometry(prompt: $0) } ?? .possessionWithBiometry()
                return try sdk.header(authentication, arguments.method, arguments.uriId, arguments.body)
            }
        }
        peer.handle(AuthenticateUsingBiometry.self) { arguments, reply in
            let sdk = try sdk()
            let sign = { (authentication: PowerAuthAuthentication?, error: NSError?) in
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
