import PowerAuthProtocol

/// Facts that are authenticated together with an encrypted message and sent in its HTTP header (protocol.md, sections
/// 7.2 and 7.5). Immutable. Thread rule: any thread.
public final class PowerAuthCoreEciesMetaData: Sendable {
    /// Base64 of the application key.
    public let applicationKey: String
    /// Identifier of the temporary key of the server; empty for protocols without one.
    public let temporaryKeyId: String
    /// Identifier of the activation; `nil` for the application scope.
    public let activationIdentifier: String?

    /// Protocol that the message is encrypted by.
    let version: ProtocolVersion

    /// Makes the meta data for the newest protocol.
    public convenience init(applicationKey: String, temporaryKeyId: String, activationIdentifier: String?) {
        self.init(
            version: PowerAuthCoreSession.supportedVersion, applicationKey: applicationKey,
            temporaryKeyId: temporaryKeyId, activationIdentifier: activationIdentifier)
    }

    /// Makes the meta data as the SDK 1.7 did: without a temporary key, for the protocol 3.1. The public key to encrypt
    /// with is then the master server key, or the server's key of the activation.
    public convenience init(applicationKey: String, activationIdentifier: String?) {
        self.init(
            version: .v3_1, applicationKey: applicationKey, temporaryKeyId: "",
            activationIdentifier: activationIdentifier)
    }

    init(version: ProtocolVersion, applicationKey: String, temporaryKeyId: String, activationIdentifier: String?) {
        self.version = version
        self.applicationKey = applicationKey
        self.temporaryKeyId = temporaryKeyId
        self.activationIdentifier = activationIdentifier
    }

    /// Name of the HTTP header, `X-PowerAuth-Encryption`.
    public var httpHeaderKey: String { "X-PowerAuth-Encryption" }

    /// Value of the HTTP header. A request that is signed too must carry the signature's header instead.
    public var httpHeaderValue: String {
        var pairs = [("version", version.rawValue), ("application_key", applicationKey)]
        if let activationIdentifier { pairs.append(("activation_id", activationIdentifier)) }
        return PowerAuthHeader.format(pairs)
    }
}
