// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What the receiving half decides, step by step: all changes to store and all frames, in order (watch.md, section 11.6).
@Suite("The receiving half of guaranteed transfers", .endsInTime)
struct InboxTests {
    private let ids = (0..<8).map { _ in UUID() }

    /// An inbox that knows the outbox 7 and has received so many transfers for the app, one byte each.
    private func filled(_ count: Int) -> Inbox {
        var inbox = Inbox()
        _ = inbox.connect(epoch: 7)
        for number in 0..<count { _ = inbox.receive(frame(number, UInt64(number + 1))) }
        return inbox
    }

    private func frame(
        _ number: Int, _ sequence: UInt64, _ kind: WatchFrame.Kind = .userInfo, epoch: UInt64 = 7, app: String = "app"
    ) -> WatchFrame {
        WatchFrame(
            kind, flags: .propertyList, messageId: ids[number], epoch: epoch, sequence: sequence, app: app,
            body: Data([UInt8(number)]))
    }

    private func entry(_ number: Int, at position: Int64, app: String = "app") -> Inbox.Entry {
        Inbox.Entry(
            position: position, transferId: ids[number], app: app, body: Data([UInt8(number)]), wasOffered: false)
    }

    private func report(
        _ kind: WatchFrame.Kind, _ sequence: UInt64, skipped: [UInt64] = [], epoch: UInt64 = 7
    ) -> LinkEffect {
        .toPeer(
            WatchFrame(
                kind, epoch: epoch, sequence: sequence, body: skipped.isEmpty ? Data() : WatchFrame.body(skipped)))
    }

    private func delivery(_ number: Int, hasMore: Bool, isAgain: Bool = false) -> LinkEffect {
        let flags: WatchFrame.Flags = isAgain ? [.propertyList, .retransmission] : [.propertyList]
        return .toApp(
            "app",
            WatchFrame(
                .deliver, flags: flags, messageId: ids[number], sequence: hasMore ? 1 : 0, app: "app",
                body: Data([UInt8(number)])))
    }

    @Test func `The next transfer is stored and confirmed, and an earlier one is confirmed again and not stored`() {
        var inbox = filled(0)
        for number in 0..<3 {
            let sequence = UInt64(number + 1)
            let effects = inbox.receive(frame(number, sequence))
            #expect(
                effects == [
                    .store(.received(entry(number, at: Int64(sequence)), sequence: sequence)),
                    report(.userInfoAcknowledgement, sequence),
                ])
        }
        for sequence in 0...3 as ClosedRange<UInt64> {
            #expect(inbox.receive(frame(4, sequence)) == [report(.userInfoAcknowledgement, 3)], "\(sequence)")
        }
        #expect(inbox.receive(frame(4, 4, epoch: 6)).isEmpty && inbox.receive(frame(4, 4, epoch: 8)).isEmpty)
        #expect(inbox.count == 3 && inbox.size == 3 && inbox.received == 3 && inbox.count(for: "app") == 3)
        #expect(inbox.count(for: "other") == 0 && inbox.entries.map(\.transferId) == Array(ids.prefix(3)))
    }

    @Test func `A gap is reported once, until it is closed or the devices connect again`() {
        var inbox = filled(1)
        #expect(inbox.receive(frame(3, 4)) == [report(.userInfoGap, 2)])
        #expect(inbox.receive(frame(4, 5)).isEmpty)
        #expect(inbox.connect(epoch: 7).isEmpty)
        #expect(inbox.receive(frame(3, 4)) == [report(.userInfoGap, 2)])
        #expect(inbox.receive(frame(1, 2)).count == 2)
        #expect(inbox.receive(frame(3, 4)) == [report(.userInfoGap, 3)])
    }

    @Test func `A refusal names the code; what comes behind waits for the tombstone, without a question`() {
        var inbox = filled(1)
        let refused = WatchFrame(
            .userInfoRefusal, messageId: ids[1], epoch: 7, sequence: 2, body: WatchFrame.body(RefusalBody(code: 7015)))
        #expect(inbox.receive(frame(1, 2), refusal: 7015) == [.toPeer(refused)])
        #expect(inbox.receive(frame(2, 3)).isEmpty && inbox.received == 1)
        let tombstone = inbox.receive(frame(1, 2, .userInfoTombstone), refusal: 7015)
        #expect(tombstone == [.store(.skipped(sequence: 2)), report(.userInfoAcknowledgement, 2, skipped: [2])])
        #expect(inbox.receive(frame(3, 4)) == [report(.userInfoGap, 3, skipped: [2])], "from now on a gap is asked for")
        let next = inbox.receive(frame(2, 3))
        #expect(
            next == [
                .store(.received(entry(2, at: 2), sequence: 3)), report(.userInfoAcknowledgement, 3, skipped: [2]),
            ])
        #expect(inbox.skipped == [2] && inbox.count == 2)
    }

    @Test
    func `A double under another number is confirmed as arrived, also as a tombstone and when it would be refused`() {
        for (kind, refusal) in [(.userInfo, nil), (.userInfo, 7006), (.userInfoTombstone, nil)]
            as [(WatchFrame.Kind, Int?)]
        {
            var inbox = filled(1)
            let effects = inbox.receive(frame(0, 2, kind), refusal: refusal)
            #expect(effects == [.store(.received(nil, sequence: 2)), report(.userInfoAcknowledgement, 2)])
            #expect(inbox.skipped.isEmpty && inbox.count == 1 && inbox.received == 2)
        }
    }

    @Test func `Another outbox of the sender begins at its first number; what has arrived stays, tombstones do not`() {
        var inbox = filled(1)
        _ = inbox.receive(frame(1, 2, .userInfoTombstone))
        #expect(inbox.connect(epoch: 8) == [.store(.senderChanged(epoch: 8))])
        #expect(inbox.epoch == 8 && inbox.received == 0 && inbox.skipped.isEmpty && inbox.count == 1)
        #expect(inbox.receive(frame(2, 3)).isEmpty, "of the outbox before")
        let double = inbox.receive(frame(0, 1, epoch: 8))
        #expect(double == [.store(.received(nil, sequence: 1)), report(.userInfoAcknowledgement, 1, epoch: 8)])
        let next = inbox.receive(frame(2, 2, epoch: 8))
        #expect(next.first == .store(.received(entry(2, at: 2), sequence: 2)))
    }

    @Test
    func `An app gets one transfer after the other; only the one that it was handed can be reported as handled`() {
        var inbox = filled(2)
        #expect(inbox.offer(to: "other").isEmpty)
        #expect(inbox.offer(to: "app") == [.store(.offered(position: 1)), delivery(0, hasMore: true)])
        #expect(inbox.offer(to: "app").isEmpty && inbox.entries.map(\.wasOffered) == [true, false])
        #expect(inbox.handled(ids[1], by: "app").isEmpty && inbox.handled(ids[0], by: "other").isEmpty)
        inbox.processEnded("other")
        #expect(inbox.offer(to: "app").isEmpty)
        inbox.processEnded("app")
        #expect(inbox.handled(ids[0], by: "app").isEmpty, "the next process has not got it yet")
        #expect(inbox.offer(to: "app") == [delivery(0, hasMore: true, isAgain: true)])
        #expect(inbox.handled(ids[0], by: "app") == [.store(.handled(position: 1, transferId: ids[0]))])
        #expect(inbox.count == 1 && inbox.size == 1)
        #expect(inbox.offer(to: "app") == [.store(.offered(position: 2)), delivery(1, hasMore: false)])
        #expect(inbox.handled(ids[1], by: "app") == [.store(.handled(position: 2, transferId: ids[1]))])
        #expect(inbox.handled(ids[1], by: "app").isEmpty && inbox.offer(to: "app").isEmpty && inbox.count == 0)
    }

    @Test func `With its app all that waits for it is gone, and nothing of another app`() {
        var inbox = filled(2)
        _ = inbox.receive(frame(2, 3, app: "other"))
        _ = inbox.offer(to: "app")
        let effects = inbox.forget("app")
        #expect(
            effects == [
                .store(.handled(position: 1, transferId: ids[0])), .store(.handled(position: 2, transferId: ids[1])),
            ])
        #expect(inbox.entries == [entry(2, at: 3, app: "other")] && inbox.count == 1 && inbox.size == 1)
        #expect(inbox.forget("app").isEmpty)
        _ = inbox.receive(frame(3, 4))
        #expect(inbox.offer(to: "app").count == 2, "the next installation is not busy with the work of the one before")
    }

    @Test func `A restored inbox continues with its numbers, and knows what an app was handed`() {
        var first = entry(0, at: 4)
        first.wasOffered = true
        var inbox = Inbox(
            epoch: 7, received: 9, skipped: [9], entries: [first, entry(1, at: 6)], recent: [ids[1], ids[2]])
        #expect(inbox.count == 2 && inbox.size == 2)
        #expect(inbox.offer(to: "app") == [delivery(0, hasMore: true, isAgain: true)])
        let double = inbox.receive(frame(2, 10))
        #expect(double == [.store(.received(nil, sequence: 10)), report(.userInfoAcknowledgement, 10, skipped: [9])])
        let next = inbox.receive(frame(3, 11))
        #expect(next.first == .store(.received(entry(3, at: 7), sequence: 11)))
    }

    @Test func `After a refused write an app continues with what it was handed, if that is stored and still first`() {
        var before = filled(2)
        _ = before.offer(to: "app")
        func restored(_ entries: [Inbox.Entry]) -> Inbox {
            var inbox = Inbox(epoch: 7, received: 2, entries: entries)
            inbox.keepHandling(of: before)
            return inbox
        }
        var offered = entry(0, at: 1)
        var same = restored([offered, entry(1, at: 2)])
        #expect(same.offer(to: "app").count == 2, "that it was handed over is not stored")
        offered.wasOffered = true
        same = restored([offered, entry(1, at: 2)])
        #expect(same.offer(to: "app").isEmpty && same.handled(ids[0], by: "app").count == 1)
        var other = restored([entry(1, at: 2)])
        #expect(other.offer(to: "app").count == 2)
    }
}
