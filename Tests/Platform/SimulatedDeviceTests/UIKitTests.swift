// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// The shim of Apple's frameworks (sdk.md, section 3, item 11).
@Suite("The UIKit shim", .endsInTime)
struct UIKitTests {
    @Test func `The device has the values that the system shows to any app`() throws {
        let device = try TemporaryDevice()
        let one = ShimmedDevice(try device.sandbox())
        #expect(one.model == "iPhone" && one.name == "iPhone" && one.systemName == "iOS")
        #expect(one.systemVersion == device.spec.osVersion)
        let other = ShimmedDevice(try device.sandbox(name: "other", bundleIdentifier: "com.example.other"))
        #expect(one.identifierForVendor != nil && one.identifierForVendor == other.identifierForVendor)
    }

    @Test func `Returning to the foreground is posted on the main queue`() async throws {
        let sandbox = try Sandbox.temporary()
        let waiting = Mutex<CheckedContinuation<Bool, Never>?>(nil)
        let application = ShimmedApplication(sandbox) { isMainQueue in
            let continuation = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            continuation?.resume(returning: isMainQueue)
        }
        let isMainQueue = await withCheckedContinuation { continuation in
            waiting.withLock { $0 = continuation }
            sandbox.lifecycle.enterForeground()
        }
        #expect(isMainQueue)
        withExtendedLifetime(application) {}
    }

    @available(*, deprecated)
    @Test func `The launch options key has two names`() {
        let names = ShimmedApplication.launchOptionsKeys
        #expect(ObjectIdentifier(names.0) == ObjectIdentifier(names.1))
        #expect(ShimmedApplication.textOfLaunchOptionsKey("key") == "key")
    }
}

/// Preferences as an app sees them (sharing.md, section 21.5).
@Suite("User defaults", .endsInTime)
struct UserDefaultsTests {
    @Test func `Values come back with their types`() throws {
        let defaults = try #require(ShimmedDefaults(suite: nil, try Sandbox.temporary()))
        defaults.setTyped(flag: true, number: 7, share: 0.5)
        defaults.set("text", "text")
        #expect(defaults.bool("flag") && defaults.integer("number") == 7)
        #expect(defaults.double("share") == 0.5 && defaults.string("text") == "text")
        #expect(defaults.object("flag") as? Bool == true)
        #expect(!defaults.bool("text") && defaults.string("flag") == nil)
        defaults.remove("flag")
        defaults.set(nil, "text")
        #expect(!defaults.bool("flag") && defaults.object("text") == nil)
        #expect(defaults.synchronize())
    }

    @Test func `What a property list holds is kept for another process; what it does not hold is not stored`() throws {
        let sandbox = try Sandbox.temporary()
        let defaults = try #require(ShimmedDefaults(suite: nil, sandbox))
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        defaults.set(Data([1, 2]), "bytes")
        defaults.set(date, "date")
        defaults.set(["a", "b"], "list")
        defaults.set(["limits": [100, 200], "card": Data([3])] as [String: Any], "dictionary")
        let other = try #require(ShimmedDefaults(suite: nil, sandbox))
        #expect(other.object("bytes") as? Data == Data([1, 2]) && other.object("date") as? Date == date)
        #expect(other.object("list") as? [String] == ["a", "b"])
        let dictionary = try #require(other.object("dictionary") as? [String: Any])
        #expect(dictionary["limits"] as? [Int] == [100, 200] && dictionary["card"] as? Data == Data([3]))
        defaults.set(NSObject(), "list")
        defaults.set(Date(timeIntervalSince1970: .nan), "date")
        #expect(other.object("list") == nil && other.object("date") == nil)
    }

    @Test func `A registered value stands for a missing one, and is not stored`() throws {
        let sandbox = try Sandbox.temporary()
        let defaults = try #require(ShimmedDefaults(suite: nil, sandbox))
        defaults.register(["greeting": "hello", "attempts": 3])
        #expect(defaults.string("greeting") == "hello" && defaults.integer("attempts") == 3)
        defaults.set(5, "attempts")
        #expect(defaults.integer("attempts") == 5)
        defaults.remove("attempts")
        #expect(defaults.integer("attempts") == 3)
        #expect(sandbox.defaults()?.value(forKey: "greeting") == nil)
    }

    @Test func `The apps of a group see each other's changes`() throws {
        let device = try TemporaryDevice()
        func suite(_ name: String) throws -> ShimmedDefaults {
            let sandbox = try device.sandbox(
                name: name, bundleIdentifier: "com.example.\(name)", appGroups: ["group.example"])
            return try #require(ShimmedDefaults(suite: "group.example", sandbox))
        }
        let one = try suite("one")
        let other = try suite("other")
        one.set(true, "flag")
        #expect(other.bool("flag"))
        let own = try device.sandbox(bundleIdentifier: "com.example.own")
        #expect(ShimmedDefaults(suite: "com.example.own", own) == nil, "its own identifier names no suite")
    }
}
