// SPDX-License-Identifier: Apache-2.0

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
        guard formatIsKnown, let key = EVPKey.publicKey(encoded: encoded, on: .p256) else {
            throw ProtocolError.invalidKey(field)
        }
        // A new Data, because the caller's may be a slice with other indices.
        self.init(key, uncompressed: encoded.count == 65 ? Data(Array(encoded)) : try key.uncompressedPoint(on: .p256))
    }

    init(key: EVPKey) throws { self.init(key, uncompressed: try key.uncompressedPoint(on: .p256)) }

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
        key.verify(signature: signature, of: message, on: .p256, format: format)
    }

    /// Two keys are equal if they are the same point, regardless of the form they were read from.
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.uncompressed == rhs.uncompressed }

    /// The compressed point in Base64.
    public var description: String { "PublicKey(\(compressed.base64EncodedString()))" }
}

/// The two wire formats of an ECDSA signature and the conversion between them (protocol.md, section 2.4).
public enum ECDSAFormat: CaseIterable, Sendable {
    /// ASN.1 DER, the default.
    case der
    /// `r ‖ s`, 32 bytes each, in JWTs.
    case jose

    /// DER → JOSE, 64 bytes; nil for anything but one sequence of two positive integers that fit.
    public static func joseFromDER(_ der: Data) -> Data? { joseFromDER(der, on: .p256) }

    static func joseFromDER(_ der: Data, on curve: Curve) -> Data? {
        let size = curve.coordinateSize
        let bytes = [UInt8](der)
        guard bytes.count >= 2, bytes[0] == 0x30, bytes[1] < 0x80, Int(bytes[1]) == bytes.count - 2 else { return nil }
        var output = Data(capacity: 2 * size)
        var offset = 2
        for _ in 0..<2 {
            guard offset + 2 <= bytes.count, bytes[offset] == 0x02 else { return nil }
            let length = Int(bytes[offset + 1])
            let start = offset + 2
            guard (1...(size + 1)).contains(length), start + length <= bytes.count else { return nil }
            let integer = bytes[start..<(start + length)]
            // One byte more is a sign byte before all digits; anything else would lose its top digit here.
            guard length <= size || integer.first == 0 else { return nil }
            let digits = integer.suffix(size)
            output.append(Data(count: size - digits.count))
            output.append(contentsOf: digits)
            offset = start + length
        }
        return offset == bytes.count ? output : nil
    }

    /// JOSE → minimal DER; nil unless it has 64 bytes and neither half is zero (protocol.md, section 22, item 7).
    public static func derFromJOSE(_ jose: Data) -> Data? { derFromJOSE(jose, on: .p256) }

    static func derFromJOSE(_ jose: Data, on curve: Curve) -> Data? {
        let size = curve.coordinateSize
        guard jose.count == 2 * size else { return nil }
        var content = Data(capacity: 2 * size + 6)
        for half in [jose.prefix(size), jose.suffix(size)] {
            let digits = half.drop { $0 == 0 }
            guard let first = digits.first else { return nil }
            let needsSignByte = first & 0x80 != 0
            content.append(contentsOf: [0x02, UInt8(digits.count + (needsSignByte ? 1 : 0))])
            if needsSignByte { content.append(0) }
            content.append(digits)
        }
        return Data([0x30, UInt8(content.count)]) + content
    }
}

/// An RSA public key for foreign tokens; the protocol itself has no RSA keys (RFC 7518, section 6.3).
public struct RSAPublicKey: Sendable {
    private let key: EVPKey

    /// The sizes that are accepted, in bits: smaller ones are broken, larger ones only cost time.
    private static let bits = 2048...8192

    /// - Parameters:
    ///   - modulus: the bytes of `n`, most significant first.
    ///   - exponent: the bytes of `e`, most significant first, at most 8.
    /// - Throws: ``ProtocolError/invalidKey(_:)`` for sizes that are not accepted.
    public init(modulus: Data, exponent: Data) throws {
        let failure = ProtocolError.invalidKey("rsaPublicKey")
        let modulus = Data(modulus.drop { $0 == 0 })
        let exponent = Data(exponent.drop { $0 == 0 })
        guard Self.bits.contains(modulus.count * 8), (1...8).contains(exponent.count) else { throw failure }
        // OpenSSL takes numbers in the machine's byte order, which is least significant first on all we build for.
        var nativeModulus = Array(modulus.reversed())
        var nativeExponent = Array(exponent.reversed())
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil), "RSA")
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        try nativeModulus.withUnsafeMutableBufferPointer { modulus in
            try nativeExponent.withUnsafeMutableBufferPointer { exponent in
                var parameters = [
                    OSSL_PARAM_construct_BN(cString("n"), modulus.baseAddress, modulus.count),
                    OSSL_PARAM_construct_BN(cString("e"), exponent.baseAddress, exponent.count),
                    OSSL_PARAM_construct_end(),
                ]
                try OpenSSL.check(EVP_PKEY_fromdata_init(context), or: failure)
                try OpenSSL.check(
                    EVP_PKEY_fromdata(context, &key, EVP_PKEY_SELECT_PUBLIC_KEY, &parameters), or: failure)
            }
        }
        guard let key else { throw failure }
        self.key = EVPKey(key)
    }

    /// Checks an RSASSA-PKCS1-v1_5 signature with SHA-256 (RFC 8017, section 8.2); anything malformed does not verify.
    public func verify(signature: Data, of message: Data) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, key.pointer, nil) == 1 else {
            ERR_clear_error()
            return false
        }
        let result = signature.withUnsafeBytes { signature in
            message.withUnsafeBytes { message in
                EVP_DigestVerify(context, signature.octets, signature.count, message.octets, message.count)
            }
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}
