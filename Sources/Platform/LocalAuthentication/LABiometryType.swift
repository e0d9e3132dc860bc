import SimulatedDevice

/// The kind of biometry a device has (sdk.md, section 3, item 11).
public enum LABiometryType: Int, Sendable {
    /// The device has no biometry.
    case none = 0
    /// Fingerprint.
    case touchID = 1
    /// Face.
    case faceID = 2

    init(_ sensor: BiometrySensor?) {
        self =
            switch sensor {
            case .finger: .touchID
            case .face: .faceID
            case nil: .none
            }
    }
}
