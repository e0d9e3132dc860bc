/// Domain of the errors of notifications.
public let UNErrorDomain = "UNErrorDomain"

/// An error of notifications.
public struct UNError: Error, CustomNSError, Equatable, Sendable {
    /// What is wrong.
    public enum Code: Int, Sendable {
        /// The user does not allow the app to show notifications.
        case notificationsNotAllowed = 1
    }

    /// Domain of the errors of notifications.
    public static var errorDomain: String { UNErrorDomain }

    /// What is wrong.
    public let code: Code

    /// Creates an error.
    public init(_ code: Code) { self.code = code }

    /// The number of the code.
    public var errorCode: Int { code.rawValue }
}
