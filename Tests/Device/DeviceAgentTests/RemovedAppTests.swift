// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import DeviceAgent

@Suite("Queues of apps and devices that are removed", .endsInTime)
struct RemovedAppTests {
    @Test
    func `Transfers for an app that is missing end with 7006 or 7018, and its next installation gets none of them`()
        throws
    {
        for isToWatch in [true, false] {
            let world = try LinkWorld.connected()
            let (sender, receiver) = isToWatch ? (world.phone, world.watch) : (world.watch, world.phone)
            try world.input(.range(isInRange: false), at: world.phone)
            let sent = try (0..<40).map { _ in try world.transfer(from: sender) }
            try world.killApp(of: receiver)
            try world.input(.installationChanged(receiver.app, isInstalled: false), at: receiver)
            try world.settle()
            #expect(sender.finished == sent)
            #expect(Set(sender.codes.values) == [isToWatch ? 7006 : 7018])
            try world.input(.installationChanged(receiver.app, isInstalled: true), at: receiver)
            let next = try world.transfer(from: sender)
            try world.settle()
            #expect(receiver.handled == [next])
        }
    }

    @Test func `Content queued for an app is dropped with it`() throws {
        let world = try LinkWorld.connected()
        try world.killApp(of: world.watch)
        _ = try world.transfer(from: world.phone)
        while !(world.toPhone.isEmpty && world.toWatch.isEmpty) {
            if !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
            if !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
        }
        #expect(world.watch.link.inbox.count(for: "watchApp") == 1)
        try world.input(.installationChanged("watchApp", isInstalled: false), at: world.watch)
        try world.input(.installationChanged("watchApp", isInstalled: true), at: world.watch)
        try world.watch.reboot()
        world.airIsEmpty(for: world.watch)
        try world.settle()
        #expect(world.watch.handled == [])
    }

    @Test func `A reinstalled app is not notified of its predecessor's transfers, which do not arrive either`() throws {
        let world = try LinkWorld.connected()
        let underWay = try world.transfer(from: world.phone)
        world.toWatch = []
        try world.input(.range(isInRange: false), at: world.phone)
        _ = try (0..<30).map { _ in try world.transfer(from: world.phone) }
        try world.killApp(of: world.phone)
        try world.input(.installationChanged("phoneApp", isInstalled: false), at: world.phone)
        try world.input(.installationChanged("phoneApp", isInstalled: true), at: world.phone)
        try world.phone.reboot()
        world.airIsEmpty(for: world.phone)
        try world.activateApp(of: world.phone)
        #expect(!world.phone.toApp.contains { $0.kind == .outstandingTransfer })
        try world.settle()
        #expect(world.phone.finished == [])
        #expect(world.watch.handled == [], "\(underWay)")
        #expect(world.phone.link.outbox.entries.isEmpty)
    }

    @Test(arguments: [true, false])
    func `An erased device has sent and received nothing, and the link keeps working`(isWatch: Bool) throws {
        let world = try LinkWorld.connected()
        let (erased, other) = isWatch ? (world.watch, world.phone) : (world.phone, world.watch)
        try world.killApp(of: erased)
        _ = try world.transfer(from: other)
        while !(world.toPhone.isEmpty && world.toWatch.isEmpty) {
            if !world.toWatch.isEmpty { try world.arrive(at: world.watch) }
            if !world.toPhone.isEmpty { try world.arrive(at: world.phone) }
        }
        try world.input(.range(isInRange: false), at: world.phone)
        try world.activateApp(of: erased)
        _ = try world.transfer(from: erased)
        try world.killApp(of: erased)
        try world.input(.erased(epoch: 4711), at: erased)
        try erased.reboot()
        world.airIsEmpty(for: erased)
        try world.settle()
        #expect(erased.handled == [])
        #expect(other.handled == [])
        let sent = [try world.transfer(from: erased), try world.transfer(from: other)]
        try world.settle()
        #expect(other.handled == [sent[0]])
        #expect(erased.handled == [sent[1]])
    }
}
