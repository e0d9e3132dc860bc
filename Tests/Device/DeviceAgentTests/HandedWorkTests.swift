// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// What a device hands to a process is kept until the process confirms it.
@Suite("Work handed to a process", .endsInTime)
struct HandedWorkTests {
    private func connected() throws -> LinkWorld {
        let world = try LinkWorld.settled()
        world.phone.hearsEnds = false
        return world
    }

    private func update(_ number: Int, in world: LinkWorld) throws {
        let frame = WatchFrame(.context, flags: .propertyList, messageId: UUID(), body: try content(number))
        try world.input(.fromApp("watchApp", frame), at: world.watch)
        try world.exchange()
    }

    /// The events delivered to the phone's app; clears them.
    private func news(_ world: LinkWorld) -> [WatchFrame] {
        defer { world.phone.toApp = [] }
        return world.phone.toApp.filter { $0.kind == .context && !$0.flags.contains(.retransmission) }
    }

    @Test
    func
        `A context whose process dies before its delegate has it is delivered to the next process, also after a crash`()
        throws
    {
        let world = try connected()
        try update(1, in: world)
        #expect(try news(world).map(\.body) == [content(1)])
        try world.killApp(of: world.phone)
        try world.activateApp(of: world.phone)
        #expect(try news(world).map(\.body) == [content(1)])
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        try world.activateApp(of: world.phone)
        let told = news(world)
        #expect(try told.map(\.body) == [content(1)])
        let name = try #require(told.first?.messageId)
        try world.input(.fromApp("phoneApp", WatchFrame(.contextTold, messageId: name)), at: world.phone)
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        try world.activateApp(of: world.phone)
        #expect(news(world).isEmpty)
    }

    @Test
    func
        `A context is delivered to a process once, and the acknowledgement of an older one does not settle a newer one`()
        throws
    {
        let world = try connected()
        try update(1, in: world)
        let first = try #require(news(world).first)
        try world.input(.appChanged("phoneApp", world.phone.presence), at: world.phone)
        #expect(news(world).isEmpty)
        try update(2, in: world)
        #expect(try news(world).map(\.body) == [content(2)])
        try world.input(.fromApp("phoneApp", WatchFrame(.contextTold, messageId: first.messageId)), at: world.phone)
        try world.killApp(of: world.phone)
        try world.activateApp(of: world.phone)
        #expect(try news(world).map(\.body) == [content(2)])
    }

    @Test func `A notification that an app is to decide about is kept on the disk until it has decided`() throws {
        func notification(_ id: String, _ payload: [String: JSONValue] = [:]) -> DeviceNotification {
            DeviceNotification(id: id, payload: payload, date: 0)
        }
        let directory = try TemporaryDirectory()
        let layout = InstanceLayout(root: directory.path)
        try FileManager.default.createDirectory(
            atPath: layout.deviceDirectory("phone"), withIntermediateDirectories: true)
        let store = try NotificationStore(layout: layout, device: "phone")
        try store.change { record in
            record.leave(notification("1"), to: "main")
            record.leave(notification("2"), to: "main")
            record.leave(notification("1", ["new": true]), to: "main")
        }
        let later = try NotificationStore(layout: layout, device: "phone")
        #expect(later.record["main"].undecided.map(\.id) == ["2", "1"])
        try later.change { record in
            #expect(record.take("1", from: "main")?.payload == ["new": true])
            #expect(record.take("1", from: "main") == nil)
            #expect(record.take("2", from: "wallet") == nil)
        }
        #expect(later.record["main"].undecided.map(\.id) == ["2"])
    }
}
