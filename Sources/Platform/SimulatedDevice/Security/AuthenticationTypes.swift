/// What a device recognises its owner by.
package enum BiometrySensor: Sendable {
    /// A fingerprint.
    case finger
    /// A face.
    case face
}

/// What may confirm that the owner of the device is there; the policies of the platform's `LAPolicy`.
package enum AuthenticationPolicy: String, Codable, Sendable {
    /// A finger or face.
    case biometry
    /// A finger or face, or else the passcode.
    case biometryOrPasscode
}

/// Why the owner could not be confirmed. The raw values are the codes of the platform's `LAError` (sdk.md, section 3,
/// item 12).
package enum AuthenticationFailure: Int, Error, Sendable {
    case authenticationFailed = -1
    case userCancel = -2
    case userFallback = -3
    case systemCancel = -4
    case passcodeNotSet = -5
    case biometryNotAvailable = -6
    case biometryNotEnrolled = -7
    case biometryLockout = -8
    case appCancel = -9
    case invalidContext = -10
    case notInteractive = -1004
}

/// How the owner was confirmed.
package enum AuthenticationGrant: Sendable {
    /// By a finger or face of the enrolled set.
    case biometry(enrolment: Int)
    /// By the passcode.
    case passcode
}

/// The dialog that is open on a device.
public struct AuthenticationPrompt: Codable, Equatable, Sendable {
    /// Differs for every dialog.
    let id: String
    /// Actor name of the app that asks.
    public let app: String
    /// The process that asks.
    let pid: Int32
    /// The text that the app shows.
    public let reason: String
    /// Label of the fallback button; empty when the button is hidden, nil for the system's label.
    public let fallbackTitle: String?
    /// Whether the passcode would do too.
    public let allowsPasscode: Bool
}
