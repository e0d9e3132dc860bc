import SimulatedDevice

/// What may confirm that the owner of the device is there (sdk.md, section 3, item 11).
public enum LAPolicy: Int, Sendable {
    /// An enrolled finger or face.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// An enrolled finger or face, or else the passcode.
    case deviceOwnerAuthentication = 2

    var systemPolicy: AuthenticationPolicy {
        switch self {
        case .deviceOwnerAuthenticationWithBiometrics: .biometry
        case .deviceOwnerAuthentication: .biometryOrPasscode
        }
    }
}
