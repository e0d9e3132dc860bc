/// Why the user rejects an operation (mobile-token.md, section 5.3).
public enum WMTRejectionReason: Equatable, Sendable {
    /// The user does not say.
    case unknown
    /// The data of the operation are wrong.
    case incorrectData
    /// The user did not start the operation.
    case unexpectedOperation
    /// A code of the app's own, sent as it is. The server may refuse one of more than 32 characters.
    case custom(String)

    /// What is sent to the server.
    public var serialized: String {
        switch self {
        case .unknown: "UNKNOWN"
        case .incorrectData: "INCORRECT_DATA"
        case .unexpectedOperation: "UNEXPECTED_OPERATION"
        case .custom(let reason): reason
        }
    }
}
