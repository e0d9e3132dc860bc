// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabVocabulary
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What each end decides about immediate messages, step by step (watch.md, section 11.5).
@Suite("Steps of immediate messages", .endsInTime)
struct LiveMessageStepTests {
    private let first = UUID()
    private let second = UUID()

    private func message(_ id: UUID, expectsReply: Bool = true, app: String = "app") -> WatchFrame {
        WatchFrame(.live, flags: expectsReply ? .expectsReply : [], messageId: id, app: app, body: Data([1]))
    }

    private func answer(_ kind: WatchFrame.Kind, to id: UUID) -> WatchFrame {
        WatchFrame(kind, correlationId: id, body: Data([2]))
    }

    private func failure(of id: UUID, _ code: UInt64) -> WatchFrame {
        WatchFrame(.liveError, correlationId: id, sequence: code)
    }

    @Test
    func `A message leaves for its counterpart; each answer but a repeated one reaches its app, and the last ends it`()
    {
        for kind in [WatchFrame.Kind.liveReply, .liveError] {
            var live = LiveMessages()
            let sent = live.send(message(first), from: "app", to: "other", at: 5)
            #expect(sent == [.toPeer(message(first, app: "other"))])
            #expect(live.answered(answer(.liveAcknowledgement, to: second), at: 6).isEmpty)
            let delivered = answer(.liveAcknowledgement, to: first)
            #expect(live.answered(delivered, at: 7) == [.toApp("app", delivered)])
            #expect(live.answered(delivered, at: 8).isEmpty)
            #expect(live.nextDeadline == 7 + LiveMessages.replyTimeout)
            let last = answer(kind, to: first)
            #expect(live.answered(last, at: 9) == [.toApp("app", last)])
            #expect(live.answered(last, at: 9).isEmpty && live.nextDeadline == nil && live.pending.isEmpty)
        }
    }

    @Test func `A message without a reply is over when it is delivered`() {
        var live = LiveMessages()
        _ = live.send(message(first, expectsReply: false), from: "app", to: "other", at: 0)
        let delivered = answer(.liveAcknowledgement, to: first)
        #expect(live.answered(delivered, at: 1) == [.toApp("app", delivered)])
        #expect(live.pending.isEmpty && live.nextDeadline == nil && live.linkLost().isEmpty)
    }

    @Test func `A reply that comes before the acknowledgement ends the message as well`() {
        var live = LiveMessages()
        _ = live.send(message(first), from: "app", to: "other", at: 0)
        #expect(live.answered(answer(.liveReply, to: first), at: 1).count == 1)
        #expect(live.answered(answer(.liveAcknowledgement, to: first), at: 2).isEmpty && live.nextDeadline == nil)
    }

    @Test func `An app that can take a message gets it at once; one that cannot gets it later, and in order`() {
        var live = LiveMessages()
        #expect(live.receive(message(first), isReady: true, at: 0) == [.toApp("app", message(first))])
        #expect(live.receive(message(first), isReady: true, at: 0).isEmpty, "a double")
        #expect(!live.isHolding(for: "app"))
        let ids = (0..<3).map { _ in UUID() }
        for (number, id) in ids.enumerated() {
            let app = number == 1 ? "other" : "app"
            #expect(live.receive(message(id, app: app), isReady: false, at: Int64(number)).isEmpty)
            #expect(live.isHolding(for: app))
        }
        #expect(live.nextDeadline == LiveMessages.deliveryTimeout)
        #expect(live.release(to: "app") == [.toApp("app", message(ids[0])), .toApp("app", message(ids[2]))])
        #expect(live.release(to: "app").isEmpty && !live.isHolding(for: "app") && live.isHolding(for: "other"))
        #expect(live.nextDeadline == 1 + LiveMessages.deliveryTimeout)
    }

    @Test func `Only the app that has a message answers it: an acknowledgement once, then one reply or error`() {
        for kind in [WatchFrame.Kind.liveReply, .liveError] {
            var live = LiveMessages()
            _ = live.receive(message(first), isReady: false, at: 0)
            let delivered = answer(.liveAcknowledgement, to: first)
            #expect(live.answer(delivered, by: "app").isEmpty, "it is still held")
            _ = live.release(to: "app")
            #expect(live.answer(delivered, by: "other").isEmpty)
            #expect(live.answer(answer(.liveAcknowledgement, to: second), by: "app").isEmpty)
            #expect(
                live.answer(delivered, by: "app") == [.toPeer(delivered)] && live.answer(delivered, by: "app").isEmpty)
            #expect(live.pending.map(\.state) == [.unanswered])
            let last = answer(kind, to: first)
            #expect(live.answer(last, by: "app") == [.toPeer(last)] && live.answer(last, by: "app").isEmpty)
            #expect(live.pending.isEmpty)
        }
        var live = LiveMessages()
        _ = live.receive(message(first, expectsReply: false), isReady: true, at: 0)
        #expect(live.answer(answer(.liveAcknowledgement, to: first), by: "app").count == 1 && live.pending.isEmpty)
    }

    /// How far a received message is when its app ends.
    enum Stage: CaseIterable {
        case held, handedOver, acknowledged
    }

    @Test(arguments: Stage.allCases, [false, true])
    func
        `The end of the receiving app fails its messages by how far they are, and of a restarting one only those it has`(
            stage: Stage, isRestarting: Bool
        )
    {
        var live = LiveMessages()
        _ = live.receive(message(second, app: "other"), isReady: true, at: 0)
        _ = live.receive(message(first), isReady: stage != .held, at: 1)
        if stage == .acknowledged { _ = live.answer(answer(.liveAcknowledgement, to: first), by: "app") }
        let effects = live.processEnded("app", keepsHeld: isRestarting)
        let code: UInt64 = stage == .acknowledged ? 7011 : 7014
        let isKept = stage == .held && isRestarting
        #expect(effects == (isKept ? [] : [.toPeer(failure(of: first, code))]))
        #expect(live.isHolding(for: "app") == isKept)
        #expect(live.pending.map(\.app) == ["other"] + (isKept ? ["app"] : []))
    }

    @Test func `A message that is held too long fails with 7014; one that the app has does not time out there`() {
        var live = LiveMessages()
        _ = live.receive(message(first), isReady: false, at: 0)
        _ = live.receive(message(second), isReady: true, at: 0)
        #expect(live.expire(at: LiveMessages.deliveryTimeout - 1).isEmpty)
        #expect(live.expire(at: LiveMessages.deliveryTimeout) == [.toPeer(failure(of: first, 7014))])
        #expect(live.pending.map(\.id) == [second] && live.nextDeadline == nil)
    }

    @Test func `The end of the sending app forgets its messages; their late answers reach no process`() {
        var live = LiveMessages()
        _ = live.send(message(first), from: "app", to: "other", at: 0)
        _ = live.send(message(second), from: "main", to: "other", at: 1)
        #expect(live.processEnded("app").isEmpty)
        #expect(live.answered(answer(.liveReply, to: first), at: 2).isEmpty)
        #expect(live.pending.map(\.id) == [second] && live.nextDeadline == 1 + LiveMessages.deliveryTimeout)
    }

    @Test
    func `With the link all messages are lost, in their order, each with the code that was given or that of its stage`()
    {
        for code in [nil, 7016] {
            var live = LiveMessages()
            _ = live.send(message(first), from: "app", to: "other", at: 0)
            _ = live.send(message(second), from: "main", to: "other", at: 1)
            _ = live.answered(answer(.liveAcknowledgement, to: second), at: 2)
            _ = live.receive(message(UUID()), isReady: false, at: 3)
            let effects = live.linkLost(code)
            let codes: [UInt64] = code == nil ? [7014, 7011] : [7016, 7016]
            #expect(
                effects == [.toApp("app", failure(of: first, codes[0])), .toApp("main", failure(of: second, codes[1]))])
            #expect(live.pending.isEmpty && live.nextDeadline == nil && !live.isHolding(for: "app"))
        }
    }

    @Test
    func `An inspection lists own messages before received ones, each kind by its deadline, with what is left of it`() {
        var live = LiveMessages()
        let (third, fourth) = (UUID(), UUID())
        _ = live.send(message(first), from: "app", to: "other", at: 4)
        _ = live.send(message(second), from: "app", to: "other", at: 5)
        _ = live.answered(answer(.liveAcknowledgement, to: first), at: 6)
        _ = live.receive(message(third), isReady: true, at: 8)
        _ = live.receive(message(fourth), isReady: false, at: 7)
        let delivery = LiveMessages.deliveryTimeout
        #expect(live.pending.map(\.id) == [second, first, fourth, third])
        #expect(live.pending.map(\.isOwn) == [true, true, false, false])
        #expect(live.pending.map(\.deadline) == [5 + delivery, 6 + LiveMessages.replyTimeout, 7 + delivery, nil])
        #expect(live.pending.map(\.state) == [.sent, .replyAwaited, .held, .handedOver])
    }
}
