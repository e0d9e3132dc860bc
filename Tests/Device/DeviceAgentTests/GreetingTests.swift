// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Greetings", .endsInTime)
struct GreetingTests {
    @Test func `A late copy of a greeting changes nothing, and lets nothing arrive twice`() throws {
        let world = try LinkWorld.settled()
        var sent = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        try world.settle()
        // Received, and not confirmed yet.
        sent.append(try world.transfer(from: world.phone))
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

    @Test func `A late greeting of an earlier process does not end the connection of the present one`() throws {
        let world = try LinkWorld.settled()
        let earlier = world.greetings
        try world.watch.reboot()
        world.airIsEmpty(for: world.watch)
        try world.settle()
        let process = world.phone.link.peer?.identifier.process
        for (frame, isToWatch) in earlier where !isToWatch { try world.input(.fromPeer(frame), at: world.phone) }
        #expect(world.phone.link.peer?.identifier.process == process)
        #expect(world.phone.link.isUp)
    }

    @Test func `A lost greeting of an earlier process does not block the current one`() throws {
        let world = try LinkWorld()
        try world.input(.seek, at: world.watch)
        let lost = try #require(world.toPhone.first { $0.kind == .hello })
        try world.watch.reboot()
        world.airIsEmpty(for: world.watch)
        try world.settle()
        try world.input(.fromPeer(lost), at: world.phone)
        try world.input(.peerEnded, at: world.phone)
        try world.input(.peerEnded, at: world.watch)
        let sent = try world.transfer(from: world.phone)
        try world.settle()
        #expect(world.watch.handled == [sent])
    }

    @Test func `A device that is not paired cannot take the place of the watch`() throws {
        let world = try LinkWorld.settled()
        var rules = GreetingRules(process: 77, peer: "phone")
        let body = GreetingBody(
            device: "unpaired", pairing: 1, identifier: rules.next(), pid: 1, epoch: 5, receivedEpoch: 0,
            receivedSequence: 0,
            skipped: [], receivedContexts: [:])
        let hello = WatchFrame(.hello, body: WatchFrame.body(body))
        try world.input(.fromPeer(hello), at: world.phone)
        #expect(world.phone.link.peer?.device == "watch")
        #expect(!world.toWatch.contains { $0.kind == .welcome }, "it gets no answer")
        #expect(throws: GreetingRefusal.unpaired("unpaired")) { _ = try world.phone.link.greetings.read(hello) }
        let sent = try world.transfer(from: world.phone)
        try world.settle()
        #expect(world.watch.handled == [sent])
    }

    @Test func `A frame that is not a greeting is refused`() throws {
        let rules = GreetingRules(process: 1, peer: "watch")
        for body in [Data(), Data("{}".utf8), Data([0xFF, 0x00])] {
            #expect(throws: GreetingRefusal.unreadable) { _ = try rules.read(WatchFrame(.hello, body: body)) }
        }
    }

    @Test func `Each refusal states its own reason`() {
        #expect("\(GreetingRefusal.unreadable)" == "it is not a greeting")
        #expect("\(GreetingRefusal.unpaired("x"))" == "it is a greeting of the unpaired device `x`")
        #expect("\(GreetingRefusal.late)" == "it is a greeting of a connection that is over")
    }

    @Test(arguments: 0..<20) func `The link survives any invalid input of the other agent`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let world = try LinkWorld.settled()
        let numbers: [UInt64] = [0, 1, 2, 17, UInt64(Int64.max), UInt64.max - 1, UInt64.max]
        let bodies = [
            Data(), Data("{}".utf8), Data("[18446744073709551615]".utf8), Data(#"{"code":-1}"#.utf8),
            Data(repeating: 0xFF, count: 70_000), try content(),
        ]
        for _ in 0..<300 {
            let kind = WatchFrame.Kind(rawValue: UInt8.random(in: 0...0x52, using: &random)) ?? .live
            // These are right in every way.
            guard kind != .bye, kind != .userInfoTombstone, let number = numbers.randomElement(using: &random),
                let body = bodies.randomElement(using: &random)
            else { continue }
            let end = Bool.random(using: &random) ? world.phone : world.watch
            let frame = WatchFrame(
                kind, flags: Bool.random(using: &random) ? .propertyList : [], messageId: UUID(),
                correlationId: UUID(), epoch: end.link.inbox.epoch, sequence: number, app: "nobody", body: body)
            try world.input(.fromPeer(frame), at: end)
        }
        #expect(world.watch.link.inbox.entries.isEmpty && world.phone.link.inbox.entries.isEmpty)
        let sent = try world.transfer(from: world.phone)
        try world.settle()
        #expect(world.watch.handled == [sent])
    }
}
