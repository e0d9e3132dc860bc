// SPDX-License-Identifier: Apache-2.0

import Foundation
import ScenarioEngine
import SimulatedDevice
import Synchronization

/// The process of a test as an app: what is tested runs in the test itself, on a simulated phone.
public enum LabProcess {
    private struct App: Equatable {
        let bundleIdentifier: String
        let appGroups: [String]
        let keychainAccessGroups: [String]
    }

    private struct Device {
        let app: App
        let device: TemporaryDevice
    }

    private static let device = Mutex<Device?>(nil)

    /// Makes this process an app on a phone of its own until it ends, with keychain, preferences, containers, biometry
    /// and a clock. What code for an app then does by the SDKs, `Security`, `UserDefaults` and `UIDevice` happens on
    /// that phone.
    ///
    /// Call it first in each test, or in what prepares the test: the first call makes the app, and later ones change
    /// nothing. The phone has no agent, so no watch is paired with it, and no pushes come. Thread rule: any thread.
    /// - Parameters:
    ///   - bundleIdentifier: what `Bundle.main` says.
    ///   - appGroups: entitlement: the app groups.
    ///   - keychainAccessGroups: entitlement: keychain groups of the team, with its prefix `LABTEAM001.`.
    /// - Throws: `LabFailure` when the process is another app already; errors of the phone's files and shared memory.
    public static func becomeApp(
        bundleIdentifier: String = "com.example.main", appGroups: [String] = [], keychainAccessGroups: [String] = []
    ) throws {
        let app = App(
            bundleIdentifier: bundleIdentifier, appGroups: appGroups, keychainAccessGroups: keychainAccessGroups)
        try device.withLock { device in
            if let device {
                guard device.app == app else {
                    throw LabFailure(
                        "This process is the app \(device.app), so it cannot become \(app): a process is one app. "
                            + "Call LabProcess.becomeApp everywhere with the same arguments.")
                }
                return
            }
            if let sandbox = Sandbox.currentIfEntered {
                throw LabFailure(
                    "This process is the app \(sandbox.identity.bundleIdentifier) of an instance, so it cannot become "
                        + "\(app.bundleIdentifier): a process is one app. Call LabProcess.becomeApp in a test process only."
                )
            }
            let phone = try TemporaryDevice()
            Sandbox.enter(
                try phone.sandbox(
                    bundleIdentifier: bundleIdentifier, appGroups: appGroups,
                    keychainAccessGroups: keychainAccessGroups))
            device = Device(app: app, device: phone)
            // The sandbox, and with it the phone, is in use until the process ends.
            atexit { LabProcess.removeDevice() }
        }
    }

    private static func removeDevice() {
        device.withLock { device in
            if let device { device.device.end() }
        }
    }
}
