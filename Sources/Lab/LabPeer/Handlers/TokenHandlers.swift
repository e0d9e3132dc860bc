// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking
import LabControl
import LabCore
public import LabVocabulary
public import PowerAuthShared

/// The token commands, which phone apps, extensions and watch apps answer from the same store class.
public enum TokenHandlers {
    /// Registers the token commands with a peer.
    /// - Parameters:
    ///   - peer: the peer; its handlers run on the main queue.
    ///   - requests: what `cancelRequest` of the peer can cancel.
    ///   - asksWithoutPassword: whether a request without a password carries no authentication, as on a
    ///     watch, instead of the possession factor.
    ///   - store: the token store of the app's SDK object; throws when the SDK object was refused.
    public static func register(
        on peer: Peer, requests: RunningRequests, asksWithoutPassword: Bool = false,
        store: @escaping () throws -> any PowerAuthTokenStore
    ) {
        requests.handle(RequestAccessToken.self) { arguments, reply in
            let completion = { (token: PowerAuthToken?, error: (any Error)?) in
                reply(Outcome.of(token.map(TokenDescription.init), error))
            }
            let store = try store()
            if arguments.password == nil, asksWithoutPassword {
                return store.requestAccessToken(withName: arguments.name, completion: completion)
            }
            return store.requestAccessToken(
                withName: arguments.name, authentication: .signing(with: arguments.password), completion: completion)
        }
        requests.handle(RemoveAccessToken.self) { arguments, reply in
            try store().removeAccessToken(withName: arguments.name) { removed, error in
                reply(Outcome.of(removed ? NoResult() : nil, error))
            }
        }
        peer.handleSync(LocalToken.self) { arguments in
            try store().localToken(withName: arguments.name).map(TokenDescription.init)
        }
        peer.handleSync(HasLocalToken.self) { arguments in
            try store().hasLocalToken(withName: arguments.name)
        }
        peer.handleSync(GenerateHeader.self) { arguments in
            try store().localToken(withName: arguments.name)?.generateHeader().map(HTTPHeader.init)
        }
        requests.handle(GenerateAuthorizationHeader.self) { arguments, reply in
            try store().generateAuthorizationHeader(withName: arguments.name) { header, error in
                reply(Outcome.of(header.map(HTTPHeader.init), error))
            }
        }
        peer.handleSync(RemoveLocalToken.self) { arguments in
            try store().removeLocalToken(withName: arguments.name)
        }
        peer.handleSync(RemoveAllLocalTokens.self) { _ in
            try store().removeAllLocalTokens()
        }
    }
}

extension TokenDescription {
    init(_ token: PowerAuthToken) {
        self.init {
            $0.tokenName = token.tokenName
            $0.tokenIdentifier = token.tokenIdentifier
        }
    }
}

/// The requests of an app that has nothing but a token: an extension with the Extensions SDK, or a watch app.
public enum OwnRequests {
    /// Registers `sendRequest` with a peer.
    /// - Parameters:
    ///   - peer: the peer; its handlers run on the main queue.
    ///   - configuration: the configuration of the app's SDK object, which names the server.
    ///   - store: the token store of the app's SDK object; throws when the SDK object was refused.
    public static func register(
        on peer: Peer, configuration: PowerAuthConfiguration, store: @escaping () throws -> any PowerAuthTokenStore
    ) {
        let server = configuration.baseEndpointUrl
        peer.handle(SendRequestWithToken.self) { arguments, reply in
            var request = try URLRequest(arguments.path, at: server)
            request.httpMethod = arguments.method.rawValue
            request.httpBody = arguments.body.map { JSONValue.object($0).encoded() }
            let ready = request
            try store().generateAuthorizationHeader(withName: arguments.token) { header, error in
                guard let header else { return reply(.failure(error ?? NSError.powerAuth(.invalidToken))) }
                var request = ready
                request.setValue(header.value, forHTTPHeaderField: header.key)
                URLSession.shared.answer(to: request) { answer in
                    reply(answer.map { SendRequest.Result(status: $0.status, body: $0.body) })
                }
            }
        }
    }
}

extension URLRequest {
    /// A request with a JSON body to a path below a server.
    /// - Throws: `ControlError` for a path that makes no URL.
    public init(_ path: String, at server: String) throws {
        guard path.hasPrefix("/"), let url = URL(string: server + path) else {
            throw ControlError.badArgument("`path` expects a path such as `/session/login`.")
        }
        self.init(url: url)
        setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
}

extension URLSession {
    /// Sends a request and gives status and body of the answer, or the error. `completion` is called once, on a
    /// queue of the session.
    public func answer(
        to request: URLRequest, _ completion: @escaping @Sendable (Result<(status: Int, body: Data), any Error>) -> Void
    ) {
        dataTask(with: request) { data, response, error in
            guard let data, let status = (response as? HTTPURLResponse)?.statusCode else {
                return completion(.failure(error ?? URLError(.badServerResponse)))
            }
            completion(.success((status, data)))
        }.resume()
    }
}

extension SendRequest.Result {
    /// What a server answered: JSON, or the text if it is not JSON.
    public init(status: Int, body: Data) {
        self.init {
            $0.statusCode = status
            $0.body = (try? JSONValue.parse(body)) ?? .string(String(decoding: body, as: UTF8.self))
        }
    }
}
