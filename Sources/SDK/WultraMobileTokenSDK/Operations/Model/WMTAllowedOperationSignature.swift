/// How an operation can be signed (mobile-token.md, section 7.2).
public struct WMTAllowedOperationSignature: Codable, Equatable, Sendable {
    /// How many factors the signature needs.
    public enum SignatureType: String, Codable, Sendable {
        /// Possession is enough.
        case oneFactor = "1FA"
        /// Possession, and the password or biometry.
        case twoFactors = "2FA"
    }

    /// Factors that together make an acceptable signature.
    public enum SignatureFactors: String, Codable, Sendable {
        /// The device alone.
        case possession = "possession"
        /// The device and the password.
        case possessionKnowledge = "possession_knowledge"
        /// The device and biometry.
        case possessionBiometry = "possession_biometry"
    }

    private enum CodingKeys: String, CodingKey {
        case signatureType = "type"
        case signatureFactors = "variants"
    }

    /// How many factors the signature needs.
    public let signatureType: SignatureType
    /// The combinations that the server accepts; empty for one factor.
    public let signatureFactors: [SignatureFactors]

    /// Whether the user may use biometry instead of the password.
    public var isBiometryAllowed: Bool { signatureFactors.contains(.possessionBiometry) }

    /// - Parameters:
    ///   - signatureType: how many factors the signature needs.
    ///   - signatureFactors: the combinations that the server accepts.
    public init(signatureType: SignatureType, signatureFactors: [SignatureFactors]) {
        self.signatureType = signatureType
        self.signatureFactors = signatureFactors
    }
}
