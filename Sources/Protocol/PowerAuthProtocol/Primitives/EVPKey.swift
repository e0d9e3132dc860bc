// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation

/// Owner of one `EVP_PKEY`.
///
/// Thread rule: the key is complete before this object is shared and never changed afterwards; OpenSSL
/// allows concurrent use of such a key.
// Unchecked: see the thread rule; freeing (which wipes a private scalar) happens with the last reference.
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// Imports an encoded point; OpenSSL refuses points off the curve and coordinates out of range.
    static func publicKey(encoded: Data, on curve: Curve) -> EVPKey? {
        let key = EVPKey(OpenSSL.fetched(EVP_PKEY_new(), "EVP_PKEY"))
        guard EVP_PKEY_copy_parameters(key.pointer, curve.parameters) == 1,
            encoded.withUnsafeBytes({ EVP_PKEY_set1_encoded_public_key(key.pointer, $0.octets, $0.count) }) == 1
        else {
            ERR_clear_error()
            return nil
        }
        return key
    }

    static func generate(on curve: Curve) throws -> EVPKey {
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, curve.parameters, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        try OpenSSL.check(EVP_PKEY_keygen_init(context), or: .cryptographicFailure("EVP_PKEY_keygen_init"))
        try OpenSSL.check(EVP_PKEY_keygen(context, &key), or: .cryptographicFailure("EVP_PKEY_keygen"))
        guard let key else { throw ProtocolError.cryptographicFailure("EVP_PKEY_keygen") }
        return EVPKey(key)
    }

    /// Imports a scalar that is known to be in 1 ..< n, together with its public point: some operations
    /// of OpenSSL 3 fail on a key without one (protocol.md, section 22, item 15).
    static func privateKey(scalar: UnsafeRawBufferPointer, on curve: Curve) throws -> EVPKey {
        let failure = ProtocolError.cryptographicFailure("private key import")
        guard let number = BN_bin2bn(scalar.octets, Int32(scalar.count), nil),
            let point = EC_POINT_new(curve.group)
        else { throw failure }
        defer {
            BN_clear_free(number)
            EC_POINT_clear_free(point)
        }
        try OpenSSL.check(EC_POINT_mul(curve.group, point, number, nil, nil, nil), or: failure)
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EC")
        defer { EVP_PKEY_CTX_free(context) }
        let (size, pointSize) = (curve.coordinateSize, curve.pointSize)
        return try withUnsafeTemporaryAllocation(byteCount: size + pointSize, alignment: 8) { buffer in
            defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
            guard let native = buffer.octets,
                BN_bn2nativepad(number, native, Int32(size)) == size,
                EC_POINT_point2oct(
                    curve.group, point, POINT_CONVERSION_UNCOMPRESSED, native + size, pointSize, nil) == pointSize
            else { throw failure }
            var parameters = [
                OSSL_PARAM_construct_utf8_string(
                    cString("group"), UnsafeMutablePointer(mutating: cString(curve.name)), 0),
                OSSL_PARAM_construct_BN(cString("priv"), native, size),
                OSSL_PARAM_construct_octet_string(cString("pub"), native + size, pointSize),
                OSSL_PARAM_construct_end(),
            ]
            var key: OpaquePointer?
            try OpenSSL.check(EVP_PKEY_fromdata_init(context), or: failure)
            try OpenSSL.check(EVP_PKEY_fromdata(context, &key, EVP_PKEY_SELECT_KEYPAIR, &parameters), or: failure)
            guard let key else { throw failure }
            return EVPKey(key)
        }
    }

    /// The public point uncompressed.
    func uncompressedPoint(on curve: Curve) throws -> Data {
        let size = curve.coordinateSize
        var output = Data(count: curve.pointSize)
        var length = 0
        let result = output.withUnsafeMutableBytes { buffer in
            let target = buffer.octets
            return EVP_PKEY_get_octet_string_param(pointer, cString("pub"), target, buffer.count, &length)
        }
        try OpenSSL.check(result, or: .cryptographicFailure("EVP_PKEY_get_octet_string_param"))
        // A key that was imported compressed is also exported compressed, and lacks its Y coordinate.
        guard length == 1 + size else { return output }
        var number: OpaquePointer?
        try OpenSSL.check(
            EVP_PKEY_get_bn_param(pointer, "qy", &number), or: .cryptographicFailure("EVP_PKEY_get_bn_param"))
        defer { BN_free(number) }
        output[0] = 4
        let written = output.withUnsafeMutableBytes { buffer in
            BN_bn2binpad(number, buffer.octets + (1 + size), Int32(size))
        }
        guard written == size else { throw ProtocolError.cryptographicFailure("BN_bn2binpad") }
        return output
    }

    /// The private scalar as a minimal unsigned big-endian integer.
    func scalar() throws -> SecretBytes {
        var number: OpaquePointer?
        try OpenSSL.check(
            EVP_PKEY_get_bn_param(pointer, "priv", &number), or: .cryptographicFailure("EVP_PKEY_get_bn_param"))
        defer { BN_clear_free(number) }
        return SecretBytes(count: (Int(BN_num_bits(number)) + 7) / 8) { buffer in BN_bn2bin(number, buffer.octets) }
    }

    /// ECDH: the X coordinate of the common point, left-padded with zeros.
    func sharedSecret(with peer: EVPKey, on curve: Curve) throws -> SecretBytes {
        let failure = ProtocolError.cryptographicFailure("ECDH")
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_derive_init(context), or: failure)
        // No second validation: a public key exists only for a checked point, and the curves have cofactor 1.
        try OpenSSL.check(EVP_PKEY_derive_set_peer_ex(context, peer.pointer, 0), or: failure)
        return try SecretBytes(count: curve.coordinateSize) { buffer in
            var length = buffer.count
            let target = buffer.octets
            try OpenSSL.check(EVP_PKEY_derive(context, target, &length), or: failure)
            guard length == buffer.count else { throw failure }
        }
    }

    /// ECDSA with the curve's hash.
    func sign(_ message: Data, on curve: Curve, format: ECDSAFormat) throws -> Data {
        let failure = ProtocolError.cryptographicFailure("ECDSA")
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        try OpenSSL.check(EVP_PKEY_sign_init(context), or: failure)
        // Two integers with their headers and signs, and the header of the sequence.
        var der = Data(count: 2 * curve.coordinateSize + 16)
        var length = der.count
        let hash = curve.hash(message)
        let result = der.withUnsafeMutableBytes { der in
            hash.withUnsafeBytes { hash in EVP_PKEY_sign(context, der.octets, &length, hash.octets, hash.count) }
        }
        try OpenSSL.check(result, or: failure)
        der = der.prefix(length)
        guard format == .jose else { return Data(der) }
        guard let jose = ECDSAFormat.joseFromDER(Data(der), on: curve) else { throw failure }
        return jose
    }

    /// Checks an ECDSA signature with the curve's hash; anything malformed does not verify.
    func verify(signature: Data, of message: Data, on curve: Curve, format: ECDSAFormat) -> Bool {
        guard let der = format == .der ? signature : ECDSAFormat.derFromJOSE(signature, on: curve), !der.isEmpty else {
            return false
        }
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_verify_init(context) == 1 else { return false }
        let hash = curve.hash(message)
        let result = der.withUnsafeBytes { der in
            hash.withUnsafeBytes { hash in EVP_PKEY_verify(context, der.octets, der.count, hash.octets, hash.count) }
        }
        if result != 1 { ERR_clear_error() }
        return result == 1
    }
}

private func + (pointer: UnsafeMutablePointer<UInt8>?, offset: Int) -> UnsafeMutablePointer<UInt8>? {
    pointer.map { $0 + offset }
}
