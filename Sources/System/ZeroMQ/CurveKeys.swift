import CZeroMQ

/// The long-term keys of one side of an encrypted connection (watch.md, section 11.8).
public struct CurveKeyPair: Codable, Equatable, Sendable {
    /// By which others know this side.
    public let publicKey: CurvePublicKey
    /// Proves the identity of this side.
    public let secretKey: CurveSecretKey

    /// Makes a new pair.
    ///
    /// - Throws: ``ZeroMQError`` when the library was built without encryption.
    public init() throws {
        // Z85: 40 characters and a zero for 32 bytes.
        var publicText = [CChar](repeating: 0, count: 41)
        var secretText = [CChar](repeating: 0, count: 41)
        guard zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZeroMQError.last("zmq_curve_keypair") }
        publicKey = CurvePublicKey(text: Self.text(publicText))
        secretKey = CurveSecretKey(text: Self.text(secretText))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix(40).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A public key, 32 bytes as 40 characters of Z85.
public struct CurvePublicKey: Codable, Hashable, Sendable {
    let text: String

    /// The 32 bytes; nil when the text is not of that form.
    var bytes: [UInt8]? {
        guard text.utf8.count == 40 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 32)
        return zmq_z85_decode(&bytes, text) == nil ? nil : bytes
    }
}

/// A secret key, 32 bytes as 40 characters of Z85. Its description does not show it.
public struct CurveSecretKey: Codable, Equatable, Sendable, CustomStringConvertible, CustomReflectable {
    let text: String

    public var description: String { "a secret key" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
