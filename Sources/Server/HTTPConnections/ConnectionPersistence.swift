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
        base.setup(channel: channel, logger: logger).flatMap { value -> EventLoopFuture<HTTP1Channel.Value> in
            do {
                let pipeline = channel.pipeline.syncOperations
                let replaced = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                let decoder = RequestDecoder(headerLimits)
                let deadlines = RequestDeadlines(limits)
                // Next to the decoder: later handlers do not see the HTTP version.
                try pipeline.addHandlers(
                    [
                        ArrivingBytes(deadlines), ByteToMessageHandler(decoder), deadlines,
                        ConnectionPersistence(decoder),
                    ], position: .after(replaced))
                let isEncrypted = (try? pipeline.handler(type: NIOSSLServerHandler.self)) != nil
                try pipeline.addHandler(ConnectionDoor(limiter, isEncrypted: isEncrypted), position: .first)
                return pipeline.removeHandler(replaced).map { value }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
    }

    /// The limits that Hummingbird has set for its decoder, which ours replaces.
    private var headerLimits: NIOHTTPDecoderLimitConfiguration {
        let limits = base.configuration.httpDecoder
        var configuration = NIOHTTPDecoderLimitConfiguration()
        configuration.maxHeaderFieldSize = limits.maxHeaderFieldSize
        configuration.maxHeaderListSize = limits.maxHeaderListSize
        configuration.maxHeaderFieldCount = limits.maxHeaderFieldCount
        return configuration
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

/// Says down the channel of a connection that the body of the oldest request without an answer is going to be read: a
/// client that waits for this sends it then (RFC 9110, section 10.1.1).
package struct BodyIsWanted: Sendable {
    /// The event has no content.
    package init() {}
}

/// Decides whether a connection stays open after an answer, and states it in the answer (RFC 9112, sections 9.3 and
/// 9.6): otherwise a client reuses a connection that is being closed. Also asks for bodies (``BodyIsWanted``).
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

    /// A request that has no answer yet.
    private struct Unanswered {
        /// What the answer states; nil states nothing.
        let option: Option?
        /// Whether its client waits until the body is wanted, and has sent none of it.
        var holdsBody: Bool
    }

    private let decoder: RequestDecoder?
    /// In their order.
    private var unanswered: [Unanswered] = []
    /// Whether the connection ends with the answer that leaves now, although its request did not say so.
    private var endsWithAnswer = false

    /// - Parameter decoder: the decoder in front, which takes note of what arrives here.
    init(_ decoder: RequestDecoder? = nil) { self.decoder = decoder }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        decoder?.decoded(part)
        guard case .head(let received) = part else {
            // Answers come in order: where any is due, it is also due to the request that is arriving.
            if !unanswered.isEmpty { unanswered[unanswered.count - 1].holdsBody = false }
            return context.fireChannelRead(data)
        }
        // Further on a request has one host at most.
        var head = RequestAuthority.marked(received)
        let option = Self.option(for: head)
        unanswered.append(Unanswered(option: option, holdsBody: Self.holdsBody(head)))
        // Hummingbird ends the connection after this header, in this spelling only.
        if option == .close { head.headers.replaceOrAdd(name: "Connection", value: Option.close.rawValue) }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        // An answer to an unreadable request already closes the connection.
        case .head(var head) where head.status.code >= 200 && !unanswered.isEmpty:
            let request = unanswered.removeFirst()
            // Its client may send the body or not: what comes next could be either, or another request.
            endsWithAnswer = request.holdsBody
            let option = request.holdsBody ? Option.close : request.option
            if let option { head.headers.replaceOrAdd(name: "Connection", value: option.rawValue) }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .end where endsWithAnswer:
            endsWithAnswer = false
            let left = promise ?? context.eventLoop.makePromise(of: Void.self)
            // Only this side: what the client may be sending would otherwise destroy the answer on its way.
            left.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: .output, promise: nil) }
            context.write(data, promise: left)
        default: context.write(data, promise: promise)
        }
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyIsWanted else { return context.triggerUserOutboundEvent(event, promise: promise) }
        guard let request = unanswered.first, request.holdsBody else {
            promise?.succeed(())
            return
        }
        unanswered[0].holdsBody = false
        let interim = HTTPResponseHead(version: .http1_1, status: .continue)
        context.writeAndFlush(wrapOutboundOut(.head(interim)), promise: promise)
    }

    private static func option(for request: HTTPRequestHead) -> Option? {
        let wanted = Set(request.headers[canonicalForm: "connection"].map { $0.lowercased() })
        // Behind a request for a tunnel nothing is HTTP (RFC 9110, section 9.3.6).
        if wanted.contains(Option.close.rawValue) || request.method == .CONNECT { return .close }
        guard isOld(request) else { return nil }
        return wanted.contains(Option.keepAlive.rawValue) ? .keepAlive : .close
    }

    private static func holdsBody(_ request: HTTPRequestHead) -> Bool {
        !isOld(request)
            && request.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Whether a request is of HTTP/1.0 or older.
    private static func isOld(_ request: HTTPRequestHead) -> Bool {
        (request.version.major, request.version.minor) < (1, 1)
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
