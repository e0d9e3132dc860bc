import Foundation
import LabKit
import LabPeer
import PowerAuth2

/// The commands about request signatures and the password.
enum SignatureHandlers {
    static func register(on peer: Peer, requests: RunningRequests, sdk: @escaping () throws -> PowerAuthSDK) {
        peer.handleSync(RequestSignature.self) { arguments in
            try sdk().header(
                .signing(with: arguments.password), arguments.method, arguments.uriId, arguments.body)
        }
        peer.handleSync(RequestGetSignature.self) { arguments in
            try HTTPHeader(
                sdk().requestGetSignature(
                    with: .signing(with: arguments.password), uriId: arguments.uriId, params: arguments.params))
        }
        peer.handleSync(OfflineSignature.self) { arguments in
            try sdk().offlineSignature(
                with: .signing(with: arguments.password), uriId: arguments.uriId,
                body: arguments.body.map { Data($0.utf8) }, nonce: arguments.nonce)
        }
        requests.handle(ValidatePassword.self) { arguments, reply in
            try sdk().validatePassword(password: arguments.password.revealed) { reply(Outcome.of($0)) }
        }
        requests.handle(ChangePassword.self) { arguments, reply in
            try sdk().changePassword(from: arguments.from.revealed, to: arguments.to.revealed) { error in
                reply(Outcome.of(error))
            }
        }
        peer.handleSync(UnsafeChangePassword.self) { arguments in
            try sdk().unsafeChangePassword(from: arguments.from.revealed, to: arguments.to.revealed)
        }
    }
}

extension PowerAuthSDK {
    /// The authorization header of a request, as commands answer it.
    func header(
        _ authentication: PowerAuthAuthentication, _ method: RequestMethod, _ uriId: String, _ body: String?
    ) throws -> HTTPHeader {
        try HTTPHeader(
            requestSignature(
                with: authentication, method: method.rawValue, uriId: uriId, body: body.map { Data($0.utf8) }))
    }
}
