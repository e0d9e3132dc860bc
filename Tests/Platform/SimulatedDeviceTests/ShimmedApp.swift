// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice
import UIKit

// What an app reads through the shim of UIKit.

/// `UIDevice.current` of an app.
struct ShimmedDevice {
    let model: String
    let name: String
    let systemName: String
    let systemVersion: String
    let identifierForVendor: UUID?

    init(_ sandbox: Sandbox) {
        let device = UIDevice(sandbox: sandbox)
        (model, name) = (device.model, device.name)
        (systemName, systemVersion) = (device.systemName, device.systemVersion)
        identifierForVendor = device.identifierForVendor
    }
}

/// An app that waits for its return to the foreground.
final class ShimmedApplication {
    private let application: UIApplication
    private let observer: any NSObjectProtocol

    /// The main queue's mark: in a test process it has no thread of its own.
    private static let mainQueue: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// - Parameter returned: called each time, with whether that is on the main queue.
    init(_ sandbox: Sandbox, returned: @escaping @Sendable (_ isMainQueue: Bool) -> Void) {
        let mainQueue = Self.mainQueue
        let center = NotificationCenter()
        application = UIApplication(sandbox: sandbox, center: center)
        observer = center.addObserver(
            forName: UIApplication.willEnterForegroundNotification, object: nil, queue: nil
        ) { _ in returned(DispatchQueue.getSpecific(key: mainQueue) == true) }
    }

    /// The text of a key of the launch options that is made of it.
    static func textOfLaunchOptionsKey(_ text: String) -> String {
        UIApplication.LaunchOptionsKey(rawValue: text).rawValue
    }

    /// The launch options' key under both of its names.
    @available(*, deprecated)
    static var launchOptionsKeys: (Any.Type, Any.Type) {
        (UIApplicationLaunchOptionsKey.self, UIApplication.LaunchOptionsKey.self)
    }
}

/// `UserDefaults` of an app.
struct ShimmedDefaults {
    private let defaults: UserDefaults
    /// A temporary device lives as long as its sandboxes.
    private let sandbox: Sandbox

    init?(suite: String?, _ sandbox: Sandbox) {
        guard let defaults = DeviceUserDefaults(suiteName: suite, sandbox: sandbox) else { return nil }
        self.defaults = defaults
        self.sandbox = sandbox
    }

    func set(_ value: Any?, _ key: String) { defaults.set(value, forKey: key) }
    func remove(_ key: String) { defaults.removeObject(forKey: key) }
    func object(_ key: String) -> Any? { defaults.object(forKey: key) }
    func bool(_ key: String) -> Bool { defaults.bool(forKey: key) }
    func integer(_ key: String) -> Int { defaults.integer(forKey: key) }
    func double(_ key: String) -> Double { defaults.double(forKey: key) }
    func string(_ key: String) -> String? { defaults.string(forKey: key) }
    func synchronize() -> Bool { defaults.synchronize() }
    func register(_ values: [String: Any]) { defaults.register(defaults: values) }

    /// Stores a value of each type by the function for its type.
    func setTyped(flag: Bool, number: Int, share: Double) {
        defaults.set(flag, forKey: "flag")
        defaults.set(number, forKey: "number")
        defaults.set(share, forKey: "share")
    }
}
