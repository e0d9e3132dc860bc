public import Foundation

/// Key that signs or verifies ``PowerAuthCoreSignedData``.
public enum PowerAuthCoreSigningDataKey: Int, Sendable {
    /// Master server key of the application.
    case ecdsaMasterServerKey = 0
    /// Server's key of the activation.
    case ecdsaPersonalizedKey = 1
    /// Key known to the application and the server.
    case hmacApplication = 2
    /// Key known to the activation and the server.
    case hmacActivation = 3
}

/// Format of an ECDSA signature.
public enum PowerAuthCoreSignatureFormat: Int, Sendable {
    /// DER for ECDSA, raw bytes for HMAC.
    case `default` = 0
    /// ASN.1 DER.
    case ecdsaDer = 1
    /// 32 bytes of r and 32 bytes of s.
    case ecdsaJose = 2
}

/// Data with their signature (protocol.md, section 10). A plain holder. Thread rule: one thread at a time.
public final class PowerAuthCoreSignedData {
    /// Key the signature belongs to.
    public var signingDataKey: PowerAuthCoreSigningDataKey
    /// Format of the signature.
    public var signatureFormat: PowerAuthCoreSignatureFormat
    /// The signed bytes.
    public var data: Data
    /// The signature.
    public var signature: Data

    /// Makes a holder.
    public init(
        signingDataKey: PowerAuthCoreSigningDataKey, signatureFormat: PowerAuthCoreSignatureFormat = .default,
        data: Data = Data(), signature: Data = Data()
    ) {
        self.signingDataKey = signingDataKey
        self.signatureFormat = signatureFormat
        self.data = data
        self.signature = signature
    }

    /// The signed bytes as Base64; setting something that is not Base64 empties them.
    public var dataBase64: String {
        get { data.base64EncodedString() }
        set { data = Data(base64Encoded: newValue) ?? Data() }
    }

    /// The signature as Base64; setting something that is not Base64 empties it.
    public var signatureBase64: String {
        get { signature.base64EncodedString() }
        set { signature = Data(base64Encoded: newValue) ?? Data() }
    }
}
