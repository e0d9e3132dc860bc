import SimulatedDevice
import Synchronization
import Testing
import UIKit

/// The shim of Apple's frameworks (sdk.md, section 3, item 11).
struct UIKitTests {
    @Test func theDeviceTellsWhatTheSystemTellsAnyApp() throws {
        let device = try TemporaryDevice()
        let current = UIDevice(sandbox: try device.sandbox())
        #expect(current.model == "iPhone" && current.name == "iPhone" && current.systemName == "iOS")
        #expect(current.systemVersion == device.spec.osVersion)
        let other = UIDevice(sandbox: try device.sandbox(name: "other", bundleIdentifier: "com.example.other"))
        #expect(current.identifierForVendor != nil && current.identifierForVendor == other.identifierForVendor)
    }

    @Test func returningToTheForegroundIsPostedOnTheMainThread() async throws {
        let sandbox = try Sandbox.temporary()
        let center = NotificationCenter()
        let application = UIApplication(sandbox: sandbox, center: center)
        let isMainThread = await withCheckedContinuation { continuation in
            let waiting = Mutex<CheckedContinuation<Bool, Never>?>(continuation)
            _ = center.addObserver(
                forName: UIApplication.willEnterForegroundNotification, object: nil, queue: nil
            ) { _ in
                waiting.withLock { waiting in
                    waiting?.resume(returning: Thread.isMainThread)
                    waiting = nil
                }
            }
            sandbox.lifecycle.enterForeground()
        }
        #expect(isMainThread)
        withExtendedLifetime(application) {}
    }

    @available(*, deprecated)
    @Test func theLaunchOptionsKeyHasTwoNames() {
        #expect(UIApplicationLaunchOptionsKey.self == UIApplication.LaunchOptionsKey.self)
        #expect(UIApplication.LaunchOptionsKey(rawValue: "url") == UIApplicationLaunchOptionsKey(rawValue: "url"))
    }
}

/// Preferences as an app sees them (sharing.md, section 21.5).
struct UserDefaultsTests {
    @Test func valuesComeBackWithTheirTypes() throws {
        let defaults = try #require(UserDefaults(suiteName: nil, sandbox: try Sandbox.temporary()))
        defaults.set(true, forKey: "flag")
        defaults.set(7, forKey: "number")
        defaults.set(0.5, forKey: "share")
        defaults.set("text", forKey: "text")
        #expect(defaults.bool(forKey: "flag") && defaults.integer(forKey: "number") == 7)
        #expect(defaults.double(forKey: "share") == 0.5 && defaults.string(forKey: "text") == "text")
        #expect(defaults.object(forKey: "flag") as? Bool == true)
        #expect(!defaults.bool(forKey: "text") && defaults.string(forKey: "flag") == nil)
        defaults.removeObject(forKey: "flag")
        defaults.set(nil, forKey: "text")
        #expect(!defaults.bool(forKey: "flag") && defaults.object(forKey: "text") == nil)
        #expect(defaults.synchronize())
    }

    @Test func theAppsOfAGroupSeeEachOthersChanges() throws {
        let device = try TemporaryDevice()
        func suite(_ name: String) throws -> UserDefaults {
            let sandbox = try device.sandbox(
                name: name, bundleIdentifier: "com.example.\(name)", appGroups: ["group.example"])
            return try #require(UserDefaults(suiteName: "group.example", sandbox: sandbox))
        }
        let one = try suite("one")
        let other = try suite("other")
        one.set(true, forKey: "flag")
        #expect(other.bool(forKey: "flag"))
        let own = try device.sandbox(bundleIdentifier: "com.example.own")
        #expect(UserDefaults(suiteName: "com.example.own", sandbox: own) == nil, "its own identifier names no suite")
    }
}
