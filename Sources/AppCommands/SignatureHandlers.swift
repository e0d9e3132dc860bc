import Foundation
import LabKit
import LabPeer
import PeerCommands
import PowerAuth2

/// The commands about request signatures and the password.
enum SignatureHandlers {
    static func register(on peer: Peer, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(RequestSignature.self) { arguments in
            try HTTPHeader(
                sdk().requestSignature(
                    with: .signing(with: arguments.password), method: arguments.method, uriId: arguments.uriId,
                    body: arguments.body.map { Data($0.utf8) }))
        }
        peer.handleSync(OfflineSignature.self) { arguments in
            try sdk().offlineSignature(
                with: .signing(with: arguments.password), uriId: arguments.uriId,
                body: arguments.body.map { Data($0.utf8) }, nonce: arguments.nonce)
        }
        peer.handle(ValidatePassword.self) { arguments, reply in
            do {
                try sdk().validatePassword(password: arguments.password.revealed) { error in
                    reply(Outcome.of(error))
                }
            } catch {
                reply(.failure(error))
            }
        }
        peer.handle(ChangePassword.self) { arguments, reply in
            do {
                try sdk().changePassword(from: arguments.from.revealed, to: arguments.to.revealed) { error in
                    reply(Outcome.of(error))
                }
            } catch {
                reply(.failure(error))
            }
        }
    }
}
