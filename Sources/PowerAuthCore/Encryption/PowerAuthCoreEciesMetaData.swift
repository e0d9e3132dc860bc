internal import PowerAuthProtocol

/// Facts that are authenticated together with an encrypted message and sent in its HTTP header (protocol.md, sections
/// 7.2 and 7.5). Immutable, usable from any thread.
public final class PowerAuthCoreEciesMetaData: Sendable {
    /// Base64 of the application key.
    public let applicationKey: String
    /// Identifier of the temporary key of the server.
    public let temporaryKeyId: String
    /// Identifier of the activation; `nil` for the application scope.
    public let activationIdentifier: String?

    /// Makes the meta data.
    public init(applicationKey: String, temporaryKeyId: String, activationIdentifier: String?) {
        self.applicationKey = applicationKey
        self.temporaryKeyId = temporaryKeyId
        self.activationIdentifier = activationIdentifier
    }

    /// Name of the HTTP header, `X-PowerAuth-Encryption`.
    public var httpHeaderKey: String { "X-PowerAuth-Encryption" }

    /// Value of the HTTP header. A request that is signed too must carry the signature's header instead.
    public var httpHeaderValue: String {
        var pairs = [("version", PowerAuthCoreSession.supportedVersion.rawValue), ("application_key", applicationKey)]
        if let activationIdentifier { pairs.append(("activation_id", activationIdentifier)) }
        return PowerAuthHeader.format(pairs)
    }
}
