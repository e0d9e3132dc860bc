// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// AES-128 in CBC mode (protocol.md, section 2.3).
public enum AESCBC {
    /// How a message is filled up to whole blocks.
    public enum Padding: Sendable {
        /// The message must be a multiple of 16 bytes.
        case none
        /// PKCS#7: 1 to 16 bytes are added.
        case pkcs7
    }

    /// The initialisation vector of 16 zero bytes, which most of the protocol uses.
    public static let zeroIV = Data(count: 16)

    /// Encrypts `data`.
    /// - Parameter iv: 16 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a wrong `iv`, or for data that
    ///   is not whole blocks when nothing is padded.
    public static func encrypt<Purpose>(
        _ data: Data, key: SymmetricKey<Purpose>, iv: Data = zeroIV, padding: Padding
    ) throws -> Data {
        try data.withUnsafeBytes { try run(true, $0, key: key.bytes, iv: iv, padding: padding) { Data($0) } }
    }

    /// Decrypts `data`, at least 16 bytes and a multiple of 16.
    /// - Parameter iv: 16 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for wrong sizes,
    ///   ``ProtocolError/decryptionFailed`` for wrong padding.
    public static func decrypt<Purpose>(
        _ data: Data, key: SymmetricKey<Purpose>, iv: Data = zeroIV, padding: Padding
    ) throws -> Data {
        try data.withUnsafeBytes { try run(false, $0, key: key.bytes, iv: iv, padding: padding) { Data($0) } }
    }

    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    /// One block of 16 bytes with a zero vector and no padding, the form of every derivation and of every
    /// protected factor key. It has no way to fail but memory.
    static func block(
        _ direction: Direction, _ input: UnsafeRawBufferPointer, key: SecretBytes,
        into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(input.count == 16 && output.count == 16 && key.count == 16, "one block and one key")
        let context = OpenSSL.fetched(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX")
        defer { EVP_CIPHER_CTX_free(context) }
        withUnsafeBytes(of: (UInt64(0), UInt64(0))) { iv in
            key.withUnsafeBytes { key in
                let key = key.octets
                let iv = iv.octets
                OpenSSL.must(
                    EVP_CipherInit_ex2(context, OpenSSL.aes128CBC, key, iv, direction.rawValue, nil),
                    "EVP_CipherInit_ex2")
            }
        }
        EVP_CIPHER_CTX_set_padding(context, 0)
        var length: Int32 = 0
        let source = input.octets
        let target = output.octets
        OpenSSL.must(EVP_CipherUpdate(context, target, &length, source, 16), "EVP_CipherUpdate")
    }

    static func encryptSecret(_ data: SecretBytes, key: SecretBytes, padding: Padding) throws -> Data {
        try data.withUnsafeBytes { try run(true, $0, key: key, iv: zeroIV, padding: padding) { Data($0) } }
    }

    static func decryptSecret(_ data: Data, key: SecretBytes, padding: Padding) throws -> SecretBytes {
        try data.withUnsafeBytes {
            try run(false, $0, key: key, iv: zeroIV, padding: padding) { SecretBytes(copying: $0) }
        }
    }

    private static func run<Result>(
        _ encrypting: Bool, _ input: UnsafeRawBufferPointer, key: SecretBytes, iv: Data, padding: Padding,
        _ result: (UnsafeRawBufferPointer) -> Result
    ) throws -> Result {
        guard iv.count == 16 else {
            throw ProtocolError.invalidLength(field: "iv", expected: "16 bytes", actual: iv.count)
        }
        let wholeBlocks = input.count % 16 == 0
        guard encrypting ? (padding == .pkcs7 || wholeBlocks) : (wholeBlocks && input.count >= 16),
            input.count <= Int(Int32.max) - 32
        else {
            throw ProtocolError.invalidLength(
                field: encrypting ? "data to encrypt" : "data to decrypt", expected: "a multiple of 16 bytes",
                actual: input.count)
        }
        let context = OpenSSL.fetched(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX")
        defer { EVP_CIPHER_CTX_free(context) }
        key.withUnsafeBytes { key in
            iv.withUnsafeBytes { iv in
                let key = key.octets
                let iv = iv.octets
                OpenSSL.must(
                    EVP_CipherInit_ex2(context, OpenSSL.aes128CBC, key, iv, encrypting ? 1 : 0, nil), "EVP_CipherInit")
            }
        }
        EVP_CIPHER_CTX_set_padding(context, padding == .pkcs7 ? 1 : 0)
        return try withUnsafeTemporaryAllocation(byteCount: input.count + 16, alignment: 16) { output in
            // Plain text may be a key: leave no copy of it on the stack or the heap.
            defer { OPENSSL_cleanse(output.baseAddress, output.count) }
            guard let target = output.octets else { throw ProtocolError.cryptographicFailure("AES-128-CBC") }
            var length: Int32 = 0
            var tail: Int32 = 0
            let source = input.octets
            if input.count > 0 {
                try OpenSSL.check(
                    EVP_CipherUpdate(context, target, &length, source, Int32(input.count)),
                    or: .cryptographicFailure("AES-128-CBC"))
            }
            try OpenSSL.check(EVP_CipherFinal_ex(context, target + Int(length), &tail), or: .decryptionFailed)
            return result(UnsafeRawBufferPointer(rebasing: output[..<(Int(length) + Int(tail))]))
        }
    }
}
