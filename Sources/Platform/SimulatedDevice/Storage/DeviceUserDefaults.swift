// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The app's preferences on its simulated device (sharing.md, section 21.5).
///
/// Foundation's type on Linux keeps a copy in each process and knows no app groups, so the flag that the SDK keeps there
/// could not be migrated with it. UIKit gives an app this type for `UserDefaults.standard` and for a suite.
///
/// A key holds a value of a property list: a Boolean, a number, a text, bytes, a date, a list or a dictionary; anything
/// else is not stored. Values that were registered stay in the memory of the process. Thread rule: any thread;
/// calls may wait for another process.
public final class DeviceUserDefaults: UserDefaults {
    private let suite: DefaultsSuite

    // Safe to share, although Foundation's type does not say so: the only member is thread-safe, and nothing is stored in
    // Foundation's part. Only the app's own identifier names no suite, so there is always an object.
    nonisolated(unsafe) private static let app = DeviceUserDefaults(suiteName: nil, sandbox: Sandbox.current)!

    /// The preferences of the app that the process is. Used before the process has entered a sandbox it is a programming
    /// error, as for every SDK.
    public override class var standard: DeviceUserDefaults { app }

    /// - Parameters:
    ///   - suiteName: an entitled app group, or any other name; nil for the app's own preferences.
    ///   - sandbox: what the system gives the app.
    /// - Returns: nil for the app's own identifier.
    package init?(suiteName: String?, sandbox: Sandbox) {
        guard let suite = sandbox.defaults(suite: suiteName) else { return nil }
        self.suite = suite
        super.init(suiteName: nil)
    }

    /// The stored value, or the one that was registered; nil without either.
    public override func object(forKey defaultName: String) -> Any? {
        suite.value(forKey: defaultName)?.object ?? super.object(forKey: defaultName)
    }

    /// Stores a value, or removes the key for nil.
    public override func set(_ value: Any?, forKey defaultName: String) {
        switch value {
        case let value as Bool: suite.set(.bool(value), forKey: defaultName)
        case let value as Int: suite.set(.integer(value), forKey: defaultName)
        case let value as Double: suite.set(.number(value), forKey: defaultName)
        case let value as String: suite.set(.text(value), forKey: defaultName)
        case let value?: suite.set(PreferenceValue(inPropertyList: value), forKey: defaultName)
        case nil: suite.removeObject(forKey: defaultName)
        }
    }

    /// Stores a Boolean.
    public override func set(_ value: Bool, forKey defaultName: String) { set(value as Any?, forKey: defaultName) }
    /// Stores a whole number.
    public override func set(_ value: Int, forKey defaultName: String) { set(value as Any?, forKey: defaultName) }
    /// Stores a number.
    public override func set(_ value: Double, forKey defaultName: String) { set(value as Any?, forKey: defaultName) }
    /// The stored Boolean; false for a missing key and for a value of another type.
    public override func bool(forKey defaultName: String) -> Bool { object(forKey: defaultName) as? Bool ?? false }
    /// The stored whole number; 0 for a missing key and for a value of another type.
    public override func integer(forKey defaultName: String) -> Int { object(forKey: defaultName) as? Int ?? 0 }
    /// The stored number; 0 for a missing key and for a value of another type.
    public override func double(forKey defaultName: String) -> Double { object(forKey: defaultName) as? Double ?? 0 }
    /// The stored text; nil for a missing key and for a value of another type.
    public override func string(forKey defaultName: String) -> String? { object(forKey: defaultName) as? String }
    /// Removes a key.
    public override func removeObject(forKey defaultName: String) { suite.removeObject(forKey: defaultName) }
    /// True: a change is visible to every process when the function that made it returns.
    @discardableResult
    public override func synchronize() -> Bool { suite.synchronize() }
}
