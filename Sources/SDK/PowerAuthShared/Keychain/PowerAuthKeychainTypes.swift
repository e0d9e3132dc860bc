import SimulatedDevice

/// Outcome of storing an item (sdk.md, section 5.5).
public enum PowerAuthKeychainStoreItemResult: Int, Sendable {
    /// The item was stored.
    case ok = 0
    /// The item needs biometry and the device has no usable one.
    case biometryNotAvailable = 1
    /// An item with the same key exists.
    case duplicate = 2
    /// There is no item to update.
    case notFound = 3
    /// The keychain refused for another reason.
    case other = 4
}

/// What protects the reading of an item (sdk.md, section 5.5).
public enum PowerAuthKeychainItemAccess: Int, Sendable {
    /// Nothing besides the unlocked device.
    case none = 0
    /// Biometry as enrolled when the item was stored.
    case currentBiometricSet = 1
    /// Biometry, with any enrolment.
    case anyBiometricSet = 2
    /// Biometry or the device passcode.
    case anyBiometricSetOrDevicePasscode = 3
}

/// Kinds of biometry (sdk.md, section 5.5).
public enum PowerAuthBiometricAuthenticationType: Int, Sendable {
    /// No biometry.
    case none = 0
    /// Fingerprint, and any hardware that is not known.
    case touchID = 1
    /// Face recognition.
    case faceID = 2
}

/// Whether biometry can be used now (sdk.md, section 5.5).
public enum PowerAuthBiometricAuthenticationStatus: Int, Sendable {
    /// The device has no biometry.
    case notSupported = 0
    /// The device has biometry that cannot be used at the moment.
    case notAvailable = 1
    /// The user has not enrolled.
    case notEnrolled = 2
    /// Too many failed attempts; the passcode must be entered first.
    case lockout = 3
    /// Ready to use.
    case available = 4
}

/// State and kind of the device's biometry.
public struct PowerAuthBiometricAuthenticationInfo: Sendable, Equatable {
    /// Whether biometry can be used now.
    public let currentStatus: PowerAuthBiometricAuthenticationStatus
    /// The kind of biometry.
    public let biometryType: PowerAuthBiometricAuthenticationType
}

extension PowerAuthKeychainItemAccess {
    /// The protection that the device's keychain gives.
    var protection: KeychainProtection {
        switch self {
        case .none: .none
        case .currentBiometricSet: .currentBiometricSet
        case .anyBiometricSet: .anyBiometricSet
        case .anyBiometricSetOrDevicePasscode: .anyBiometricSetOrDevicePasscode
        }
    }
}
