// SPDX-License-Identifier: Apache-2.0

import LabTesting
import LabVocabulary

/// The operation during which the app `main` dies.
package enum KillOperation: String, CaseIterable, Sendable {
    /// The exchange of keys, up to an activation that is pending.
    case createActivation
    /// A pending activation becomes the activation of all apps, with the biometry factor.
    case persistActivation
    /// A signed request.
    case validatePassword
    case changePassword
    case requestToken
    case removeToken
    case addBiometry
    case replaceBiometry
    case removeBiometry
    /// The removal from the server, then from the device.
    case removeActivation
    case removeActivationLocal
    /// From the protocol V2 to V3; in SDK 2.0 from protocol 3 to 4.
    case upgradeProtocol
    /// The start of the first app since a reboot: it makes the shared memory.
    case firstStart
    /// The start beside another app.
    case restart
    /// The first start after all apps of the group were deleted, which removes what they left in the keychain.
    case freshInstallation
    /// The first start after the device was erased.
    case erasure

    /// The required state for all apps after a death.
    enum End {
        /// The activation, with each of its factors and its token.
        case activation
        /// No activation at all.
        case noActivation
        /// One of the two, and nothing in between.
        case either
    }

    var end: End {
        switch self {
        case .createActivation, .freshInstallation, .erasure: .noActivation
        case .persistActivation, .removeActivation, .removeActivationLocal: .either
        default: .activation
        }
    }

    /// The possible states of the biometry factor of an activation after a death.
    enum Biometry {
        case there, absent, either
    }

    var biometry: Biometry {
        switch self {
        case .addBiometry, .removeBiometry: .either
        case .upgradeProtocol: .absent
        default: .there
        }
    }

    /// Whether an activation found after a death is the one from before, with its token.
    var keepsToken: Bool { self != .persistActivation && self != .upgradeProtocol }

    /// Whether the operation is about the token ``SharingApps/otherToken``.
    var concernsOtherToken: Bool { self == .requestToken || self == .removeToken }

    /// Prepares the apps for the operation. The other app does as much as possible: `main` always starts as a process
    /// with the same history, and so passes the same points.
    func prepare(_ apps: SharingApps) throws {
        switch self {
        case .createActivation:
            try apps.removeActivation()
            try apps.makeCode()
        case .persistActivation:
            try apps.removeActivation()
            try apps.makeCode()
            try apps.createActivation(apps.main)
            if apps.makesVersion4 { try apps.commitActivation(apps.main) }
        case .upgradeProtocol:
            try apps.removeActivation()
            if apps.makesVersion4 { try apps.activateVersion3() } else { try apps.activateLegacy() }
        default:
            try apps.ensureActivation()
        }
        switch self {
        case .requestToken:
            if try apps.wallet.call(HasLocalToken { $0.name = SharingApps.otherToken }) {
                try apps.wallet.call(RemoveAccessToken { $0.name = SharingApps.otherToken })
            }
        case .removeToken:
            try apps.requestToken(SharingApps.otherToken, by: apps.wallet)
        case .addBiometry:
            try apps.wallet.call(RemoveBiometryFactor())
        case .firstStart:
            try apps.main.call(Kill())
            try apps.wallet.call(Kill())
            try apps.loseMemory()
        case .restart:
            try apps.main.call(Kill())
        case .freshInstallation:
            // The installation flag is removed with the last app of the group.
            try apps.wallet.call(Uninstall())
            try apps.main.call(Reinstall())
        case .erasure:
            try apps.erase()
        default: break
        }
    }

    /// Runs it in the app.
    func perform(_ apps: SharingApps) throws {
        let main = apps.main
        switch self {
        case .createActivation: try apps.createActivation(main)
        case .persistActivation: try apps.persistActivation(main)
        case .validatePassword: try main.call(ValidatePassword { $0.password = apps.password })
        case .changePassword: try apps.changePassword(main)
        case .requestToken: try apps.requestToken(SharingApps.otherToken, by: main)
        case .removeToken: try main.call(RemoveAccessToken { $0.name = SharingApps.otherToken })
        case .addBiometry, .replaceBiometry: try main.call(AddBiometryFactor { $0.password = apps.password })
        case .removeBiometry: try main.call(RemoveBiometryFactor())
        case .removeActivation: try main.call(RemoveActivation { $0.password = apps.password })
        case .removeActivationLocal: try main.call(RemoveActivationLocal())
        case .upgradeProtocol where apps.makesVersion4: try apps.upgrade(main)
        case .upgradeProtocol: try main.call(FetchActivationStatus())
        case .firstStart, .restart, .freshInstallation, .erasure: try main.call(Launch())
        }
    }
}
