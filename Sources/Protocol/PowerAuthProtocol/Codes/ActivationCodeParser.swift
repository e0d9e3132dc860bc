import Foundation

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
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        // An empty text has one part too, which is empty.
        let activationCode = try ActivationCode(parts[0])
        guard parts.count == 2 else { return Parsed(code: activationCode, signature: nil) }
        let signature = parts[1]
        guard !signature.isEmpty, StrictBase64.decode(signature) != nil else {
            throw ProtocolError.invalidEncoding(field: "activation code signature")
        }
        return Parsed(code: activationCode, signature: signature)
    }
}
