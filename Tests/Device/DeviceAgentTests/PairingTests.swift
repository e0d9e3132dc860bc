// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// The identity of a pairing, which greetings, frames and queues carry (watch.md, section 11.6).
@Suite("Pairings", .endsInTime)
struct PairingTests {
    private func update(_ number: Int, in world: LinkWorld, of end: LinkWorld.End) throws {
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(number))
        try world.input(.fromApp(end.app, frame), at: end)
    }

    private func contexts(_ end: LinkWorld.End) -> [Data] {
        end.toApp.filter { $0.kind == .context && !$0.flags.contains(.retransmission) }.map(\.body)
    }

    @Test func `A watch without a pairing takes its phone's, and keeps it across a restart`() throws {
        let world = try LinkWorld.connected()
        try world.input(.unpaired(epoch: 99), at: world.phone)
        try world.exchange()
        #expect(world.watch.link.pairing == 0 && world.phone.link.pairing == 99)
        try world.input(.role(.active), at: world.phone)
        try world.settle()
        #expect(world.watch.link.pairing == 99 && world.watch.link.isUp)
        try world.watch.reboot()
        try world.phone.reboot()
        #expect(world.watch.link.pairing == 99 && world.phone.link.pairing == 99)
    }

    @Test
    func `A watch that has never met its phone before the pairing ends brings nothing into the next one`() throws {
        let world = try LinkWorld()
        try world.activateApp(of: world.watch)
        let old = try world.transfer(from: world.watch)
        try world.input(.unpaired(epoch: 99), at: world.phone)
        try world.input(.role(.active), at: world.phone)
        try world.settle()
        #expect(world.phone.handled.isEmpty && world.watch.codes == [old: 7014])
    }

    /// How the pairing ends without the watch hearing of it.
    enum End: CaseIterable {
        case unpairedOutOfRange, unpairedWhileIdle, erasedOutOfRange
    }

    @Test(arguments: End.allCases, [false, true])
    func
        `A watch that was away when its pairing ended learns of it at its next greeting: queued transfers end with 7014, and none reaches the next pairing`(
            _ end: End, isPairedAgain: Bool
        ) throws
    {
        let world = try LinkWorld.connected()
        let (phone, watch) = (world.phone, world.watch)
        try update(1, in: world, of: phone)
        try update(2, in: world, of: watch)
        try world.settle()
        try world.input(end == .unpairedWhileIdle ? .role(.idle) : .range(isInRange: false), at: phone)
        try world.exchange()
        let file = UUID()
        try world.input(.file(watch.app, file, WatchFile(path: "/a", size: 200_000), Data(count: 200_000)), at: watch)
        let old = try world.transfer(from: watch)
        try update(3, in: world, of: watch)
        (phone.toApp, watch.toApp) = ([], [])
        try world.input(end == .erasedOutOfRange ? .erased(epoch: 99) : .unpaired(epoch: 99), at: phone)
        if end != .erasedOutOfRange {
            #expect(phone.link.role == .unpaired)
            if isPairedAgain { try world.input(.role(.active), at: phone) }
        }
        try world.settle()
        #expect(watch.codes == [old: 7014, file: 7014])
        #expect(watch.link.outbox.entries.isEmpty && watch.link.files.isEmpty)
        let isPaired = isPairedAgain || end == .erasedOutOfRange
        #expect(watch.link.pairing == (isPaired ? 99 : 0))
        if !isPaired { try world.input(.role(.active), at: phone) }
        let next = [try world.transfer(from: watch), try world.transfer(from: phone)]
        try update(1, in: world, of: phone)
        try world.settle()
        #expect(phone.handled == [next[0]] && phone.files.isEmpty)
        #expect(watch.handled == [next[1]])
        #expect(contexts(phone).isEmpty, "a context of the pairing that is over")
        #expect(
            try contexts(watch) == [content(1)], "the first context of the new pairing, regardless of earlier numbers")
    }

    @Test func `A late end of a pairing does not end the next pairing`() throws {
        let world = try LinkWorld.connected()
        try world.input(.range(isInRange: false), at: world.phone)
        try world.exchange()
        try world.input(.unpaired(epoch: 99), at: world.phone)
        try world.input(.role(.active), at: world.phone)
        try world.input(.range(isInRange: true), at: world.phone)
        for _ in 0..<2 { try world.input(.seek, at: world.watch) }
        // Both greetings are answered with the end of the old pairing; the second answer comes late.
        while !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
        let farewells = world.toWatch.filter { $0.kind == .bye }
        let late = try #require(farewells.last)
        #expect(farewells.count >= 2)
        try world.settle()
        let sent = try world.transfer(from: world.watch)
        try world.input(.fromPeer(late), at: world.watch)
        #expect(world.watch.link.isUp && world.watch.link.pairing == 99)
        try world.settle()
        #expect(world.phone.handled == [sent] && world.watch.codes.isEmpty)
    }

    @Test
    func `A message, a context and a state that were on their way when the pairing ended are not for the next one`()
        throws
    {
        let world = try LinkWorld.connected()
        try world.input(
            .fromApp(world.watch.app, WatchFrame(.live, messageId: UUID(), body: Data([1]))), at: world.watch)
        try update(7, in: world, of: world.watch)
        let late = world.toPhone.filter { $0.kind == .live || $0.kind == .context }
        #expect(late.count == 2)
        world.toPhone = []
        try world.input(.unpaired(epoch: 99), at: world.phone)
        try world.input(.role(.active), at: world.phone)
        try world.settle()
        world.phone.toApp = []
        for frame in late { try world.input(.fromPeer(frame), at: world.phone) }
        #expect(world.phone.link.isUp && world.phone.toApp.isEmpty)
        #expect(world.phone.link.contexts.received.isEmpty)
    }

    @Test func `An erased watch is still paired with its phone, and gets its queued content`() throws {
        let world = try LinkWorld.connected()
        let pairing = world.phone.link.pairing
        try world.input(.range(isInRange: false), at: world.phone)
        let waiting = try world.transfer(from: world.phone)
        try world.input(.erased(epoch: 4711), at: world.watch)
        try world.settle()
        #expect(world.watch.handled == [waiting])
        #expect(world.phone.link.pairing == pairing && world.watch.link.pairing == pairing)
    }

    private func app(_ name: String, _ kind: AppSpec.Kind, host: String? = nil) -> AppSpec {
        AppSpec(
            name: name, kind: kind, bundleIdentifier: "com.example.\(name)", host: host,
            powerAuth: PowerAuthSpec(sdk: kind == .watchApp ? .watch : .full, instanceId: "i"))
    }

    @Test func `A watch app talks to the phone app it names, or else to the first one`() {
        let link = LinkSpec(name: "link", phone: "phone", watch: "watch")
        let topology = Topology(
            name: "t",
            devices: [
                DeviceSpec(
                    name: "phone", kind: .phone,
                    apps: [app("main", .app), app("second", .app), app("widget", .appExtension, host: "main")]),
                DeviceSpec(
                    name: "watch", kind: .watch,
                    apps: [app("glance", .watchApp), app("other", .watchApp, host: "second")]),
            ], links: [link])
        #expect(
            Counterparts.of(device: "watch", link: link, topology: topology) == ["glance": "main", "other": "second"])
        #expect(
            Counterparts.of(device: "phone", link: link, topology: topology) == ["main": "glance", "second": "other"])
    }
}
