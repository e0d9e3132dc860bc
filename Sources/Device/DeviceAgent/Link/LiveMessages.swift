// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabVocabulary
import SimulatedDevice

/// Immediate messages under way, on both sides of a link (watch.md, section 11.5). They are never stored and never sent
/// again; the sender is notified exactly once in every case.
///
/// A value that decides and does nothing else.
struct LiveMessages: Equatable, Sendable {
    /// How long the other side may take to deliver, in nanoseconds of lab time.
    static let deliveryTimeout: Int64 = 10_000_000_000
    /// How long the receiver may take to reply after delivery, in nanoseconds of lab time.
    static let replyTimeout: Int64 = 30_000_000_000
    /// Number of message identifiers remembered to recognise doubles.
    private static let memory = 1024

    /// A message of an app of this device.
    private struct Outgoing: Equatable {
        var app: String
        var expectsReply: Bool
        var isDelivered = false
        var deadline: Int64
    }

    /// A message for an app of this device.
    private struct Incoming: Equatable {
        var app: String
        var expectsReply: Bool
        /// The frame, while the app cannot take it yet.
        var waiting: WatchFrame?
        var isAcknowledged = false
        /// When to give up waiting for the app.
        var deadline: Int64
    }

    private var outgoing: [UUID: Outgoing] = [:]
    private var incoming: [UUID: Incoming] = [:]
    /// Order of arrival of the messages that wait for an app.
    private var waitingOrder: [UUID] = []
    /// Messages in the order in which they were sent, and so of their deadlines; those that are over leave late.
    private var deliveries = Fifo<UUID>()
    /// The same for those that were delivered and wait for their reply.
    private var replies = Fifo<UUID>()
    /// The messages that came last.
    private var seen: Set<UUID> = []
    private var seenOrder = Fifo<UUID>()

    /// When something times out next, in lab time; nil when nothing waits.
    var nextDeadline: Int64? {
        [
            deliveries.first.flatMap { outgoing[$0]?.deadline }, replies.first.flatMap { outgoing[$0]?.deadline },
            waitingOrder.first.flatMap { incoming[$0]?.deadline },
        ].compactMap(\.self).min()
    }

    /// Drops ended messages from the front of the orders.
    private mutating func trim() {
        while let id = deliveries.first, outgoing[id]?.isDelivered ?? true { deliveries.popFirst() }
        while let id = replies.first, outgoing[id] == nil { replies.popFirst() }
    }

    /// A message in flight, for inspection of the link.
    struct Pending: Equatable {
        var id: UUID
        var app: String
        var isOwn: Bool
        var state: InspectLink.MessageState
        /// When it fails, in nanoseconds of lab time; nil when the sender watches over it.
        var deadline: Int64?
    }

    /// The messages under way, own ones first, in the order of their deadlines.
    var pending: [Pending] {
        let own = outgoing.sorted { $0.value.deadline < $1.value.deadline }.map { id, message in
            Pending(
                id: id, app: message.app, isOwn: true, state: message.isDelivered ? .replyAwaited : .sent,
                deadline: message.deadline)
        }
        let received = incoming.sorted { $0.value.deadline < $1.value.deadline }.map { id, message in
            Pending(
                id: id, app: message.app, isOwn: false,
                state: message.waiting != nil ? .held : message.isAcknowledged ? .unanswered : .handedOver,
                deadline: message.waiting == nil ? nil : message.deadline)
        }
        return own + received
    }

    // MARK: Sending side

    /// An app sends to the counterpart `destination`, which is reachable.
    mutating func send(_ frame: WatchFrame, from app: String, to destination: String, at now: Int64) -> [LinkEffect] {
        outgoing[frame.messageId] = Outgoing(
            app: app, expectsReply: frame.flags.contains(.expectsReply), deadline: now + Self.deliveryTimeout)
        deliveries.append(frame.messageId)
        var forwarded = frame
        forwarded.app = destination
        return [.toPeer(forwarded)]
    }

    /// The other side answered: delivered, replied, or failed.
    mutating func answered(_ frame: WatchFrame, at now: Int64) -> [LinkEffect] {
        guard var message = outgoing[frame.correlationId] else { return [] }
        if frame.kind == .liveAcknowledgement {
            guard !message.isDelivered else { return [] }
            message.isDelivered = true
            message.deadline = now + Self.replyTimeout
            outgoing[frame.correlationId] = message.expectsReply ? message : nil
            if message.expectsReply { replies.append(frame.correlationId) }
        } else {
            outgoing[frame.correlationId] = nil
        }
        trim()
        return [.toApp(message.app, frame)]
    }

    // MARK: Receiving side

    /// A message arrived for an app. `isReady` states whether the app can take it now; if not, it is held.
    mutating func receive(_ frame: WatchFrame, isReady: Bool, at now: Int64) -> [LinkEffect] {
        guard !seen.contains(frame.messageId) else { return [] }
        remember(frame.messageId)
        incoming[frame.messageId] = Incoming(
            app: frame.app, expectsReply: frame.flags.contains(.expectsReply), waiting: isReady ? nil : frame,
            deadline: now + Self.deliveryTimeout)
        if isReady { return [.toApp(frame.app, frame)] }
        waitingOrder.append(frame.messageId)
        return []
    }

    private mutating func remember(_ messageId: UUID) {
        seen.insert(messageId)
        seenOrder.append(messageId)
        if seenOrder.count > Self.memory, let oldest = seenOrder.popFirst() { seen.remove(oldest) }
    }

    /// The app can take messages now: hands over what was held, in order.
    mutating func release(to app: String) -> [LinkEffect] {
        var effects: [LinkEffect] = []
        for id in waitingOrder {
            guard let message = incoming[id], message.app == app, let frame = message.waiting else { continue }
            incoming[id]?.waiting = nil
            effects.append(.toApp(app, frame))
        }
        waitingOrder.removeAll { incoming[$0]?.waiting == nil }
        return effects
    }

    /// Whether a message is held for an app.
    func isHolding(for app: String) -> Bool { incoming.values.contains { $0.app == app && $0.waiting != nil } }

    /// The receiving app acknowledged, replied or refused.
    mutating func answer(_ frame: WatchFrame, by app: String) -> [LinkEffect] {
        guard let message = incoming[frame.correlationId], message.app == app, message.waiting == nil else { return [] }
        if frame.kind == .liveAcknowledgement {
            guard !message.isAcknowledged else { return [] }
            incoming[frame.correlationId]?.isAcknowledged = true
            if !message.expectsReply { incoming[frame.correlationId] = nil }
        } else {
            incoming[frame.correlationId] = nil
        }
        return [.toPeer(frame)]
    }

    // MARK: Ends

    /// A process of this device ended: what it sent is forgotten, what it received fails.
    /// - Parameter keepsHeld: The app is being started for the held messages; they stay queued.
    mutating func processEnded(_ app: String, keepsHeld: Bool = false) -> [LinkEffect] {
        outgoing = outgoing.filter { $0.value.app != app }
        trim()
        return failIncoming { $0.app == app && !(keepsHeld && $0.waiting != nil) }
    }

    /// The other device went out of range, or is no longer used.
    /// - Parameter code: The `WCError.Code` with which all end; nil for the code of a lost link.
    mutating func linkLost(_ code: Int? = nil) -> [LinkEffect] {
        incoming = [:]
        waitingOrder = []
        let lost = outgoing
        outgoing = [:]
        trim()
        return lost.sorted { $0.value.deadline < $1.value.deadline }.map { id, message in
            failure(
                of: id, for: message.app,
                code ?? (message.isDelivered ? LinkCode.messageReplyFailed : LinkCode.deliveryFailed))
        }
    }

    mutating func expire(at now: Int64) -> [LinkEffect] {
        var effects: [LinkEffect] = []
        for (id, message) in outgoing.filter({ $0.value.deadline <= now }).sorted(by: {
            $0.value.deadline < $1.value.deadline
        }) {
            outgoing[id] = nil
            effects.append(
                failure(
                    of: id, for: message.app,
                    message.isDelivered ? LinkCode.messageReplyTimedOut : LinkCode.transferTimedOut))
        }
        trim()
        return effects + failIncoming { $0.waiting != nil && $0.deadline <= now }
    }

    private mutating func failIncoming(where matches: (Incoming) -> Bool) -> [LinkEffect] {
        let failed = incoming.filter { matches($0.value) }
        for id in failed.keys { incoming[id] = nil }
        waitingOrder.removeAll { failed[$0] != nil }
        return failed.sorted { $0.value.deadline < $1.value.deadline }.compactMap { id, message in
            if message.isAcknowledged && !message.expectsReply { return nil }
            let code = message.isAcknowledged ? LinkCode.messageReplyFailed : LinkCode.deliveryFailed
            return .toPeer(WatchFrame(.liveError, correlationId: id, sequence: UInt64(code)))
        }
    }

    private func failure(of id: UUID, for app: String, _ code: Int) -> LinkEffect {
        .toApp(app, WatchFrame(.liveError, correlationId: id, sequence: UInt64(code)))
    }
}
