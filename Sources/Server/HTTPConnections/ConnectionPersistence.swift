// SPDX-License-Identifier: Apache-2.0

package import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL

/// Hummingbird's HTTP/1 connections, with an announced close (``ConnectionPersistence``) and limits of their time
/// (``RequestDeadlines``) and number (``ConnectionLimiter``).
struct PersistentHTTP1Channel: ServerChildChannel {
    private let base: HTTP1Channel
    private let limits: ConnectionLimits
    private let limiter: ConnectionLimiter

    init(responder: @escaping HTTPChannelHandler.Responder, limits: ConnectionLimits, limiter: ConnectionLimiter) {
        base = HTTP1Channel(responder: responder)
        self.limits = limits
        self.limiter = limiter
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            // Next to the decoder: later handlers do not see the HTTP version.
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionPersistence(), position: .after(decoder))
            let deadlines = RequestDeadlines(limits)
            try pipeline.addHandler(deadlines, position: .after(decoder))
            try pipeline.addHandler(ArrivingBytes(deadlines), position: .before(decoder))
            let isEncrypted = (try? pipeline.handler(type: NIOSSLServerHandler.self)) != nil
            try pipeline.addHandler(ConnectionDoor(limiter, isEncrypted: isEncrypted), position: .first)
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

extension HTTPServerBuilder {
    /// HTTP/1 whose answers announce whether the connection stays open, with limits for clients.
    package static func persistentHTTP1(_ limits: ConnectionLimits) -> HTTPServerBuilder {
        let limiter = ConnectionLimiter(limits)
        return HTTPServerBuilder { PersistentHTTP1Channel(responder: $0, limits: limits, limiter: limiter) }
    }
}

/// Decides whether a connection stays open after an answer, and states it in the answer (RFC 9112, sections 9.3 and
/// 9.6): otherwise a client reuses a connection that is being closed.
///
/// Thread rule: the event loop of its channel.
final class ConnectionPersistence: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Option: String {
        case close
        /// Needs to be said to clients of HTTP/1.0 only.
        case keepAlive = "keep-alive"
    }

    /// One for each request that has no answer yet, in their order; nil says nothing.
    private var options: [Option?] = []

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let received) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        // Further on a request has one host at most.
        var head = RequestAuthority.marked(received)
        let option = Self.option(for: head)
        options.append(option)
        // Hummingbird ends the connection after this header, in this spelling only.
        if option == .close { head.headers.replaceOrAdd(name: "Connection", value: Option.close.rawValue) }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // An answer to an unreadable request already closes the connection.
        guard case .head(var head) = unwrapOutboundIn(data), head.status.code >= 200, !options.isEmpty else {
            return context.write(data, promise: promise)
        }
        if let option = options.removeFirst() { head.headers.replaceOrAdd(name: "Connection", value: option.rawValue) }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }

    private static func option(for request: HTTPRequestHead) -> Option? {
        let wanted = Set(request.headers[canonicalForm: "connection"].map { $0.lowercased() })
        if wanted.contains(Option.close.rawValue) { return .close }
        guard (request.version.major, request.version.minor) < (1, 1) else { return nil }
        return wanted.contains(Option.keepAlive.rawValue) ? .keepAlive : .close
    }
}

/// Finds requests that do not say clearly which host they are for: those behind it, such as a guard against web pages, would judge
/// one name and a proxy in front another (RFC 9112, sections 3.2 and 3.2.2).
package enum RequestAuthority {
    /// Replaces the host of such a request. No host has this name; a client that sends it is refused, too.
    package static let ambiguous = "?"

    /// The request with ``ambiguous`` as its host, unless it names one host.
    static func marked(_ head: HTTPRequestHead) -> HTTPRequestHead {
        guard !isClear(head) else { return head }
        var marked = head
        marked.headers.replaceOrAdd(name: "Host", value: ambiguous)
        return marked
    }

    private static func isClear(_ head: HTTPRequestHead) -> Bool {
        let hosts = head.headers["host"]
        let mayLackHost = (head.version.major, head.version.minor) < (1, 1)
        guard hosts.count == 1 || (hosts.isEmpty && mayLackHost) else { return false }
        guard !head.uri.utf8.starts(with: "/".utf8), let scheme = head.uri.firstRange(of: "://") else { return true }
        let authority = head.uri[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return hosts.allSatisfy { $0.lowercased() == authority.lowercased() }
    }
}

/// Runs the tasks of a connection on its event loop, where its requests arrive and its answers leave: the change to a thread
/// of Swift's pool and back would cost more than most requests.
///
/// Tasks that run here must not block: the other connections of the loop would wait. Thread rule: any thread.
final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
