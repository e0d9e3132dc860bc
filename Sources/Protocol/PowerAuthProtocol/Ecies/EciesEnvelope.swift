import COpenSSL
public import Foundation

/// The 48 bytes derived for one exchange: encryption, authentication and vector key
/// (protocol.md, section 7.3). A server may hand them to an integration server.
public struct EciesEnvelope: Sendable {
    typealias Key = SymmetricKey<KeyPurpose.Envelope>

    let encryptionKey: Key
    let macKey: Key
    let vectorKey: Key

    /// Takes over 48 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public init(_ data: Data) throws {
        try self.init(SecretBytes(data))
    }

    /// Derives the envelope from a shared secret.
    /// - Parameters:
    ///   - secret: ECDH of the ephemeral key and the server's key.
    ///   - parameters: version and purpose of the exchange.
    ///   - ephemeralPublicKey: the key exactly as sent.
    public init(secret: SharedSecret, parameters: EciesParameters, ephemeralPublicKey: Data) throws {
        let info = parameters.derivationInfo(ephemeralPublicKey: ephemeralPublicKey)
        try self.init(KDF.x963(secret: secret.bytes, info: info, length: 48))
    }

    private init(_ bytes: SecretBytes) throws {
        guard bytes.count == 48 else {
            throw ProtocolError.invalidLength(field: "envelope key", expected: "48 bytes", actual: bytes.count)
        }
        func part(_ index: Int) -> Key {
            Key { output in
                bytes.withUnsafeBytes {
                    output.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[(index * 16)..<(index * 16 + 16)]))
                }
            }
        }
        encryptionKey = part(0)
        macKey = part(1)
        vectorKey = part(2)
    }

    /// An ordinary copy of the 48 bytes, for an integration server.
    public var rawData: Data { encryptionKey.rawData + macKey.rawData + vectorKey.rawData }

    /// The initialisation vector: zero in 3.0, derived from a nonce later.
    package func vector(nonce: Data?) throws -> Data { try vector(nonce: nonce, HMACSHA256()) }

    /// Encrypts, then authenticates cipher text and suffix.
    func seal(_ plaintext: Data, nonce: Data?, macSuffix: Data) throws -> (encryptedData: Data, mac: Data) {
        let hmac = HMACSHA256()
        let encryptedData = try AESCBC.encrypt(
            plaintext, key: encryptionKey, iv: vector(nonce: nonce, hmac), padding: .pkcs7)
        var code = Data(count: 32)
        code.withUnsafeMutableBytes { authenticate(encryptedData, macSuffix, hmac, into: $0) }
        return (encryptedData, code)
    }

    /// Compares the authentication code in constant time and only then decrypts.
    func open(_ encryptedData: Data, mac expected: Data, nonce: Data?, macSuffix: Data) throws -> Data {
        let hmac = HMACSHA256()
        let isAuthentic = withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { code in
            authenticate(encryptedData, macSuffix, hmac, into: code)
            return expected.withUnsafeBytes { constantTimeEquals(UnsafeRawBufferPointer(code), $0) }
        }
        guard isAuthentic else { throw ProtocolError.macMismatch }
        return try AESCBC.decrypt(
            encryptedData, key: encryptionKey, iv: vector(nonce: nonce, hmac), padding: .pkcs7)
    }

    private func vector(nonce: Data?, _ hmac: borrowing HMACSHA256) throws -> Data {
        guard let nonce else { return AESCBC.zeroIV }
        return try KDF.internalDeriveBytes(vectorKey, data: nonce, hmac)
    }

    private func authenticate(
        _ encryptedData: Data, _ suffix: Data, _ hmac: borrowing HMACSHA256,
        into output: UnsafeMutableRawBufferPointer
    ) {
        macKey.withUnsafeBytes { key in
            encryptedData.withUnsafeBytes { first in
                suffix.withUnsafeBytes { hmac.compute(key: key, first, $0, into: output) }
            }
        }
    }
}
