package import Foundation
package import LocalAuthentication
import SimulatedDevice

/// Biometry keys for callers that confirm the user first (sdk.md, section 9.9). The caller has reserved biometry for
/// itself, and stays on a thread that may block.
extension FactorKeySource {
    /// Confirms the user, then reads the stored biometry key.
    ///
    /// An unrecognised user gets a random key, so that the server counts a failed attempt.
    ///
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
    ///
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
