public import Foundation
public import FoundationNetworking
public import LabKit
public import PowerAuthShared

/// The requests of an app that has nothing but a token: an extension with the Extensions SDK, or a watch app.
public enum OwnRequests {
    /// Registers `sendRequest` with a peer.
    ///
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
    ///
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
