import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One request of the server to somebody else's server. Blocks; call on worker threads.
struct OutgoingRequest: Sendable {
    /// Why there is no answer.
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

    /// Sends the request on a connection of its own.
    /// - Returns: the status code and the body.
    /// - Throws: a ``Failure`` that names the URL.
    func send() throws -> (status: Int, body: Data) {
        guard let components = URLComponents(string: url), let host = components.host,
            let scheme = components.scheme, scheme == "http" || scheme == "https"
        else { throw Failure(description: "\(url) is not an http or https URL") }
        do {
            let tls =
                scheme == "https" ? try NIOSSLContext(configuration: self.tls ?? .makeClientConfiguration()) : nil
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let answer = loop.makePromise(of: (status: Int, body: Data).self)
            let patience = connectTimeout + responseTimeout
            let timeout = loop.scheduleTask(in: .milliseconds(patience)) {
                answer.fail(Failure(description: "no answer within \(patience) ms"))
            }
            // A server is asked for by name only; one that was found by address must have the address in its certificate.
            let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
            let path =
                (components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath)
                + (components.percentEncodedQuery.map { "?" + $0 } ?? "")
            let port = components.port
            let request = self
            let channel = ClientBootstrap(group: loop)
                .connectTimeout(.milliseconds(connectTimeout))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let handlers = channel.pipeline.syncOperations
                        if let tls { try handlers.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name)) }
                        try handlers.addHTTPClientHandlers()
                        try handlers.addHandler(AnswerCollector(answer, limit: Self.largestBody))
                    }
                }
                .connect(host: host, port: port ?? (scheme == "https" ? 443 : 80))
            channel.whenFailure { answer.fail($0) }
            channel.whenSuccess { request.write(to: $0, host: port.map { "\(host):\($0)" } ?? host, path: path) }
            defer {
                timeout.cancel()
                channel.whenSuccess { $0.close(promise: nil) }
            }
            return try answer.futureResult.wait()
        } catch {
            throw Failure(description: "\(method) \(url): \(error)")
        }
    }

    private func write(to channel: any Channel, host: String, path: String) {
        var fields = HTTPHeaders(headers)
        fields.replaceOrAdd(name: "Host", value: host)
        fields.replaceOrAdd(name: "Content-Length", value: "\(body.count)")
        fields.replaceOrAdd(name: "Connection", value: "close")
        let head = HTTPRequestHead(version: .http1_1, method: .init(rawValue: method), uri: path, headers: fields)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if !body.isEmpty {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }
}

/// Gathers the parts of one answer. Thread rule: lives on the event loop of its channel.
private final class AnswerCollector: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let promise: EventLoopPromise<(status: Int, body: Data)>
    private let limit: Int
    private var status = 0
    private var body = Data()

    init(_ promise: EventLoopPromise<(status: Int, body: Data)>, limit: Int) {
        self.promise = promise
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
        case .body(let part):
            body.append(contentsOf: part.readableBytesView)
            if body.count > limit {
                promise.fail(OutgoingRequest.Failure(description: "the answer has more than \(limit) bytes"))
            }
        case .end:
            promise.succeed((status, body))
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        promise.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        promise.fail(OutgoingRequest.Failure(description: "the connection ended before the answer did"))
    }
}
