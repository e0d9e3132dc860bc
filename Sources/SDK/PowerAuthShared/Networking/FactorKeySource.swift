// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LabPoints
package import LocalAuthentication
package import SimulatedDevice

/// What a request is signed with.
package struct SigningKeys {
    let unlockKeys: PowerAuthCoreSignatureUnlockKeys
    let factor: PowerAuthCoreSignatureFactor
    /// The biometry factor that the stored key was read for; nil when none was read.
    let biometry: BiometryFactorIdentity?
}

/// Where the unlock keys of the factors come from: the device's identity, the keychain, the caller (sdk.md, sections 9.9
/// and 10).
///
/// Thread rule: any thread. Reading may block; never inside a session task (sharing.md, D6).
package final class FactorKeySource: Sendable {
    private let sandbox: Sandbox
    private let possession: PowerAuthKeychain
    private let possessionAccount: String
    /// The biometry key of the activation.
    package let biometry: BiometryKeyStore
    private let invalidatesContext: Bool

    /// - Parameters:
    ///   - possession: the service with the possession key, and the key's account.
    ///   - biometry: the biometry key.
    ///   - invalidatesContext: whether the application's context ends with the first key that is read with it.
    ///   - sandbox: the device.
    package init(
        possession: (keychain: PowerAuthKeychain, account: String),
        biometry: BiometryKeyStore, invalidatesContext: Bool, sandbox: Sandbox
    ) {
        self.invalidatesContext = invalidatesContext
        self.sandbox = sandbox
        (self.possession, possessionAccount) = possession
        self.biometry = biometry
    }

    /// Keys for what needs the possession factor or the transport key only.
    package func possessionKeys() throws(NSError) -> PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: try possessionKey())
    }

    /// The keys and the factors for a signature.
    /// - Throws: `wrongParameter` without any factor; `biometryNotAvailable`, `biometryCancel` or `biometryFailed` when
    ///   the biometry key is out of reach.
    package func keys(for authentication: PowerAuthAuthentication) throws(NSError) -> SigningKeys {
        let keys = PowerAuthCoreSignatureUnlockKeys()
        var factor: PowerAuthCoreSignatureFactor = []
        var biometry: BiometryFactorIdentity?
        if authentication.usePossession {
            factor.insert(.possession)
            keys.possessionUnlockKey =
                if let given = authentication.overridenPossessionKey { given } else { try possessionKey() }
        }
        if let password = authentication.password {
            factor.insert(.knowledge)
            keys.userPassword = password
        }
        if authentication.useBiometry {
            factor.insert(.biometry)
            if let given = authentication.overridenBiometryKey {
                keys.biometryUnlockKey = given
            } else {
                (keys.biometryUnlockKey, biometry) = try storedBiometryKey(for: authentication)
            }
        }
        guard !factor.isEmpty else { throw .powerAuth(.wrongParameter, "No authentication factor is selected.") }
        return SigningKeys(unlockKeys: keys, factor: factor, biometry: biometry)
    }

    /// The possession unlock key of the device, 16 bytes; made of the vendor identifier on first use.
    package func possessionKey() throws(NSError) -> Data {
        if let stored = possession.data(forKey: possessionAccount) { return stored }
        guard !sandbox.device.vendorIdentifier.isEmpty else {
            // The original would store a key made of nothing (sharing.md, D22).
            throw .powerAuth(.signatureError, "The device has no vendor identifier yet; unlock it first.")
        }
        let key = PowerAuthCoreSession.normalizeSignatureUnlockKey(from: Data(sandbox.device.vendorIdentifier.utf8))
        // Another application may have stored the same key in between; both values are equal.
        possession.addValue(key, forKey: possessionAccount)
        return key
    }

    // MARK: The biometry key

    /// Reads the stored biometry key, alone in the process (sdk.md, section 9.9). Blocks while the user is asked.
    /// - Throws: `biometryNotAvailable` on a device without biometry, `biometryCancel` when the user cancelled or
    ///   another request of the process is under way, `biometryFailed` without a key and for an unusable context.
    private func storedBiometryKey(
        for authentication: PowerAuthAuthentication
    ) throws(NSError) -> (key: Data, factor: BiometryFactorIdentity) {
        let dialog: PowerAuthKeychainAuthentication? =
            authentication.biometryContext == nil && authentication.biometryPrompt == nil
            ? nil
            : PowerAuthKeychainAuthentication(
                prompt: authentication.biometryPrompt, context: authentication.biometryContext)
        let reading = try sandbox.authentication.exclusively { () throws(NSError) in try readBiometryKey(dialog) }
        guard let reading else { throw .powerAuth(.biometryCancel) }
        return reading
    }

    /// Reads the stored biometry key. The caller has reserved biometry for itself.
    ///
    /// A failure that is not the user's wish gives a random key: the signature made with it is wrong, so that the server
    /// counts a failed attempt.
    /// - Parameter dialog: how the user is asked; nil leaves the text to the system.
    /// - Returns: the key, and the factor that was in force when it was read.
    package func readBiometryKey(
        _ dialog: PowerAuthKeychainAuthentication?
    ) throws(NSError) -> (key: Data, factor: BiometryFactorIdentity) {
        guard sandbox.authentication.sensor != nil else { throw .powerAuth(.biometryNotAvailable) }
        let (status, stored, factor) = biometry.read(dialog)
        if let error = NSError.biometry(keychainStatus: status) { throw error }
        if invalidatesContext { dialog?.context?.invalidate() }
        return (stored ?? PowerAuthCoreSession.generateSignatureUnlockKey(), factor)
    }

    /// Every key of the biometry service, by its account. The caller has reserved biometry for itself.
    /// - Parameter dialog: how the user is asked.
    /// - Returns: the status of the keychain, and the keys when it is ``errSecSuccess``.
    package func readBiometryKeys(
        _ dialog: PowerAuthKeychainAuthentication
    ) -> (status: OSStatus, keys: [String: Data]?) {
        let (status, keys) = biometry.readAll(dialog)
        if keys != nil, invalidatesContext { dialog.context?.invalidate() }
        return (status, keys)
    }

    /// State and kind of the device's biometry.
    package var biometryInfo: PowerAuthBiometricAuthenticationInfo { biometry.deviceBiometry }

    /// Whether a biometry key can be stored now. The original does not ask (sdk.md, section 15, item 7).
    package var canStoreBiometryKey: Bool {
        biometryInfo.currentStatus == .available || sandbox.keeps(.lostBiometryKey)
    }
}

/// Biometry keys for callers that confirm the user first (sdk.md, section 9.9). The caller has reserved biometry for
/// itself, and stays on a thread that may block.
extension FactorKeySource {
    /// Confirms the user, then reads the stored biometry key.
    ///
    /// An unrecognised user gets a random key, so that the server counts a failed attempt.
    /// - Throws: `biometryNotAvailable`, `biometryCancel`, `biometryFailed`, `wrongParameter` or `biometryFallback`; an
    ///   error from the system with it under `NSUnderlyingErrorKey`.
    package func biometryKey(confirmedBy policy: LAPolicy, in context: LAContext) throws(NSError) -> Data {
        if context.localizedReason.isEmpty { context.localizedReason = "< missing prompt >" }
        do throws(LAError) {
            try context.confirm(policy)
        } catch {
            switch error.code {
            case .authenticationFailed, .biometryLockout: return PowerAuthCoreSession.generateSignatureUnlockKey()
            default: throw .biometry(error)
            }
        }
        return try readBiometryKey(PowerAuthKeychainAuthentication(context: context)).key
    }

    /// Reads every key of the biometry service.
    /// - Throws: `biometryNotAvailable` on a device without biometry, `biometryCancel` when the user cancelled,
    ///   `biometryFailed` for any other reason.
    package func biometryKeys(in context: LAContext) throws(NSError) -> [String: Data] {
        guard biometryInfo.currentStatus != .notSupported else { throw .powerAuth(.biometryNotAvailable) }
        let (status, keys) = readBiometryKeys(PowerAuthKeychainAuthentication(context: context))
        if let keys { return keys }
        throw .biometry(keychainStatus: status)
            ?? .powerAuth(.biometryFailed, "The keychain refused with the status \(status).")
    }
}

extension NSError {
    /// The SDK's error for the keychain's status without a key; nil for success, and for a user who was not recognised.
    static func biometry(keychainStatus status: OSStatus) -> NSError? {
        switch status {
        case errSecUserCanceled: .powerAuth(.biometryCancel)
        case errSecItemNotFound: .powerAuth(.biometryFailed, "Biometric key not found")
        case errSecInvalidContext: .powerAuth(.biometryFailed, "Invalid LAContext")
        case errSecUnimplemented: .powerAuth(.biometryFailed, "PowerAuthKeychainAuthentication not supported")
        default: nil
        }
    }

    /// The SDK's error for one of the system's, which it carries along (sdk.md, section 9.9).
    fileprivate static func biometry(_ error: LAError) -> NSError {
        let (code, text): (PowerAuthErrorCode, String?) =
            switch error.code {
            case .passcodeNotSet: (.biometryNotAvailable, "Device's passcode is not set")
            case .biometryNotAvailable: (.biometryNotAvailable, "Biometry not supported")
            case .biometryNotEnrolled: (.biometryNotAvailable, "Biometry not enrolled")
            case .systemCancel, .appCancel, .userCancel: (.biometryCancel, nil)
            case .userFallback: (.biometryFallback, nil)
            case .notInteractive, .invalidContext: (.wrongParameter, "LAContext is not valid")
            case .authenticationFailed, .biometryLockout: (.biometryFailed, "Biometry failed")
            }
        return .powerAuth(code, text, userInfo: [NSUnderlyingErrorKey: error])
    }
}
