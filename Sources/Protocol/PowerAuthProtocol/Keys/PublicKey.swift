import COpenSSL
public import Foundation

/// A P-256 public key whose point was checked (protocol.md, section 2.1).
public struct PublicKey: Sendable, Equatable, CustomStringConvertible {
    let key: EVPKey
    /// The uncompressed form, 65 bytes starting with `04`; the server writes this one.
    public let uncompressed: Data

    /// Imports a compressed (33 bytes) or uncompressed (65 bytes) point.
    ///
    /// Refused: every other length or first byte (hybrid forms included), the point at infinity, and
    /// coordinates that are out of range or not on the curve.
    /// - Parameter field: the name an error shall carry.
    /// - Throws: ``ProtocolError/invalidKey(_:)``.
    public init(encoded: Data, field: String = "publicKey") throws {
        let formatIsKnown =
            switch (encoded.first, encoded.count) {
            case (2, 33), (3, 33), (4, 65): true
            default: false
            }
        guard formatIsKnown, let key = EVPKey.publicKey(encoded: encoded) else {
            throw ProtocolError.invalidKey(field)
        }
        // A new Data, because the caller's may be a slice with other indices.
        self.init(key, uncompressed: encoded.count == 65 ? Data(Array(encoded)) : try key.uncompressedPoint())
    }

    init(key: EVPKey) throws {
        self.init(key, uncompressed: try key.uncompressedPoint())
    }

    private init(_ key: EVPKey, uncompressed: Data) {
        self.key = key
        self.uncompressed = uncompressed
    }

    /// The compressed form, 33 bytes starting with `02` or `03`; the client writes this one.
    public var compressed: Data {
        var point = uncompressed.prefix(33)
        point[0] = 2 | (uncompressed[64] & 1)
        return point
    }

    /// The X coordinate without leading zero bytes, as fingerprints use it.
    public var normalizedX: Data { Data(uncompressed[1..<33].drop { $0 == 0 }) }

    /// Checks an ECDSA signature with SHA-256.
    /// - Parameters:
    ///   - signature: in `format`; anything malformed simply does not verify.
    ///   - message: the signed bytes (not their hash).
    ///   - format: DER by default.
    public func verify(signature: Data, of message: Data, format: ECDSAFormat = .der) -> Bool {
        guard let der = format == .der ? signature : ECDSAFormat.derFromJOSE(signature), !der.isEmpty else {
            return false
        }
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_verify_init(context) == 1 else { return false }
        let hash = Digest.sha256(message)
        let result = der.withUnsafeBytes { der in
            hash.withUnsafeBytes { hash in
                EVP_PKEY_verify(
                    context, der.baseAddress?.assumingMemoryBound(to: UInt8.self), der.count,
                    hash.baseAddress?.assumingMemoryBound(to: UInt8.self), hash.count)
            }
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }

    /// Two keys are equal if they are the same point, regardless of the form they were read from.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.uncompressed == rhs.uncompressed }

    /// The compressed point in Base64.
    public var description: String { "PublicKey(\(compressed.base64EncodedString()))" }
}
