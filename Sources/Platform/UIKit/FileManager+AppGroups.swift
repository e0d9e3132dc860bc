// SPDX-License-Identifier: Apache-2.0

public import Foundation
import SimulatedDevice

extension FileManager {
    /// The folder that the apps of a group share on the simulated device (sharing.md, section 21.2). Foundation has this
    /// function on Apple's platforms only. Thread rule: any thread.
    /// - Parameter groupIdentifier: the app group.
    /// - Returns: nil when the app is not entitled to the group, and before the first unlock of the device.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? {
        Sandbox.current.containerPath(forAppGroup: groupIdentifier).map { URL(fileURLWithPath: $0, isDirectory: true) }
    }
}
