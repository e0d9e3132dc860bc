/// A public key as a message carries it: the text that was sent, and the key it means, if it means one.
///
/// Text that is not a key differs from missing text. Without text a message is refused without effect; with text that
/// is not a key, a server spends the activation of the message (server.md, section 30, item 17).
public struct SentPublicKey: Sendable, Equatable {
    /// Base64, exactly as sent; never blank.
    public let text: String
    /// Nil when the text is not strict Base64 of a point of P-256.
    public let key: PublicKey?

    /// What a sender writes: the compressed point.
    public init(_ key: PublicKey) {
        text = StrictBase64.encode(key.compressed)
        self.key = key
    }

    /// Takes received text.
    /// - Parameter field: the name an error shall carry.
    /// - Throws: ``ProtocolError/missing(field:)`` for text that is empty or white space, and nothing else.
    public init(text: String, field: String) throws {
        guard !text.allSatisfy(\.isWhitespace) else { throw ProtocolError.missing(field: field) }
        self.text = text
        key = StrictBase64.decode(text).flatMap { try? PublicKey(encoded: $0, field: field) }
    }
}
