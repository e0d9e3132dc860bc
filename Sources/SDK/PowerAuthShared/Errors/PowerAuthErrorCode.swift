/// What went wrong, in every `NSError` of the domain ``PowerAuthErrorDomain`` (sdk.md, section 4.1).
///
/// The raw values are the vendor's and cross the watch link, so they never change.
public enum PowerAuthErrorCode: Int, Sendable, CaseIterable {
    /// The error belongs to another domain; never produced as a code of its own.
    case NA = 0
    /// The request failed, or the server's answer could not be used.
    case networkError = 1
    /// The core refused to compute a signature.
    case signatureError = 2
    /// The session is in a state that does not allow the operation.
    case invalidActivationState = 3
    /// An activation code, recovery code, PUK or OIDC parameter is invalid.
    case invalidActivationCode = 4
    /// Activation data or the status blob cannot be used.
    case invalidActivationData = 5
    /// The operation needs an activation.
    case missingActivation = 6
    /// An activation was started but not persisted yet.
    case activationPending = 7
    /// The device has no usable biometry.
    case biometryNotAvailable = 8
    /// The user dismissed the biometric dialog, or another dialog of the process is open.
    case biometryCancel = 9
    /// The biometric authentication failed or its key is missing.
    case biometryFailed = 10
    /// The SDK itself cancelled the operation.
    case operationCancelled = 11
    /// End-to-end encryption or vault cryptography failed.
    case encryption = 12
    /// A parameter has no usable value.
    case wrongParameter = 13
    /// The token is unknown or unusable.
    case invalidToken = 14
    /// The watch could not be reached or answered with something unusable.
    case watchConnectivity = 15
    /// The protocol upgrade failed.
    case protocolUpgrade = 16
    /// A protocol upgrade is pending; try later.
    case pendingProtocolUpgrade = 17
    /// Another application that shares the activation is in the middle of a critical operation.
    case externalPendingOperation = 18
    /// The user chose the fallback of the biometric dialog.
    case biometryFallback = 19
    /// Time could not be synchronised with the server.
    case timeSynchronization = 20

    /// The vendor's text for the code, its spelling slips included: it crosses the watch link.
    package var defaultDescription: String {
        switch self {
        case .NA: "Unknown error 0"
        case .networkError: "Network error"
        case .signatureError: "Signature error"
        case .invalidActivationState: "Invalid activation state"
        case .invalidActivationCode: "Invalid activation code"
        case .invalidActivationData: "Invalid activation data"
        case .missingActivation: "Missing activation"
        case .activationPending: "Pending activation"
        case .biometryNotAvailable: "Biometry is not supported or is unavailable"
        case .biometryCancel: "User did cancel biometry authentication dialog"
        case .biometryFailed: "Biometry authentication failed"
        case .operationCancelled: "Operation was cancelled by SDK"
        case .encryption: "General encryption failure"
        case .wrongParameter: "Invalid parameter provided to method"
        case .invalidToken: "Invalid or unknown token"
        case .watchConnectivity: "Watch connectivity error"
        case .protocolUpgrade: "Protocol upgrade error"
        case .pendingProtocolUpgrade: "Pending protocol ugprade, try later"
        case .externalPendingOperation: "Other application does critical operation"
        case .biometryFallback: "Used did press fallback at biometry authentication dialog"
        case .timeSynchronization: "Failed to synchronize time with the server"
        }
    }
}
