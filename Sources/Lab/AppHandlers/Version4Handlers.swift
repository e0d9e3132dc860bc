// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import PowerAuthSDK2
import PowerAuthShared

/// The commands that only an app with SDK 2.0 has.
enum Version4Handlers {
    static func register(
        on peer: Peer, requests: RunningRequests, kept: KeptCredentials,
        sdk: @escaping () throws -> PowerAuthSDK
    ) {
        requests.handle(StartProtocolUpgrade.self) { arguments, reply in
            try sdk().startProtocolUpgrade(
                with: .signing(with: arguments.password),
                biometry: arguments.biometry.map { try kept.credentials(named: $0) }
            ) { reply(Outcome.of($0)) }
        }
        peer.handleSync(HasPendingProtocolUpgrade.self) { _ in try sdk().hasPendingProtocolUpgrade() }
        requests.handle(FetchSecureVaultKey.self) { arguments, reply in
            let key: PowerAuthSecureVaultKey =
                switch arguments.key {
                case .twoFactor: .twoFactor
                case .knowledge: .knowledge
                }
            guard arguments.password == nil || arguments.credentials == nil else {
                throw ControlError.badArgument(
                    "`fetchSecureVaultKey` takes either `password` or `credentials`: each says which factors it uses.")
            }
            let authentication =
                try arguments.credentials.map { try kept.credentials(named: $0) } ?? .signing(with: arguments.password)
            return try sdk().fetchSecureVaultKey(key, with: authentication) { bytes, error in
                reply(Outcome.of(bytes.map { Secret($0.base64EncodedString()) }, error))
            }
        }
        requests.handle(SignDataWithDeviceKey.self) { arguments, reply in
            let key: PowerAuthDeviceKey =
                switch arguments.key {
                case .ecdsa: .ecdsa
                case .mldsa: .mldsa
                }
            return try sdk().signData(
                withDevicePrivateKey: .signing(with: arguments.password), key: key, data: Data(arguments.data.utf8)
            ) { signature, error in
                reply(Outcome.of(signature?.base64EncodedString(), error))
            }
        }
        peer.handleSync(VerifyOfflineData.self) { arguments in try sdk().verifyOfflineData(arguments.payload) }
        requests.handle(SignJWS.self) { arguments, reply in
            try sdk().signJws(
                withDevicePrivateKey: .signing(with: arguments.password), claims: arguments.claims.propertyList
            ) { token, error in
                reply(Outcome.of(token, error))
            }
        }
        let begun = BegunPasswordChange()
        requests.handle(BeginPasswordChange.self) { arguments, reply in
            try sdk().beginPasswordChange(from: arguments.from.revealed) { change, error in
                if let change { begun.change = change }
                reply(Outcome.of(error))
            }
        }
        requests.handle(FinishPasswordChange.self) { arguments, reply in
            guard let change = begun.change else {
                throw ControlError.device(
                    .wrongState, "the process has begun no change of the password; `beginPasswordChange` begins one")
            }
            return change.finish(newPassword: arguments.to.revealed) { reply(Outcome.of($0)) }
        }
    }
}

/// The change of the password that an app's process has begun last. It holds the old password, which never leaves the
/// process.
///
/// Main queue only.
private final class BegunPasswordChange {
    var change: PowerAuthPasswordChange?
}
