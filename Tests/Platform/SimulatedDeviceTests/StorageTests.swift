// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import SimulatedDevice

@Suite("Containers, preferences and device identity", .endsInTime)
struct StorageTests {
    @Test
    func `A group's container is one directory for all members, with a name that does not tell the group`() throws {
        let device = try TemporaryDevice()
        let first = try device.sandbox(appGroups: ["group.example"])
        let second = try device.sandbox(
            name: "second", bundleIdentifier: "com.example.second", appGroups: ["group.example"])
        let path = try #require(first.containerPath(forAppGroup: "group.example"))
        #expect(second.containerPath(forAppGroup: "group.example") == path)
        #expect(!path.contains("group.example"))
        #expect(Files.exists(path))
        #expect(first.containerPath(forAppGroup: "group.other") == nil)
        #expect(first.home != second.home)
    }

    @Test func `A value set by one member of a group is readable by the others at once`() throws {
        let device = try TemporaryDevice()
        let first = try #require(try device.sandbox(appGroups: ["group.example"]).defaults(suite: "group.example"))
        let second = try #require(
            try device.sandbox(name: "second", bundleIdentifier: "com.example.second", appGroups: ["group.example"])
                .defaults(suite: "group.example"))
        #expect(!second.bool(forKey: "flag"))
        first.set(true, forKey: "flag")
        #expect(second.bool(forKey: "flag"))
        second.set(false, forKey: "flag")
        #expect(!first.bool(forKey: "flag"))
    }

    @Test func `A suite without entitlement works, but is private to the app`() throws {
        let device = try TemporaryDevice()
        let first = try #require(try device.sandbox().defaults(suite: "group.example"))
        let second = try #require(
            try device.sandbox(name: "second", bundleIdentifier: "com.example.second").defaults(suite: "group.example"))
        first.set(true, forKey: "flag")
        #expect(first.bool(forKey: "flag"))
        #expect(!second.bool(forKey: "flag"))
    }

    @Test func `A suite named like the app itself does not exist; the standard one does`() throws {
        let sandbox = try Sandbox.temporary(bundleIdentifier: "com.example.main")
        #expect(sandbox.defaults(suite: "com.example.main") == nil)
        let standard = try #require(sandbox.defaults())
        standard.set(true, forKey: "flag")
        #expect(try #require(sandbox.defaults()).bool(forKey: "flag"))
        standard.removeObject(forKey: "flag")
        #expect(!standard.bool(forKey: "flag"))
    }

    @Test
    func `A preferences file with one changed bit, wherever it is, is damaged: no key of it is missing or another`()
        throws
    {
        let sandbox = try Sandbox.temporary(bundleIdentifier: "com.example.main")
        let defaults = try #require(sandbox.defaults())
        defaults.set(true, forKey: "flag")
        let path = sandbox.home + "/Library/Preferences/com.example.main.json"
        let bytes = try Files.read(path)
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << (bit % 8)
            #expect(throws: CheckedFile.Damaged.self, "bit \(bit)") {
                try CheckedFile.decode([String: JSONValue].self, from: damaged, at: path)
            }
        }
        try Files.write(bytes.dropLast(), to: path)
        #expect(!defaults.bool(forKey: "flag"))
        let error = #expect(throws: DefaultsSuite.Unavailable.self) { try defaults.read("flag") }
        guard case .damaged(path)? = error else { throw Unexpected("it is \(String(describing: error))") }
    }

    @Test func `A damaged preferences file stays as it is, so that its other keys do not become missing ones`() throws {
        let sandbox = try Sandbox.temporary(bundleIdentifier: "com.example.main")
        let defaults = try #require(sandbox.defaults())
        defaults.set(true, forKey: "flag")
        let path = sandbox.home + "/Library/Preferences/com.example.main.json"
        let bytes = try Files.read(path)
        try Files.write(Data([0xFF, 0, 1]), to: path)
        defaults.set(true, forKey: "other")
        #expect(throws: DefaultsSuite.Unavailable.self) { try defaults.store(.bool(true), forKey: "other") }
        try Files.write(bytes, to: path)
        #expect(defaults.bool(forKey: "flag"))
    }

    @Test func `Preferences of a group that were asked for before the first unlock are the group's after it`() throws {
        let sandbox = try Sandbox.temporary(appGroups: ["group.example"])
        try #require(sandbox.defaults(suite: "group.example")).set(true, forKey: "flag")
        try sandbox.security.changeState { $0.reboot() }
        let defaults = try #require(sandbox.defaults(suite: "group.example"))
        #expect(!defaults.bool(forKey: "flag"))
        #expect(throws: DefaultsSuite.Unavailable.self) { try defaults.read("flag") }
        try sandbox.security.changeState { $0.unlock() }
        #expect(defaults.bool(forKey: "flag"))
    }

    @Test func `The vendor identifier belongs to the team and the device`() throws {
        let device = try TemporaryDevice()
        let first = try device.sandbox().device.vendorIdentifier
        #expect(try device.sandbox(name: "b", bundleIdentifier: "com.example.b").device.vendorIdentifier == first)
        #expect(try TemporaryDevice().sandbox().device.vendorIdentifier != first)
        #expect(first == first.uppercased() && UUID(uuidString: first) != nil)
    }

    @Test func `The device's clock is the lab's plus its skew, for all processes at once`() throws {
        let device = try TemporaryDevice()
        try device.clock.freeze()
        let first = try device.sandbox()
        let second = try device.sandbox(name: "b", bundleIdentifier: "com.example.b")
        let now = device.clock.now().milliseconds
        #expect(first.clock.currentTimeMillis == now)
        second.clock.setSkew(milliseconds: -90_000)
        #expect(first.clock.currentTimeMillis == now - 90_000)
        #expect(abs(first.clock.now().timeIntervalSince1970 - Double(now - 90_000) / 1000) < 0.001)
    }

    @Test func `Observers are notified of the foreground until they end`() throws {
        let lifecycle = ApplicationLifecycle()
        let count = Counter()
        var observation: ApplicationLifecycle.Observation? = lifecycle.on(.willEnterForeground) { count.increase() }
        lifecycle.enterForeground()
        #expect(count.value == 1)
        withExtendedLifetime(observation) {}
        observation = nil
        lifecycle.enterForeground()
        #expect(count.value == 1)
    }

    @Test func `A visit to the background and back brings four events in their order`() {
        let lifecycle = ApplicationLifecycle()
        let seen = Mutex<[ApplicationLifecycle.Event]>([])
        let observations = ApplicationLifecycle.Event.allCases.map { event in
            lifecycle.on(event) { seen.withLock { $0.append(event) } }
        }
        lifecycle.enterBackground()
        lifecycle.enterForeground()
        #expect(seen.withLock { $0 } == ApplicationLifecycle.Event.allCases)
        withExtendedLifetime(observations) {}
    }
}
