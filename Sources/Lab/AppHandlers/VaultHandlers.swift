import Foundation
import LabKit
import LabPeer
import PowerAuth2

/// The commands about keys and signatures that need the vault, about the key of the app's own, and about recovery
/// codes.
enum VaultHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        registerVault(on: peer, requests: requests, sdk: sdk)
        registerExternalEncryptionKey(on: peer, sdk: sdk)
        registerRecovery(on: peer, requests: requests, sdk: sdk)
    }

    private static func registerVault(
        on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK
    ) {
        requests.handle(FetchEncryptionKey.self) { arguments, reply in
            try sdk().fetchEncryptionKey(.signing(with: arguments.password), index: arguments.index) { key, error in
                reply(Outcome.of(key.map { Secret($0.base64EncodedString()) }, error))
            }
        }
        requests.handle(SignData.self) { arguments, reply in
            try sdk().signData(
                withDevicePrivateKey: .signing(with: arguments.password), data: Data(arguments.data.utf8)
            ) { signature, error in
                reply(Outcome.of(signature?.base64EncodedString(), error))
            }
        }
        requests.handle(SignJWT.self) { arguments, reply in
            try sdk().signJwt(
                withDevicePrivateKey: .signing(with: arguments.password), claims: arguments.claims.propertyList
            ) { token, error in
                reply(Outcome.of(token, error))
            }
        }
        peer.handleSync(VerifyServerSignedData.self) { arguments in
            try sdk().verifyServerSignedData(
                Data(arguments.data.utf8), signature: arguments.signature, masterKey: arguments.masterKey)
        }
    }

    private static func registerExternalEncryptionKey(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(SetExternalEncryptionKey.self) { arguments in
            try sdk().setExternalEncryptionKey(bytes(of: arguments.key))
        }
        peer.handleSync(AddExternalEncryptionKey.self) { arguments in
            try sdk().addExternalEncryptionKey(bytes(of: arguments.key))
        }
        peer.handleSync(RemoveExternalEncryptionKey.self) { _ in
            try sdk().removeExternalEncryptionKey()
        }
        peer.handleSync(HasExternalEncryptionKey.self) { _ in try sdk().hasExternalEncryptionKey }
    }

    private static func bytes(of key: Secret) throws -> Data {
        guard let bytes = Data(base64Encoded: key.revealed) else {
            throw ControlError.badArgument("`key` expects Base64 of 16 bytes.")
        }
        return bytes
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
}

extension RecoveryDescription {
    init(_ data: PowerAuthActivationRecoveryData) {
        self.init {
            $0.recoveryCode = data.recoveryCode
            $0.puk = Secret(data.puk)
        }
    }
}
