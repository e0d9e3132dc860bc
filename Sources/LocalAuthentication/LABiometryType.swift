import SimulatedDevice

/// The kind of biometry a device has (sdk.md, section 3, item 11).
public enum LABiometryType: Int, Sendable {
    /// The device has no biometry.
    case none = 0
    /// Fingerprint.
    case touchID = 1
    /// Face.
    case faceID = 2

    init(_ hardware: DeviceSpec.Biometry?) {
        self =
            switch hardware {
            case .touchID: .touchID
            case .faceID: .faceID
            case .some(.none), nil: .none
            }
    }
}
