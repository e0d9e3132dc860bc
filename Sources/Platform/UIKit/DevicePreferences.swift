// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import SimulatedDevice

// A type of its own would be a second one of that name in a file that imports Foundation too, and a module cannot take
// one of Foundation's away. So the type is Foundation's, and what makes objects of it is declared once more, each time
// with a more exact type, which the compiler prefers: a subclass for the object, a text for a text that may be missing.

/// What makes the preferences of the device out of `UserDefaults` (sharing.md, section 21.5). Only `UserDefaults` conforms.
public protocol DevicePreferences {}

extension UserDefaults: DevicePreferences {
    /// The app's own preferences, on its simulated device. Thread rule: any thread.
    public static var standard: DeviceUserDefaults { DeviceUserDefaults.standard }
}

extension DevicePreferences where Self == UserDefaults {
    /// The preferences of an app group, or others of the app, on its simulated device. A name that is an optional makes an
    /// object of Foundation's, which stays in the app's own directory and which no other app shares. Thread rule: any thread.
    /// - Parameter suiteName: an entitled app group, or any other name.
    /// - Returns: nil for the app's own identifier.
    public init?(suiteName: String) {
        guard let preferences = DeviceUserDefaults(suiteName: suiteName, sandbox: Sandbox.current) else { return nil }
        self = preferences
    }
}
