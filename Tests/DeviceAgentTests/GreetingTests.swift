import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Greetings", .endsInTime)
struct GreetingTests {
    private func transfer(_ world: LinkWorld) throws -> UUID {
        let id = UUID()
        let frame = WatchFrame(.userInfo, flags: .propertyList, messageId: id, body: try content())
        try world.input(.fromApp("phoneApp", frame), at: world.phone)
        return id
    }

    @Test("A late copy of a greeting changes nothing, and lets nothing arrive twice")
    func lateCopy() throws {
        let world = try LinkWorld()
        try world.settle()
        var sent = try (0..<3).map { _ in try transfer(world) }
        try world.settle()
        // Received, and not confirmed yet.
        sent.append(try transfer(world))
        while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
        world.toPhone = []
        let epoch = world.phone.link.outbox.epoch
        for (frame, isToWatch) in world.greetings {
            try world.input(.fromPeer(frame), at: isToWatch ? world.watch : world.phone)
        }
        #expect(world.phone.link.outbox.epoch == epoch)
        try world.settle()
        #expect(world.watch.handled == sent)
    }

    @Test("A late greeting of an earlier process does not end the connection of the present one")
    func earlierProcess() throws {
        let world = try LinkWorld()
        try world.settle()
        let earlier = world.greetings
        try world.watch.reboot()
        world.airIsEmpty(for: world.watch)
        try world.settle()
        let nonce = world.phone.link.peer?.identifier.nonce
        for (frame, isToWatch) in earlier where !isToWatch { try world.input(.fromPeer(frame), at: world.phone) }
        #expect(world.phone.link.peer?.identifier.nonce == nonce)
        #expect(world.phone.link.isUp)
    }

    @Test("A device that is not paired cannot take the place of the watch")
    func stranger() throws {
        let world = try LinkWorld()
        try world.settle()
        var rules = GreetingRules(nonce: 77, peer: "phone")
        let body = GreetingBody(
            device: "stranger", identifier: rules.next(), pid: 1, epoch: 5, receivedEpoch: 0, receivedSequence: 0,
            skipped: [], receivedContexts: [:])
        let hello = WatchFrame(.hello, body: WatchFrame.body(body))
        try world.input(.fromPeer(hello), at: world.phone)
        #expect(world.phone.link.peer?.device == "watch")
        #expect(world.toWatch.isEmpty, "it gets no answer")
        #expect(throws: GreetingRefusal.stranger("stranger")) { _ = try world.phone.link.greetings.read(hello) }
        let sent = try transfer(world)
        try world.settle()
        #expect(world.watch.handled == [sent])
    }

    @Test("What is no greeting is refused")
    func garbage() throws {
        let rules = GreetingRules(nonce: 1, peer: "watch")
        for body in [Data(), Data("{}".utf8), Data([0xFF, 0x00])] {
            #expect(throws: GreetingRefusal.unreadable) { _ = try rules.read(WatchFrame(.hello, body: body)) }
        }
    }
}
