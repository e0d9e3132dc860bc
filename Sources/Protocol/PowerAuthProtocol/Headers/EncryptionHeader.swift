/// `X-PowerAuth-Encryption` (protocol.md, section 7.5).
public struct EncryptionHeader: Sendable, Equatable {
    /// Name of the HTTP header.
    public static let name = "X-PowerAuth-Encryption"

    /// Protocol version of the message.
    public let version: ProtocolVersion
    /// Base64 text of the application key.
    public let applicationKey: String
    /// Activation id, in activation scope only.
    public let activationId: String?

    /// Takes the values to write.
    public init(version: ProtocolVersion, applicationKey: String, activationId: String? = nil) {
        self.version = version
        self.applicationKey = applicationKey
        self.activationId = activationId
    }

    /// Reads and validates a header value.
    /// - Parameters:
    ///   - value: the header's value, nil when the request has none.
    ///   - scope: the scope of the endpoint.
    public init(parsing value: String?, scope: EciesScope) throws(EncryptionHeaderError) {
        let reader = try HeaderReader(value, orThrow: EncryptionHeaderError.empty)
        applicationKey = try reader.read(
            "application_key", missing: .applicationKeyEmpty, invalid: .applicationKeyInvalid, HeaderValue.base64Of16)
        switch scope {
        case .application:
            guard reader.header["activation_id"] == nil else { throw .activationIdNotExpected }
            activationId = nil
        case .activation:
            activationId = try reader.read(
                "activation_id", missing: .activationIdMissing, invalid: .activationIdInvalid, HeaderValue.uuid)
        }
        version = try reader.read("version", missing: .versionEmpty, invalid: .versionInvalid, HeaderValue.version)
    }

    /// The header's value.
    public var value: String {
        var pairs = [("version", version.rawValue), ("application_key", applicationKey)]
        if let activationId { pairs.append(("activation_id", activationId)) }
        return PowerAuthHeader.format(pairs)
    }
}

/// Why an encryption header is refused. The raw value is a diagnostic code for logs.
public enum EncryptionHeaderError: String, Error, Sendable, CaseIterable {
    /// Missing or not parseable.
    case empty = "POWER_AUTH_ENCRYPTION_INVALID_EMPTY"
    /// No application key.
    case applicationKeyEmpty = "POWER_AUTH_ENCRYPTION_APPLICATION_KEY_EMPTY"
    /// The application key is not Base64 of 16 bytes.
    case applicationKeyInvalid = "POWER_AUTH_ENCRYPTION_APPLICATION_KEY_INVALID"
    /// No activation id in activation scope.
    case activationIdMissing = "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_MISSING"
    /// The activation id is not a UUID.
    case activationIdInvalid = "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_INVALID"
    /// An activation id in application scope.
    case activationIdNotExpected = "POWER_AUTH_ENCRYPTION_ACTIVATION_ID_NOT_EXPECTED"
    /// No version.
    case versionEmpty = "POWER_AUTH_ENCRYPTION_VERSION_EMPTY"
    /// A version that is not supported.
    case versionInvalid = "POWER_AUTH_ENCRYPTION_VERSION_INVALID"
}
