import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request to an external server. No thread waits for its answer.
struct OutgoingRequest: Sendable {
    /// Why the answer is missing.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    var method = "GET"
    let url: String
    var headers: [(name: String, value: String)] = []
    var body = Data()
    /// The longest wait for a connection, in milliseconds of real time: the other side does not live on the lab's clock.
    var connectTimeout: Int64 = 10_000
    /// The longest wait for an answer.
    var responseTimeout: Int64 = 10_000
    /// What https connections are made with; nil trusts whom the machine trusts.
    var tls: TLSConfiguration?

    private static let largestBody = 1_048_576

    /// What came back.
    typealias Answer = (status: Int, body: Data)

    /// Sends the request, once, on a connection of its own: neither a refused connection nor a broken one is tried again.
    /// - Returns: the status code and the body; redirections are answers like any other.
    /// - Throws: a ``Failure`` that names the URL.
    func send() async throws -> Answer {
        try await start().get()
    }

    /// As ``send()``; the future fails with a ``Failure``.
    func start() -> EventLoopFuture<Answer> {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        guard let url = URL(string: url), url.host != nil, url.scheme == "http" || url.scheme == "https" else {
            return eventLoop.makeFailedFuture(Failure(description: "\(url) is not an http or https URL"))
        }
        // Time limit and certificates of a connection belong to a client. One that serves a single request costs little,
        // because the event loops are those that the server itself runs on.
        let client = HTTPClient(
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: clientConfiguration)
        let patience = connectTimeout + responseTimeout
        let answer = eventLoop.makeCompletedFuture {
            try HTTPClient.Request(
                url: url, method: HTTPMethod(rawValue: method),
                headers: HTTPHeaders(headers + [("Connection", "close")]), body: .data(body))
        }.flatMap { request in
            client.execute(
                request: request, delegate: ResponseAccumulator(request: request, maxBodySize: Self.largestBody),
                deadline: .now() + .milliseconds(patience)
            ).futureResult
        }
        return answer.map { answer -> Answer in
            (status: Int(answer.status.code), body: answer.body.map { Data($0.readableBytesView) } ?? Data())
        }.flatMapErrorThrowing { [method] error -> Answer in
            guard error as? HTTPClientError != .deadlineExceeded else {
                throw Failure(description: "no answer within \(patience) ms")
            }
            throw Failure(description: "\(method) \(url): \(error)")
        }.always { _ in client.shutdown { _ in } }
    }

    private var clientConfiguration: HTTPClient.Configuration {
        var configuration = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(connectTimeout)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
