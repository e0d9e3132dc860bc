// SPDX-License-Identifier: Apache-2.0

import CSimulatedDevice
public import LabCore

/// The identity of an app in the operating system: its names and its entitlements.
public struct AppIdentity: Sendable {
    /// Actor name of the app in the lab.
    public let name: String
    /// The kind of program that is simulated.
    public let kind: AppSpec.Kind
    /// Bundle identifier, for example `com.example.main`.
    public let bundleIdentifier: String
    /// Team prefix, for example `LABTEAM001`.
    public let team: String
    /// Entitlement: app groups.
    public let appGroups: [String]
    /// Access groups of the app in the platform's order: the entitled keychain groups, the app's own
    /// (`TEAM.bundleIdentifier`), its app groups (sharing.md, section 21.4). The first one is the default group.
    ///
    /// A keychain group with another team's prefix is never allowed and is left out.
    public let keychainAccessGroups: [String]
    /// The keychain access group that no other app can be entitled to: `TEAM.bundleIdentifier`.
    public var ownAccessGroup: String { "\(team).\(bundleIdentifier)" }
    /// The group that an item goes to when none is named: the first one.
    public var defaultAccessGroup: String { keychainAccessGroups.first ?? ownAccessGroup }

    /// The identity of an app on a device.
    public init(app: AppSpec, team: String) {
        name = app.name
        kind = app.kind
        bundleIdentifier = app.bundleIdentifier
        self.team = team
        appGroups = app.appGroups
        keychainAccessGroups =
            app.keychainAccessGroups.filter { $0.hasPrefix(team + ".") } + ["\(team).\(app.bundleIdentifier)"]
            + app.appGroups
    }
}

/// What the operating system reports about the device.
public struct DeviceInformation: Sendable {
    /// Machine name, for example `iPhone15,2`.
    public let model: String
    /// `ios` or `watchos`.
    public let platform: String
    /// Name of the operating system: `iOS` or `watchOS`.
    public var systemName: String { platform == "watchos" ? "watchOS" : "iOS" }
    /// Version of the operating system, for example `17.5`.
    public let osVersion: String
    private let vendor: @Sendable () -> String

    init(model: String, platform: String, osVersion: String, vendor: @escaping @Sendable () -> String) {
        self.model = model
        self.platform = platform
        self.osVersion = osVersion
        self.vendor = vendor
    }

    /// `UIDevice.identifierForVendor`: the same for all apps of a team on a device; upper case with dashes. Empty before
    /// the first unlock of the device (sharing.md, section 21.6).
    public var vendorIdentifier: String { vendor() }
}

/// The content of `Bundle.main`: on a phone the system reads it from the app's `Info.plist`; here each app's process
/// runs the same binary and takes the identity of the simulated app.
enum MainBundle {
    /// The keys of an app's `Info.plist` that identify it.
    static func information(of sandbox: Sandbox) -> [String: String] {
        let identity = sandbox.identity
        return [
            "CFBundleIdentifier": identity.bundleIdentifier, "CFBundleName": identity.name,
            "CFBundleDisplayName": identity.name, "CFBundleExecutable": sandbox.executableName,
            "CFBundleShortVersionString": sandbox.appVersion, "CFBundleVersion": Sandbox.buildNumber,
            "CFBundlePackageType": identity.kind == .appExtension ? "XPC!" : "APPL",
            "CFBundleInfoDictionaryVersion": "6.0",
        ]
    }

    /// Gives the process the identity of an app.
    /// - Returns: false when Foundation does not take it; then `Bundle.main` stays nameless.
    @discardableResult
    static func adopt(_ sandbox: Sandbox) -> Bool {
        information(of: sandbox).allSatisfy { key, value in main_bundle_set(key, value) }
    }
}
