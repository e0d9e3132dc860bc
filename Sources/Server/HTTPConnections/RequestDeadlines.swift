// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Closes the connection of a client that is too slow with the headers of a request, its body, the next request, or
/// reading an answer.
///
/// The time for headers and for a body is absolute: single bytes do not extend it. Runs behind the HTTP decoder, which
/// does not pass on incomplete headers; ``ArrivingBytes`` in front of the decoder reports their beginning.
///
/// Thread rule: the event loop of its channel.
final class RequestDeadlines: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The next expected action of the client.
    private enum Wait {
        /// Say anything.
        case request
        case headers
        case body
        /// The server works.
        case nothing
    }

    private let limits: ConnectionLimits
    private var wait = Wait.headers
    /// When the client must have done it.
    private var deadline: NIODeadline?
    /// When the client must have read some of the pending answer.
    private var answerDeadline: NIODeadline?
    /// Requests without a complete answer.
    private var unanswered = 0
    /// Answers that have not left completely.
    private var leaving = 0
    /// Whether the answer to the oldest of those requests has begun.
    private var isAnswering = false
    /// Whether the bytes that arrive now were a part of a request at least.
    private var hasDecoded = false
    /// Whether the client reads the answer too slowly for more to be written.
    private var isFull = false
    private var alarm: (task: Scheduled<Void>, time: NIODeadline)?
    private var context: ChannelHandlerContext?

    init(_ limits: ConnectionLimits) { self.limits = limits }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    /// The time for the first headers begins here, where they can be read: a loop that has much to do lets a connection
    /// wait for that after it has got its handlers.
    func channelActive(context: ChannelHandlerContext) {
        expect(.headers, within: limits.headerTimeout)
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        alarm = nil
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.task.cancel()
        context.fireChannelInactive()
    }

    /// Bytes arrive, before the decoder reads them.
    fileprivate func bytesArrive() { hasDecoded = false }

    /// The decoder has looked at what arrived, and what it made of it has been here.
    fileprivate func bytesArrived() {
        if wait == .request, !hasDecoded { expect(.headers, within: limits.headerTimeout) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hasDecoded = true
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            expect(.body, within: limits.bodyTimeout)
        case .body: break
        case .end:
            wait = .nothing
            deadline = nil
            settle()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isAnswering = isAnswering || head.status.code >= 200
            context.write(data, promise: promise)
        case .body: context.write(data, promise: promise)
        case .end:
            isAnswering = false
            unanswered = max(0, unanswered - 1)
            leaving += 1
            watchAnswer()
            let left = promise ?? context.eventLoop.makePromise(of: Void.self)
            left.futureResult.assumeIsolated().whenComplete { _ in self.answerLeft() }
            context.write(data, promise: left)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        isFull = !context.channel.isWritable
        watchAnswer()
        context.fireChannelWritabilityChanged()
    }

    private func answerLeft() {
        leaving -= 1
        watchAnswer()
        settle()
    }

    /// Waits for the client once all its requests are answered.
    private func settle() {
        if wait == .nothing, unanswered == 0, leaving == 0 { expect(.request, within: limits.idleTimeout) }
    }

    /// The client has something to take, or has taken something.
    private func watchAnswer() {
        guard let context, isFull || leaving > 0 else {
            answerDeadline = nil
            return
        }
        let deadline = context.eventLoop.now + .milliseconds(limits.answerTimeout)
        answerDeadline = deadline
        wake(at: deadline)
    }

    private func expect(_ wait: Wait, within milliseconds: Int64) {
        guard let context else { return }
        self.wait = wait
        let deadline = context.eventLoop.now + .milliseconds(milliseconds)
        self.deadline = deadline
        wake(at: deadline)
    }

    /// Has ``look()`` called by then. An alarm that fires too early reschedules itself, so that most requests schedule
    /// none.
    private func wake(at time: NIODeadline) {
        guard let context else { return }
        if let alarm {
            guard time < alarm.time else { return }
            alarm.task.cancel()
        }
        alarm = (context.eventLoop.assumeIsolated().scheduleTask(deadline: time) { self.look() }, time)
    }

    private func look() {
        alarm = nil
        guard let context else { return }
        let now = context.eventLoop.now
        if let answerDeadline, answerDeadline <= now { return context.close(promise: nil) }
        if let deadline, deadline <= now { return giveUp(context) }
        if let next = [deadline, answerDeadline].compactMap({ $0 }).min() { wake(at: next) }
    }

    /// Ends the connection; a client that has begun a request receives the reason (RFC 9110, section 15.5.9).
    private func giveUp(_ context: ChannelHandlerContext) {
        deadline = nil
        let isAlone = unanswered == (wait == .body ? 1 : 0)
        guard wait != .request, isAlone, !isAnswering, leaving == 0 else { return context.close(promise: nil) }
        let headers: HTTPHeaders = ["Content-Length": "0", "Connection": "close"]
        context.write(
            wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .requestTimeout, headers: headers))),
            promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        context.close(promise: nil)
    }
}

/// Reports arrived bytes to ``RequestDeadlines``, from in front of the decoder.
///
/// Thread rule: the event loop of its channel.
final class ArrivingBytes: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let deadlines: RequestDeadlines

    init(_ deadlines: RequestDeadlines) { self.deadlines = deadlines }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        deadlines.bytesArrive()
        context.fireChannelRead(data)
        deadlines.bytesArrived()
    }
}
