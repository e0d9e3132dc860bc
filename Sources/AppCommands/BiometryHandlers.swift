import Foundation
import LabKit
import LabPeer
import PeerCommands
import PowerAuth2

/// The commands about the biometry factor.
enum BiometryHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(BiometryInfo.self) { _ in
            let info = PowerAuthKeychain.biometricAuthenticationInfo
            return BiometryInfo.Result(
                canUse: PowerAuthKeychain.canUseBiometricAuthentication,
                currentStatus: String(describing: info.currentStatus),
                biometryType: String(describing: info.biometryType))
        }
        peer.handle(AddBiometryFactor.self) { arguments, reply in
            try sdk().addBiometryFactor(password: arguments.password.revealed) { reply(Outcome.of($0)) }
        }
        peer.handleSync(HasBiometryFactor.self) { _ in try sdk().hasBiometryFactor() }
        peer.handleSync(RemoveBiometryFactor.self) { _ in try sdk().removeBiometryFactor() }
        peer.handleBlocking(BiometrySignature.self) { arguments in
            let sdk = try sdk()
            return {
                let authentication: PowerAuthAuthentication =
                    arguments.prompt.map { .possessionWithBiometry(prompt: $0) } ?? .possessionWithBiometry()
                return try sdk.header(arguments, with: authentication)
            }
        }
        peer.handle(AuthenticateUsingBiometry.self) { arguments, reply in
            let sdk = try sdk()
            sdk.authenticateUsingBiometry(withPrompt: arguments.prompt ?? "Authenticate") { authentication, error in
                reply(
                    Outcome.of(authentication, error).flatMap { authentication in
                        Result { try sdk.header(arguments, with: authentication) }
                    })
            }
        }
    }
}

extension PowerAuthSDK {
    fileprivate func header(
        _ arguments: BiometrySignatureArguments, with authentication: PowerAuthAuthentication
    ) throws -> HTTPHeader {
        try HTTPHeader(
            requestSignature(
                with: authentication, method: arguments.method ?? "POST", uriId: arguments.uriId,
                body: arguments.body.map { Data($0.utf8) }))
    }
}
