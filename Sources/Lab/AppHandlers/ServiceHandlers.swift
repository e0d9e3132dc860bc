// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabControl
import LabCore
import LabPeer
import LabVocabulary
import PowerAuth2
import PowerAuthProtocol
import WultraPowerAuthNetworking

/// The commands about what the server says of itself and of the user, and about requests to the app's own server.
enum ServiceHandlers {
    static func register<SDK: FullSDK>(
        on peer: Peer, requests: RunningRequests, kept: KeptCredentials, sdk: @escaping () throws -> SDK
    ) {
        requests.handle(FetchUserInfo.self) { _, reply in
            try sdk().fetchUserInfo { userInfo, error in
                reply(Outcome.of(userInfo.map { [String: JSONValue](propertyList: $0.allClaims) }, error))
            }
        }
        requests.handle(FetchServerStatus.self) { _, reply in
            try sdk().fetchServerStatus { status, error in
                reply(Outcome.of(status.map(FetchServerStatus.Result.init), error))
            }
        }
        peer.handle(SynchronizeTime.self) { _, reply in
            let time = try sdk().timeSynchronizationService
            time.synchronizeTime(
                callback: { error in
                    reply(Outcome.of(.init { $0.localTimeAdjustment = time.localTimeAdjustment }, error))
                }, callbackQueue: nil)
        }
        peer.handle(SendRequest.self) { arguments, reply in
            try ApplicationRequest(arguments, kept: kept, sdk: sdk(), reply: reply).send()
        }
    }
}

/// The commands of the networking library, which is built on SDK 1.9.
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

extension FetchServerStatus.Result {
    fileprivate init(_ status: PowerAuthServerStatus) {
        self.init { $0.serverTime = status.serverTime.timeIntervalSince1970 }
    }
}

/// A request of the app's own to its server, made the way the SDK's manual describes: signed first, then encrypted,
/// sent by the app's own HTTP client.
///
/// Main queue until the request is sent; the reply comes from a queue of the HTTP client.
struct ApplicationRequest<SDK: FullSDK> {
    typealias Reply = @Sendable (Result<SendRequest.Result, any Error>) -> Void

    private let arguments: SendRequest
    private let sdk: SDK
    private let authentication: PowerAuthAuthentication
    private let request: URLRequest
    private let reply: Reply

    /// - Throws: `ControlError` for a path that makes no URL, for credentials that are not kept, and for two ways to
    ///   sign.
    init(_ arguments: SendRequest, kept: KeptCredentials, sdk: SDK, reply: @escaping Reply) throws {
        guard arguments.password == nil || arguments.credentials == nil else {
            throw ControlError.badArgument(
                "`sendRequest` takes either `password` or `credentials`: each says with which factors it signs.")
        }
        self.arguments = arguments
        self.sdk = sdk
        self.reply = reply
        authentication =
            try arguments.credentials.map { try kept.credentials(named: $0) } ?? .signing(with: arguments.password)
        request = try URLRequest(arguments.path, at: sdk.commonConfiguration.baseEndpointUrl)
    }

    private var method: String { arguments.method.rawValue }
    private var body: Data? { arguments.body.map { JSONValue.object($0).encoded() } }

    /// What the signature covers: the body, for GET the parameters of the query, whose names may come several times
    /// (protocol.md, section 9.2). The vendor's function for GET takes one value for each name.
    private func signedBytes() throws -> Data? {
        guard arguments.method == .get else { return body }
        let components = request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: false) }
        return try SymmetricSignature.canonicalQuery(rawQuery: components?.percentEncodedQuery ?? "")
    }

    /// Adds what was asked for and sends.
    func send() throws {
        var request = request
        request.httpMethod = method
        if let uriId = arguments.uriId {
            let header = try sdk.requestSignature(
                with: authentication, method: method, uriId: uriId, body: signedBytes())
            request.setValue(header.value, forHTTPHeaderField: header.key)
        }
        guard let name = arguments.token else { return encrypt(request) }
        guard sdk.tokenStore.hasLocalToken(withName: name) else {
            throw NSError.powerAuth(.invalidToken, "There is no token named '\(name)' in the app's store.")
        }
        sdk.tokenStore.generateAuthorizationHeader(withName: name) { header, error in
            guard let header else { return reply(.failure(error ?? NSError.powerAuth(.invalidToken))) }
            request.setValue(header.value, forHTTPHeaderField: header.key)
            encrypt(request)
        }
    }

    private func encrypt(_ request: URLRequest) {
        guard let scope = arguments.encryption else { return perform(request, body: body, sealed: nil) }
        sdk.seal(body, for: scope) { outcome in
            switch outcome {
            case .success(let sealed):
                var request = request
                request.setValue(sealed.header.value, forHTTPHeaderField: sealed.header.name)
                perform(request, body: sealed.body, sealed: sealed)
            case .failure(let error): reply(.failure(error))
            }
        }
    }

    private func perform(_ request: URLRequest, body: Data?, sealed: SealedRequest?) {
        var request = request
        request.httpBody = body
        let reply = reply
        URLSession.shared.answer(to: request) { answer in
            reply(
                answer.flatMap { answer in
                    Result { try SendRequest.Result(status: answer.status, body: answer.body, sealed: sealed) }
                })
        }
    }
}

extension SendRequest.Result {
    /// The answer as the server meant it: the one of a failure is never encrypted.
    fileprivate init(status: Int, body: Data, sealed: SealedRequest?) throws {
        guard status == 200, let sealed else {
            self.init(status: status, body: body)
            return
        }
        self.init(status: status, body: try sealed.open(body))
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
        guard let response, error == nil else { return reply(.failure(error ?? WPNError(reason: .unknown))) }
        reply(
            .success(
                Post.Result {
                    $0.responseObject = response.responseObject ?? nil
                    $0.statusCode = statusCode
                    $0.encrypted = wasEncrypted
                }))
    }

    func responseReceived(from url: URL, statusCode: Int?, body: Data) { self.statusCode = statusCode }

    func encryptedResponseReceived(from url: URL, statusCode: Int?, body: Data, decrypted: Data) {
        self.statusCode = statusCode
        wasEncrypted = true
    }
}
