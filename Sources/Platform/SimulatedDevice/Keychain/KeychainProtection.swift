/// The authentication that is required to read an item's value (sharing.md, section 12.3).
public enum KeychainProtection: Int, Sendable {
    /// No authentication; an unlocked device is enough.
    case none = 0
    /// The owner, by a finger or face of the set that was enrolled when the item was added.
    case currentBiometricSet = 1
    /// The owner, by any enrolled finger or face.
    case anyBiometricSet = 2
    /// The owner, by any enrolled finger or face, or by the passcode.
    case anyBiometricSetOrDevicePasscode = 3

    /// The policy that must be fulfilled; nil without protection.
    var policy: AuthenticationPolicy? {
        switch self {
        case .none: nil
        case .currentBiometricSet, .anyBiometricSet: .biometry
        case .anyBiometricSetOrDevicePasscode: .biometryOrPasscode
        }
    }
}

/// How a read of protected items may ask for the owner.
package enum KeychainAuthentication: Sendable {
    /// Not at all; a protected item is reported as ``errSecInteractionNotAllowed``.
    case forbidden
    /// By a dialog of the system, with a text of its own.
    case systemDialog
    /// Within a conversation of the app, which may have been confirmed already.
    case context(AuthenticationContext)
}
