public import LabKit

/// The deployment's decisions about activations: the user of a CUSTOM activation, the processing of custom attributes,
/// and which activations are committed at once (rest-api.md, section 6.2).
///
/// The functions are called on worker threads and may block.
public struct ActivationProvider: Sendable {
    /// Finds the user of identity attributes that only the deployment understands; nil refuses the activation.
    public var userId: @Sendable (_ identityAttributes: [String: String]) throws -> String?
    /// Turns the custom attributes of the request into those of the answer.
    public var customAttributes: @Sendable (_ requested: JSONValue) throws -> JSONValue
    /// Whether an activation of a type, `CODE`, `CUSTOM` or `RECOVERY`, needs no commit by the back office.
    public var commits: @Sendable (_ type: String) -> Bool

    /// Whether the recovery codes of an activation end when its device removes it (rest-api.md, section 6.4).
    public var revokesRecoveryCodes: Bool

    /// Returned to devices as `customObject` with the status of an activation; nil omits it. The activation is nil for
    /// an unknown identifier.
    public var statusObject: @Sendable (_ activation: StatusSubject?) throws -> JSONValue?

    /// The activation whose status is requested.
    public struct StatusSubject: Sendable {
        /// The identifier of the activation.
        public let activationId: String
        /// Whose it is.
        public let userId: String
        /// The flags of the activation.
        public let flags: [String]
    }

    /// Creates a provider; by default it echoes custom attributes, leaves every commit to the back office and revokes
    /// recovery codes with their activation.
    public init(
        userId: @escaping @Sendable (_ identityAttributes: [String: String]) throws -> String?,
        customAttributes: @escaping @Sendable (_ requested: JSONValue) throws -> JSONValue = { $0 },
        commits: @escaping @Sendable (_ type: String) -> Bool = { _ in false },
        revokesRecoveryCodes: Bool = true,
        statusObject: @escaping @Sendable (_ activation: StatusSubject?) throws -> JSONValue? = { _ in nil }
    ) {
        self.userId = userId
        self.customAttributes = customAttributes
        self.commits = commits
        self.revokesRecoveryCodes = revokesRecoveryCodes
        self.statusObject = statusObject
    }

    /// Trusts the attribute `username`: for a laboratory only, never for a bank.
    ///
    /// Otherwise as a deployment without a provider: an activation by recovery code is committed at once, and recovery
    /// codes stay valid when a device removes its activation.
    public static let username = ActivationProvider(
        userId: { $0["username"] }, commits: { $0 == ActivationProvider.recovery },
        revokesRecoveryCodes: false)

    /// The type of activations by recovery code, as ``commits`` gets it.
    static let recovery = "RECOVERY"
}
