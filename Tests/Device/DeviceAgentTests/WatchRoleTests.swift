// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

/// A phone that uses another watch, or ends a pairing (watch.md, section 9.6).
@Suite("Watches of a phone", .endsInTime)
struct WatchRoleTests {
    @Test func `A watch that is not used is not served, and its queues wait until it is used again`() throws {
        let world = try LinkWorld.connected()
        try world.input(.role(.idle), at: world.phone)
        let late = try world.transfer(from: world.watch)
        try world.settle()
        #expect(!world.phone.link.isUp && !world.watch.link.isUp)
        #expect(!world.watch.link.state(for: world.watch.app).isReachable)
        #expect(world.phone.handled.isEmpty)
        try world.input(.role(.active), at: world.phone)
        try world.settle()
        #expect(world.phone.handled == [late])
        #expect(world.watch.link.state(for: world.watch.app).isReachable)
    }

    @Test func `Messages under way end with 7016 when another watch is used, and new ones are refused so`() throws {
        let world = try LinkWorld.connected()
        let first = UUID()
        try world.input(
            .fromApp(world.phone.app, WatchFrame(.live, flags: .expectsReply, messageId: first, body: Data([1]))),
            at: world.phone)
        try world.input(.role(.idle), at: world.phone)
        let second = UUID()
        try world.input(
            .fromApp(world.phone.app, WatchFrame(.live, flags: .expectsReply, messageId: second, body: Data([1]))),
            at: world.phone)
        let errors = world.phone.toApp.filter { $0.kind == .liveError }
        #expect(errors.map(\.correlationId) == [first, second] && errors.map(\.sequence) == [7016, 7016])
        _ = try world.transfer(from: world.phone)
        #expect(world.phone.toApp.last { $0.kind == .transferQueued }?.sequence == 7016)
    }

    @Test func `Received content is delivered to the app of an idle link, and its session is inactive`() throws {
        let world = try LinkWorld.connected()
        try world.killApp(of: world.phone)
        let sent = try world.transfer(from: world.watch)
        while !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
        try world.input(.role(.idle), at: world.phone)
        try world.activateApp(of: world.phone)
        let state = try #require(world.phone.toApp.first { $0.kind == .activate })
        #expect(try state.decodeBody(WatchCounterpartState.self).isInactive)
        try world.handleNext(at: world.phone)
        #expect(world.phone.handled == [sent] && world.phone.link.inbox.entries.isEmpty)
    }

    @Test func `The end of a pairing ends all queued content, on both sides, permanently`() throws {
        for isInRange in [true, false] {
            let world = try LinkWorld.connected()
            try world.killApp(of: world.watch)
            try world.input(.range(isInRange: false), at: world.phone)
            let sent = try world.transfer(from: world.phone)
            if isInRange { try world.settle() }
            let file = UUID()
            try world.input(
                .file(world.phone.app, file, WatchFile(path: "/a", size: 2_000_000), Data(count: 2_000_000)),
                at: world.phone)
            try world.input(.unpaired(epoch: 99), at: world.phone)
            while !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
            #expect(world.phone.codes == (isInRange ? [file: 7005] : [sent: 7005, file: 7005]))
            #expect(!world.phone.link.state(for: world.phone.app).isPaired)
            #expect(world.phone.link.outbox.entries.isEmpty && world.phone.link.files.isEmpty)
            _ = try world.transfer(from: world.phone)
            #expect(world.phone.toApp.last { $0.kind == .transferQueued }?.sequence == 7005)
            try world.phone.reboot()
            #expect(world.phone.link.outbox.entries.isEmpty, "nothing is left on the disk")
            try world.activateApp(of: world.phone)
            let next = try world.transfer(from: world.phone)
            try world.settle()
            #expect(world.watch.handled.filter { $0 != sent } == [next])
            #expect(world.watch.files.isEmpty && world.watch.link.inbox.entries.isEmpty)
        }
    }
}
