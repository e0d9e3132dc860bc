import Foundation
import LabKit
import LabPeer
import PowerAuth2
import WultraPowerAuthNetworking

/// The commands by which an app calls endpoints of its own.
enum NetworkingHandlers {
    static func register(on peer: Peer, app: MobileTokenApp) {
        peer.handle(Post.self) { arguments, reply in
            try PostedRequest(arguments, service: app.makeNetworking(), reply: reply).send()
        }
        peer.handleSync(SetAcceptLanguage.self) { arguments in
            try app.ready().networking.acceptLanguage = arguments.language
        }
    }
}

/// One request through a networking service of its own, with what its response delegate saw of the answer.
///
/// Main queue only.
private final class PostedRequest: WPNResponseDelegate {
    typealias Reply = @Sendable (Result<Post.Result, any Error>) -> Void

    private let arguments: Post
    private let service: WPNNetworkingService
    private let reply: Reply
    private var statusCode: Int?
    private var wasEncrypted = false

    init(_ arguments: Post, service: WPNNetworkingService, reply: @escaping Reply) {
        self.arguments = arguments
        self.service = service
        self.reply = reply
    }

    /// Sends it; the completion holds this object, as the service holds its delegate weakly.
    func send() throws {
        guard arguments.uriId == nil || arguments.token == nil else {
            throw ControlError.badArgument("`post` takes either `uriId` or `token`: an endpoint is one of both.")
        }
        service.responseDelegate = self
        let operation = arguments.requestObject.map { post(WPNRequest($0)) } ?? post(WPNRequestBase())
        if arguments.cancel { operation.cancel() }
    }

    private func post<Body: WPNRequestBase>(_ body: Body) -> Operation {
        typealias Answer = WPNResponse<JSONValue?>
        let scope: WPNE2EEConfiguration =
            switch arguments.encryption {
            case .application: .applicationScope
            case .activation: .activationScope
            case nil: .notEncrypted
            }
        let factors = PowerAuthAuthentication.approving(with: arguments.password, biometry: arguments.biometry)
        let path = arguments.path
        if let uriId = arguments.uriId {
            return service.post(
                data: body, signedWith: factors,
                to: WPNEndpointSigned<Body, Answer>(endpointURLPath: path, uriId: uriId, e2ee: scope),
                with: arguments.headers, timeoutInterval: arguments.timeoutInterval?.seconds, completion: finish)
        }
        if let name = arguments.token {
            return service.post(
                data: body, signedWith: factors,
                to: WPNEndpointSignedWithToken<Body, Answer>(endpointURLPath: path, tokenName: name, e2ee: scope),
                with: arguments.headers, timeoutInterval: arguments.timeoutInterval?.seconds, completion: finish)
        }
        return service.post(
            data: body, to: WPNEndpointBasic<Body, Answer>(endpointURLPath: path, e2ee: scope),
            with: arguments.headers, timeoutInterval: arguments.timeoutInterval?.seconds, completion: finish)
    }

    private func finish(_ response: WPNResponse<JSONValue?>?, _ error: WPNError?) {
        guard let response, error == nil else {
            return reply(.failure(error ?? WPNError(reason: .unknown)))
        }
        reply(
            .success(
                Post.Result {
                    $0.responseObject = response.responseObject ?? nil
                    $0.statusCode = statusCode
                    $0.encrypted = wasEncrypted
                }))
    }

    func responseReceived(from url: URL, statusCode: Int?, body: Data) {
        self.statusCode = statusCode
    }

    func encryptedResponseReceived(from url: URL, statusCode: Int?, body: Data, decrypted: Data) {
        self.statusCode = statusCode
        wasEncrypted = true
    }
}
