// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation

/// Algorithms fetched from OpenSSL once a process: a fetch costs more than hashing a small message.
///
/// Thread rule: the pointers are constants, and OpenSSL lets any number of threads use one fetched
/// algorithm at the same time.
enum OpenSSL {
    // Safe without isolation: written once by the runtime's lazy initialisation, never freed, and the
    // objects behind them are immutable and reference counted by OpenSSL.
    nonisolated(unsafe) static let sha256 = fetched(EVP_MD_fetch(nil, "SHA256", nil), "SHA-256")
    nonisolated(unsafe) static let sha1 = fetched(EVP_MD_fetch(nil, "SHA1", nil), "SHA-1")
    nonisolated(unsafe) static let hmac = fetched(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
    nonisolated(unsafe) static let aes128CBC = fetched(EVP_CIPHER_fetch(nil, "AES-128-CBC", nil), "AES-128-CBC")
    // Read-only after creation, as above.
    nonisolated(unsafe) static let p256 = fetched(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1), "P-256")

    /// An installation without these algorithms cannot run the protocol at all; no input leads here.
    static func fetched(_ pointer: OpaquePointer?, _ name: StaticString) -> OpaquePointer {
        guard let pointer else { fatalError("This OpenSSL offers no \(name); check the installation of libcrypto 3") }
        return pointer
    }

    /// Asserts an operation that fails only when memory is exhausted.
    static func must(_ result: Int32, _ operation: StaticString) {
        guard result == 1 else { fatalError("OpenSSL failed in \(operation), most likely out of memory") }
    }

    /// Turns a failed call into an error and empties the thread's error queue, which TLS code in the
    /// same process would otherwise read as its own failure.
    static func check(_ result: Int32, or error: @autoclosure () -> ProtocolError) throws {
        guard result == 1 else {
            ERR_clear_error()
            throw error()
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The first byte as OpenSSL takes it.
    var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    /// The first byte as OpenSSL takes it.
    var octets: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

/// The NUL-terminated bytes of a literal, which live as long as the program.
func cString(_ literal: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(literal.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Owner of one `EVP_PKEY`.
///
/// Thread rule: the key is complete before this object is shared and never changed afterwards; OpenSSL
/// allows concurrent use of such a key.
// Unchecked: see the thread rule; freeing (which wipes a private scalar) happens with the last reference.
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { EVP_PKEY_free(pointer) }

    /// A key that carries the P-256 domain parameters only. Copying them is much cheaper than building
    /// the group by name for every key.
    static let parameters: EVPKey = {
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EC")
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        OpenSSL.must(EVP_PKEY_paramgen_init(context), "EVP_PKEY_paramgen_init")
        OpenSSL.must(EVP_PKEY_CTX_set_group_name(context, "P-256"), "EVP_PKEY_CTX_set_group_name")
        OpenSSL.must(EVP_PKEY_paramgen(context, &key), "EVP_PKEY_paramgen")
        return EVPKey(OpenSSL.fetched(key, "P-256"))
    }()

    /// Imports an encoded point; OpenSSL refuses points off the curve and coordinates out of range.
    static func publicKey(encoded: Data) -> EVPKey? {
        let key = EVPKey(OpenSSL.fetched(EVP_PKEY_new(), "EVP_PKEY"))
        guard EVP_PKEY_copy_parameters(key.pointer, parameters.pointer) == 1,
            encoded.withUnsafeBytes({ EVP_PKEY_set1_encoded_public_key(key.pointer, $0.octets, $0.count) }) == 1
        else {
            ERR_clear_error()
            return nil
        }
        return key
    }

    static func generate() throws -> EVPKey {
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_pkey(nil, parameters.pointer, nil), "EVP_PKEY_CTX")
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        try OpenSSL.check(EVP_PKEY_keygen_init(context), or: .cryptographicFailure("EVP_PKEY_keygen_init"))
        try OpenSSL.check(EVP_PKEY_keygen(context, &key), or: .cryptographicFailure("EVP_PKEY_keygen"))
        guard let key else { throw ProtocolError.cryptographicFailure("EVP_PKEY_keygen") }
        return EVPKey(key)
    }

    /// Imports a scalar that is known to be in 1 ..< n, together with its public point: some operations
    /// of OpenSSL 3 fail on a key without one (protocol.md, section 22, item 15).
    static func privateKey(scalar: UnsafeRawBufferPointer) throws -> EVPKey {
        let failure = ProtocolError.cryptographicFailure("private key import")
        guard let number = BN_bin2bn(scalar.octets, Int32(scalar.count), nil),
            let point = EC_POINT_new(OpenSSL.p256)
        else { throw failure }
        defer {
            BN_clear_free(number)
            EC_POINT_clear_free(point)
        }
        try OpenSSL.check(EC_POINT_mul(OpenSSL.p256, point, number, nil, nil, nil), or: failure)
        let context = OpenSSL.fetched(EVP_PKEY_CTX_new_from_name(nil, "EC", nil), "EC")
        defer { EVP_PKEY_CTX_free(context) }
        return try withUnsafeTemporaryAllocation(byteCount: 32 + 65, alignment: 8) { buffer in
            defer { OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
            guard let native = buffer.octets,
                BN_bn2nativepad(number, native, 32) == 32,
                EC_POINT_point2oct(OpenSSL.p256, point, POINT_CONVERSION_UNCOMPRESSED, native + 32, 65, nil) == 65
            else { throw failure }
            var parameters = [
                OSSL_PARAM_construct_utf8_string(cString("group"), UnsafeMutablePointer(mutating: cString("P-256")), 0),
                OSSL_PARAM_construct_BN(cString("priv"), native, 32),
                OSSL_PARAM_construct_octet_string(cString("pub"), native + 32, 65), OSSL_PARAM_construct_end(),
            ]
            var key: OpaquePointer?
            try OpenSSL.check(EVP_PKEY_fromdata_init(context), or: failure)
            try OpenSSL.check(EVP_PKEY_fromdata(context, &key, EVP_PKEY_SELECT_KEYPAIR, &parameters), or: failure)
            guard let key else { throw failure }
            return EVPKey(key)
        }
    }

    /// The public point uncompressed, 65 bytes.
    func uncompressedPoint() throws -> Data {
        var output = Data(count: 65)
        var length = 0
        let result = output.withUnsafeMutableBytes { buffer in
            let target = buffer.octets
            return EVP_PKEY_get_octet_string_param(pointer, cString("pub"), target, buffer.count, &length)
        }
        try OpenSSL.check(result, or: .cryptographicFailure("EVP_PKEY_get_octet_string_param"))
        // A key that was imported compressed is also exported compressed, and lacks its Y coordinate.
        guard length == 33 else { return output }
        var number: OpaquePointer?
        try OpenSSL.check(
            EVP_PKEY_get_bn_param(pointer, "qy", &number), or: .cryptographicFailure("EVP_PKEY_get_bn_param"))
        defer { BN_free(number) }
        output[0] = 4
        let written = output.withUnsafeMutableBytes { buffer in BN_bn2binpad(number, buffer.octets + 33, 32) }
        guard written == 32 else { throw ProtocolError.cryptographicFailure("BN_bn2binpad") }
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
}

private func + (pointer: UnsafeMutablePointer<UInt8>?, offset: Int) -> UnsafeMutablePointer<UInt8>? {
    pointer.map { $0 + offset }
}
