// SPDX-License-Identifier: Apache-2.0

import Foundation
import SimulatedDevice

/// Facts about the SDK and the device (sdk.md, section 5.25). Thread rule: any thread.
public enum PowerAuthSystem {
    /// Version of the SDK whose behaviour this one has.
    package static let sdkVersion = "1.9.2"

    /// True when checks for development or the log are compiled in.
    public static func isInDebug() -> Bool { PowerAuthCoreSession.hasDebugFeatures() }
    /// `iOS` or `watchOS`.
    public static func platform() -> String { Sandbox.currentIfEntered?.device.systemName ?? "iOS" }
    /// The machine name, such as `iPhone15,2`; `iDeviceUnknown` for a process that is on no device.
    public static func deviceInfo() -> String { Sandbox.currentIfEntered?.device.model ?? "iDeviceUnknown" }

    /// The value of the `User-Agent` header, such as `DemoBank_App/2.4 PowerAuth2/1.9.2 (iOS 17.5.1, iPhone15,2)`.
    public static func defaultUserAgent() -> String? {
        let library = "PowerAuth2/\(sdkVersion)"
        guard let sandbox = Sandbox.currentIfEntered else { return "\(library) (\(platform()), \(deviceInfo()))" }
        let application = "\(sandbox.executableName)/\(sandbox.appVersion)".replacing(" ", with: "_")
        // A patch number of zero is left out.
        var version = sandbox.device.osVersion.split(separator: ".")
        if version.count == 3 && version[2] == "0" { version.removeLast() }
        return "\(application) \(library) (\(platform()) \(version.joined(separator: ".")), \(deviceInfo()))"
    }
}
