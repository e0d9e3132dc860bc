// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Guaranteed transfers", .endsInTime)
struct GuaranteedTransferTests {
    @Test func `Ten transfers while out of range arrive after both agents and both apps were restarted`() throws {
        let world = try LinkWorld.settled()
        try world.input(.range(isInRange: false), at: world.phone)
        let sent = try (0..<10).map { _ in try world.transfer(from: world.phone) }
        try world.phone.reboot()
        try world.watch.reboot()
        world.airIsEmpty(for: world.phone)
        #expect(world.watch.arrived.isEmpty)
        try world.settle()
        #expect(world.watch.handled == sent)
    }

    @Test
    func `A transfer queued after a restart of the device has a number of its own, also when those before were lost`()
        throws
    {
        let world = try LinkWorld.settled()
        var sent = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        world.toWatch.removeAll()
        try world.phone.reboot()
        try world.activateApp(of: world.phone)
        sent.append(try world.transfer(from: world.phone))
        try world.settle()
        #expect(world.watch.handled == sent)
        #expect(world.phone.finished == sent)
    }

    @Test func `Lost acknowledgements cause no doubles`() throws {
        let world = try LinkWorld.settled()
        let sent = try (0..<5).map { _ in try world.transfer(from: world.phone) }
        for _ in 0..<4 {
            while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
            world.toPhone.removeAll()
            try world.input(.retransmit, at: world.phone)
        }
        try world.settle()
        #expect(world.watch.arrived == sent)
    }

    @Test func `At most sixteen transfers are under way unacknowledged`() throws {
        let world = try LinkWorld.settled()
        for _ in 0..<40 { _ = try world.transfer(from: world.phone) }
        #expect(world.toWatch.count(where: { $0.kind == .userInfo }) == 16)
    }

    @Test
    func `A transfer whose handler was interrupted is offered again, marked as repeated; the next one is not`() throws {
        let world = try LinkWorld.settled()
        let sent = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
        try world.handleNext(at: world.watch, diesBeforeReport: true)
        try world.activateApp(of: world.watch)
        let repeated = try #require(world.watch.toApp.first { $0.kind == .deliver })
        #expect(repeated.messageId == sent[0])
        #expect(repeated.flags.contains(.retransmission))
        try world.handleNext(at: world.watch)
        let next = try #require(world.watch.toApp.first { $0.kind == .deliver })
        #expect(next.messageId == sent[1])
        #expect(!next.flags.contains(.retransmission))
    }

    @Test func `A transfer cancelled before it was sent never arrives, and leaves no gap`() throws {
        let world = try LinkWorld()
        try world.activateApp(of: world.phone)
        let sent = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        try world.input(.fromApp("phoneApp", WatchFrame(.cancelTransfer, messageId: sent[1])), at: world.phone)
        #expect(world.phone.finished == [sent[1]])
        try world.settle()
        #expect(world.watch.handled == [sent[0], sent[2]])
    }

    @Test func `A transfer cancelled on its way is replaced by a tombstone`() throws {
        let world = try LinkWorld.settled()
        let sent = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        world.toWatch.removeAll()
        try world.input(.fromApp("phoneApp", WatchFrame(.cancelTransfer, messageId: sent[1])), at: world.phone)
        try world.settle()
        #expect(world.watch.handled == [sent[0], sent[2]])
        #expect(world.phone.codes == [sent[1]: 7014])
    }

    @Test func `A transfer that has arrived when it is cancelled is reported as delivered`() throws {
        let world = try LinkWorld.settled()
        let sent = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
        // The acknowledgement is on its way.
        try world.input(.fromApp("phoneApp", WatchFrame(.cancelTransfer, messageId: sent[1])), at: world.phone)
        try world.settle()
        #expect(world.watch.handled == sent)
        #expect(world.phone.finished == sent)
        #expect(world.phone.codes == [:])
    }

    @Test func `The end of a transfer is reported at the next activation if the app was not running`() throws {
        let world = try LinkWorld.settled()
        let id = try world.transfer(from: world.phone)
        try world.killApp(of: world.phone)
        while !(world.toPhone.isEmpty && world.toWatch.isEmpty) {
            if !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
            if !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
        }
        #expect(world.phone.finished.isEmpty)
        try world.phone.reboot()
        try world.activateApp(of: world.phone)
        #expect(world.phone.finished == [id])
        try world.killApp(of: world.phone)
        try world.activateApp(of: world.phone)
        #expect(world.phone.finished == [id], "it is reported once")
    }

    @Test func `The end of a transfer is reported again if the app died before its delegate had it`() throws {
        let world = try LinkWorld.settled()
        world.phone.hearsEnds = false
        let id = try world.transfer(from: world.phone)
        try world.settle()
        #expect(world.phone.toApp.contains { $0.kind == .transferDone })
        try world.killApp(of: world.phone)
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        world.phone.hearsEnds = true
        try world.activateApp(of: world.phone)
        #expect(world.phone.finished == [id])
    }

    @Test func `An app that activates its session gets its queue in frames of limited size, at any length`() throws {
        let world = try LinkWorld()
        let body = try PropertyListSerialization.data(
            fromPropertyList: ["text": String(repeating: "x", count: 340)], format: .binary, options: 0)
        let sent = (0..<10_000).map { _ in UUID() }
        var outbox = world.phone.link.outbox
        let effects = sent.flatMap { outbox.add($0, origin: "phoneApp", destination: "watchApp", body: body) }
        try world.phone.database.apply(effects.compactMap { if case .store(let change) = $0 { change } else { nil } })
        try world.phone.reboot()
        try world.activateApp(of: world.phone)
        #expect(world.phone.toApp.prefix { $0.kind == .outstandingTransfer }.map(\.messageId) == sent)
        #expect(world.phone.toApp.dropFirst(sent.count).first?.kind == .activate)
        let largest = world.phone.toApp.map { $0.parts.map(\.count).reduce(0, +) }.max() ?? 0
        #expect(largest < 1_000)
    }

    @Test func `A transfer that comes again under another number is handed over once`() throws {
        let world = try LinkWorld.settled()
        let id = try world.transfer(from: world.phone)
        let copy = try #require(world.toWatch.first { $0.kind == .userInfo })
        try world.settle()
        var double = copy
        double.sequence = 2
        try world.input(.fromPeer(double), at: world.watch)
        try world.settle()
        #expect(world.watch.handled == [id])
    }

    @Test func `A transfer with invalid or too large content is refused; later ones are accepted`() throws {
        let world = try LinkWorld.settled()
        let large = try PropertyListSerialization.data(
            fromPropertyList: ["text": String(repeating: "x", count: 65_536)], format: .binary, options: 0)
        // The phone's system does not look, as if it were another one.
        let sent = [Data("no list".utf8), large, try content()].map { body in
            let id = UUID()
            _ = world.phone.link.outbox.add(id, origin: "phoneApp", destination: "watchApp", body: body)
            return id
        }
        try world.settle()
        #expect(world.watch.handled == [sent[2]])
        #expect(world.phone.codes == [sent[0]: 7010, sent[1]: 7009])
        #expect(world.phone.finished == sent)
    }

    @Test func `A confirmation of an earlier epoch is ignored`() {
        var outbox = Outbox(epoch: 7)
        _ = outbox.connect(epoch: 7, received: 0)
        _ = outbox.add(UUID(), origin: "phoneApp", destination: "watchApp", body: Data())
        #expect(outbox.acknowledge(epoch: 6, upTo: 1).isEmpty)
        #expect(outbox.entries.count == 1)
        #expect(!outbox.acknowledge(epoch: 7, upTo: 1).isEmpty)
        #expect(outbox.entries.isEmpty)
    }

    @Test func `A watch that has lost its memory gets what is still queued, under a new epoch`() throws {
        let world = try LinkWorld.settled()
        _ = try (0..<3).map { _ in try world.transfer(from: world.phone) }
        try world.settle()
        let epoch = world.phone.link.outbox.epoch
        let erased = try LinkWorld(processes: 100)
        try world.input(.peerEnded, at: world.phone)
        let late = try world.transfer(from: world.phone)
        // The other world's watch knows nothing of this phone.
        try erased.input(.seek, at: erased.watch)
        world.toPhone = erased.toPhone
        for _ in 0..<6 {
            while !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
            erased.toWatch = world.toWatch
            world.toWatch = []
            erased.toPhone = []
            while !erased.toWatch.isEmpty { try erased.arrive(at: erased.watch) }
            world.toPhone = erased.toPhone
        }
        #expect(erased.watch.arrived == [late])
        #expect(world.phone.link.outbox.epoch != epoch)
    }
}
