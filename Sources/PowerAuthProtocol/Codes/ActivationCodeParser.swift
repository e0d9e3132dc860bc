internal import Foundation

/// Reads what a QR code or a link carries (protocol.md, section 4.2). Nothing is corrected or trimmed.
public enum ActivationCodeParser {
    /// An activation code with the server's signature, if it came with one.
    public struct Parsed: Sendable, Equatable {
        /// The code.
        public let code: ActivationCode
        /// Base64 text of the signature, not verified yet.
        public let signature: String?
    }

    /// Reads `CODE` or `CODE#BASE64`.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public static func parse(_ text: String) throws -> Parsed {
        let (code, signature) = split(text)
        let activationCode = try ActivationCode(code)
        guard let signature else { return Parsed(code: activationCode, signature: nil) }
        guard !signature.isEmpty, StrictBase64.decode(signature) != nil else {
            throw ProtocolError.invalidEncoding(field: "activation code signature")
        }
        return Parsed(code: activationCode, signature: signature)
    }

    /// Reads `CODE` or `R:CODE`; recovery codes are never signed.
    /// - Throws: ``ProtocolError`` naming the part that is wrong.
    public static func parseRecovery(_ text: String) throws -> RecoveryCode {
        let (code, signature) = split(text)
        guard signature == nil else { throw ProtocolError.unexpected(field: "recovery code signature") }
        return try RecoveryCode(code)
    }

    private static func split(_ text: String) -> (String, String?) {
        guard let hash = text.firstIndex(of: "#") else { return (text, nil) }
        return (String(text[..<hash]), String(text[text.index(after: hash)...]))
    }
}
