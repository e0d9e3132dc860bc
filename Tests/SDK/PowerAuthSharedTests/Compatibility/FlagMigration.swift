// SPDX-License-Identifier: Apache-2.0

import PowerAuth2
import SimulatedDevice
import UIKit

/// An application that moves the flag of its installation into an app group.
struct FlagMigration {
    private let standard: UserDefaults
    private let shared: UserDefaults
    /// A temporary device lives as long as its sandboxes.
    private let sandbox: Sandbox

    init?(group: String, _ sandbox: Sandbox) {
        guard let standard = DeviceUserDefaults(suiteName: nil, sandbox: sandbox),
            let shared = DeviceUserDefaults(suiteName: group, sandbox: sandbox)
        else { return nil }
        (self.standard, self.shared) = (standard, shared)
        self.sandbox = sandbox
    }

    var isStandardFlagSet: Bool { standard.bool(forKey: PowerAuthKeychain_Initialized) }
    var isSharedFlagSet: Bool { shared.bool(forKey: PowerAuthKeychain_Initialized) }

    /// - Returns: false when there was nothing to move.
    func run() -> Bool {
        guard !isSharedFlagSet, isStandardFlagSet else { return false }
        standard.removeObject(forKey: PowerAuthKeychain_Initialized)
        standard.synchronize()
        shared.set(true, forKey: PowerAuthKeychain_Initialized)
        shared.synchronize()
        return true
    }
}
