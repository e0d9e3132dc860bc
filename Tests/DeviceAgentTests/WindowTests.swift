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
        "No more than the window is under way, and each confirmation lets so many go as it confirms",
        arguments: [1, 15, 16, 17, 32, 33])
    func window(count: Int) throws {
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

    @Test(
        "A double is known as long as its sender may send it again, under whatever number",
        arguments: [1, 63, 64, 65, 129])
    func memory(distance: Int) throws {
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

    @Test(
        "A tombstone is named as long as its sender may ask for it, in memory and on the disk",
        arguments: [1, 63, 64, 65, 129])
    func tombstones(count: Int) throws {
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
}
