// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// The link around each of its numbers: one below, at, and one above, and more than two rounds.
@Suite("The numbers of the link", .endsInTime)
struct WindowTests {
    private static let window = Int(Outbox.window)
    private static let memory = Inbox.memory

    private func sent(in world: LinkWorld) -> [WatchFrame] { world.toWatch.filter { $0.kind == .userInfo } }

    @Test(
        .verifies("size", "Outbox.window"),
        arguments: [1, 15, 16, 17, 32, 33])
    func `No more than the window is under way, and each confirmation lets so many go as it confirms`(count: Int) throws
    {
        let world = try LinkWorld.connected()
        let ids = try (0..<count).map { try world.transfer($0, from: world.phone) }
        #expect(sent(in: world).map(\.messageId) == Array(ids.prefix(Self.window)))
        var arrived = 0
        while !world.toWatch.isEmpty {
            try world.arrive(at: world.watch)
            arrived += 1
            while !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
            #expect(sent(in: world).count == min(Self.window, count - arrived))
        }
        try world.settle()
        #expect(world.watch.handled == ids && world.phone.finished == ids && world.phone.codes.isEmpty)
    }

    @Test(arguments: [1, 63, 64, 65, 129])
    func `A double is recognised as long as its sender may send it again, under any number`(distance: Int) throws {
        var inbox = Inbox()
        _ = inbox.connect(epoch: 1)
        func receive(_ id: UUID, _ sequence: Int) throws -> Bool {
            let frame = WatchFrame(
                .userInfo, flags: .propertyList, messageId: id, epoch: 1, sequence: UInt64(sequence), app: "app",
                body: try content())
            return inbox.receive(frame).contains { if case .store(.received(_?, _)) = $0 { true } else { false } }
        }
        let first = UUID()
        #expect(try receive(first, 1))
        for number in 1..<distance { #expect(try receive(UUID(), number + 1)) }
        // It is among the last ones as long as no more than the memory came, itself counted.
        #expect(try receive(first, distance + 1) == (distance > Self.memory))
    }

    @Test(arguments: [1, 63, 64, 65, 129])
    func `A tombstone is kept as long as its sender may ask for it, in memory and on disk`(count: Int) throws {
        let world = try LinkWorld.connected()
        for _ in 0..<count {
            let id = try world.transfer(from: world.phone)
            let cancel = WatchFrame(.cancelTransfer, messageId: id)
            try world.input(.fromApp(world.phone.app, cancel), at: world.phone)
            world.toWatch.removeAll { $0.kind == .userInfo }
            try world.exchange()
        }
        let expected = (1...count).suffix(Self.memory).map(UInt64.init)
        #expect(world.watch.link.inbox.skipped == expected)
        try world.watch.reboot()
        #expect(world.watch.link.inbox.skipped == expected)
        #expect(world.phone.codes.count == count)
    }

    @Test(
        .verifies("size", "LiveMessages.memory"),
        arguments: [1, 1023, 1024, 1025, 2049])
    func `A duplicate immediate message is delivered once, within the memory of recent messages`(distance: Int) {
        var live = LiveMessages()
        func isDelivered(_ id: UUID) -> Bool {
            !live.receive(WatchFrame(.live, messageId: id, app: "app"), isReady: true, at: 0).isEmpty
        }
        let first = UUID()
        #expect(isDelivered(first))
        for _ in 1..<distance { #expect(isDelivered(UUID())) }
        #expect(isDelivered(first) == (distance > 1024))
    }

    @Test(.verifies("size", "LiveMessages.deliveryTimeout", "LiveMessages.replyTimeout"))
    func `The time of a message ends at its limit and not a moment before, for delivery and for the reply`() {
        var live = LiveMessages()
        func codes(at now: Int64) -> [UInt64] {
            live.expire(at: now).compactMap { if case .toApp(_, let frame) = $0 { frame.sequence } else { nil } }
        }
        // The second message begins when the first one is almost over.
        let (delivery, reply) = (LiveMessages.deliveryTimeout, LiveMessages.replyTimeout)
        let ids = [UUID(), UUID()]
        _ = live.send(WatchFrame(.live, flags: .expectsReply, messageId: ids[0]), from: "app", to: "other", at: 0)
        _ = live.send(
            WatchFrame(.live, flags: .expectsReply, messageId: ids[1]), from: "app", to: "other", at: delivery - 1)
        #expect(codes(at: delivery - 1).isEmpty)
        _ = live.answered(WatchFrame(.liveAcknowledgement, correlationId: ids[0]), at: delivery - 1)
        #expect(codes(at: 2 * delivery - 2).isEmpty)
        #expect(codes(at: 2 * delivery - 1) == [7017])
        #expect(codes(at: delivery - 2 + reply).isEmpty)
        #expect(codes(at: delivery - 1 + reply) == [7012])
        #expect(codes(at: .max).isEmpty && live.nextDeadline == nil)
    }

    @Test(.verifies("size", "ComplicationBudget.day"))
    func `The budget of complications is the same on each day, which begins with its first transfer`() {
        var budget = ComplicationBudget()
        let day = ComplicationBudget.day
        for start in [100, 100 + day, 200 + 3 * day] {
            #expect(budget.remaining(at: start) == 50)
            for used in 1...51 {
                budget.use(at: start + Int64(used) - 1)
                #expect(budget.remaining(at: start + day - 1) == max(0, 50 - used), "day from \(start)")
            }
            #expect(budget.renewal == start + day)
            budget.renew(at: start + day - 1)
            #expect(budget.remaining(at: start + day - 1) == 0)
            #expect(budget.remaining(at: start + day) == 50)
        }
    }
}
