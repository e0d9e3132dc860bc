// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// Transfers for the complication of a watch app (watch.md, section 9.5).
@Suite("Complications", .endsInTime)
struct ComplicationTests {
    private func connected(isShown: Bool = true) throws -> LinkWorld {
        let world = try LinkWorld()
        try world.activateApp(of: world.phone)
        try world.activateApp(of: world.watch)
        try world.input(.complicationChanged(world.watch.app, isEnabled: isShown), at: world.watch)
        try world.settle()
        return world
    }

    private func send(_ flags: WatchFrame.Flags, in world: LinkWorld) throws -> UUID {
        let id = UUID()
        let flags = flags.union(.propertyList)
        try world.input(
            .fromApp(world.phone.app, WatchFrame(.userInfo, flags: flags, messageId: id, body: try content())),
            at: world.phone)
        return id
    }

    private func remaining(_ world: LinkWorld) -> Int {
        world.phone.link.state(for: world.phone.app).remainingComplicationTransfers
    }

    @Test
    func `Complication content is sent before all queued content, in the order sent, also after a crash of the phone`()
        throws
    {
        for dies in [false, true] {
            let world = try connected()
            try world.input(.range(isInRange: false), at: world.phone)
            let ordinary = try (0..<20).map { _ in try send([], in: world) }
            let urgent = try (0..<2).map { _ in try send(.complication, in: world) }
            if dies {
                try world.phone.reboot()
                try world.activateApp(of: world.phone)
            }
            try world.settle()
            #expect(world.watch.handled == urgent + ordinary)
        }
    }

    @Test func `There is one current content: the one before it stays in the queue and is no longer current`() throws {
        let world = try connected()
        try world.input(.range(isInRange: false), at: world.phone)
        _ = try send(.complication, in: world)
        _ = try send(.complication, in: world)
        #expect(world.phone.link.outbox.entries.map(\.kind) == [.formerComplication, .complication])
    }

    @Test func `The watch app is launched for its complication, and not for an ordinary transfer`() throws {
        let world = try connected()
        try world.killApp(of: world.watch)
        _ = try send([], in: world)
        while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
        #expect(world.watch.launches == 0)
        _ = try send(.complication, in: world)
        while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
        #expect(world.watch.launches == 1)
    }

    @Test(.verifies("size", "ComplicationBudget.perDay"))
    func `Fifty a day are brought at once; without a complication none`() throws {
        let world = try connected()
        #expect(remaining(world) == 50)
        for _ in 0..<50 { _ = try send(.complication, in: world) }
        #expect(remaining(world) == 0)
        try world.input(.range(isInRange: false), at: world.phone)
        _ = try send(.complication, in: world)
        #expect(world.phone.link.outbox.entries.last?.kind == .userInfo)
        try world.phone.reboot()
        world.now += ComplicationBudget.day - 1
        try world.activateApp(of: world.phone)
        try world.settle()
        #expect(remaining(world) == 0, "the phone remembers across its restart")
        world.now += 1
        #expect(try #require(world.phone.link.nextLabDeadline) <= world.now)
        try world.input(.labTimePassed, at: world.phone)
        #expect(remaining(world) == 50)
        try world.input(.complicationChanged(world.watch.app, isEnabled: false), at: world.watch)
        try world.settle()
        #expect(remaining(world) == 0)
        #expect(!world.phone.link.state(for: world.phone.app).isComplicationEnabled)
    }
}
