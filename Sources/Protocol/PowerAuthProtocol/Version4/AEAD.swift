// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// Authenticated encryption of protocol 4: AES-256 in counter mode, and a KMAC over nonce, associated data and cipher text
/// (protocol-4.md, section 2).
public enum AEAD {
    /// Bytes of the nonce, in front.
    public static let nonceSize = 12
    /// Bytes of the tag, behind the nonce.
    public static let tagSize = 32

    /// Encrypts `plaintext`: nonce, tag, cipher text.
    /// - Parameters:
    ///   - keyContext: enters both derived keys.
    ///   - associatedData: authenticated with the cipher text.
    ///   - nonce: 12 bytes, which must not be used twice with one key and one context.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a nonce of another size.
    public static func seal<Purpose>(
        _ plaintext: Data, key: Key256<Purpose>, keyContext: Data, associatedData: Data,
        nonce: Data = Random.nonZeroBytes(nonceSize)
    ) throws -> Data {
        try plaintext.withUnsafeBytes {
            try seal($0, key: key, keyContext: keyContext, associatedData: associatedData, nonce: nonce)
        }
    }

    /// The same for a secret.
    public static func seal<Purpose>(
        _ secret: SecretBytes, key: Key256<Purpose>, keyContext: Data, associatedData: Data,
        nonce: Data = Random.nonZeroBytes(nonceSize)
    ) throws -> Data {
        try secret.withUnsafeBytes {
            try seal($0, key: key, keyContext: keyContext, associatedData: associatedData, nonce: nonce)
        }
    }

    /// Compares the tag in constant time and only then decrypts.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for less than nonce and tag,
    ///   ``ProtocolError/macMismatch`` for another key, context, associated data or a changed message.
    public static func open<Purpose>(
        _ sealed: Data, key: Key256<Purpose>, keyContext: Data, associatedData: Data
    ) throws -> Data {
        var plaintext = Data(count: max(0, sealed.count - nonceSize - tagSize))
        try plaintext.withUnsafeMutableBytes {
            try open(sealed, key: key, keyContext: keyContext, associatedData: associatedData, into: $0)
        }
        return plaintext
    }

    /// The same for a secret.
    public static func openSecret<Purpose>(
        _ sealed: Data, key: Key256<Purpose>, keyContext: Data, associatedData: Data
    ) throws -> SecretBytes {
        try SecretBytes(count: max(0, sealed.count - nonceSize - tagSize)) {
            try open(sealed, key: key, keyContext: keyContext, associatedData: associatedData, into: $0)
        }
    }

    private static func seal<Purpose>(
        _ plaintext: UnsafeRawBufferPointer, key: Key256<Purpose>, keyContext: Data, associatedData: Data, nonce: Data
    ) throws -> Data {
        guard nonce.count == nonceSize else {
            throw ProtocolError.invalidLength(field: "nonce", expected: "\(nonceSize) bytes", actual: nonce.count)
        }
        var sealed = Data(count: nonceSize + tagSize + plaintext.count)
        sealed.withUnsafeMutableBytes { sealed in
            nonce.withUnsafeBytes { sealed.copyMemory(from: $0) }
            let parts = Parts(UnsafeRawBufferPointer(sealed))
            withKeys(key, keyContext) { keys, kmac in
                AESCTR.apply(
                    plaintext, key: keys.encryption, nonce: parts.nonce,
                    into: UnsafeMutableRawBufferPointer(rebasing: sealed[(nonceSize + tagSize)...]))
                keys.authenticate(
                    parts, associatedData, kmac,
                    into: UnsafeMutableRawBufferPointer(rebasing: sealed[nonceSize..<(nonceSize + tagSize)]))
            }
        }
        return sealed
    }

    private static func open<Purpose>(
        _ sealed: Data, key: Key256<Purpose>, keyContext: Data, associatedData: Data,
        into plaintext: UnsafeMutableRawBufferPointer
    ) throws {
        guard sealed.count >= nonceSize + tagSize else {
            throw ProtocolError.invalidLength(
                field: "encrypted data", expected: "\(nonceSize + tagSize) bytes or more", actual: sealed.count)
        }
        try sealed.withUnsafeBytes { sealed in
            let parts = Parts(sealed)
            try withKeys(key, keyContext) { keys, kmac in
                try withUnsafeTemporaryAllocation(byteCount: tagSize, alignment: 8) { tag in
                    keys.authenticate(parts, associatedData, kmac, into: tag)
                    guard constantTimeEquals(UnsafeRawBufferPointer(tag), parts.tag) else {
                        throw ProtocolError.macMismatch
                    }
                }
                AESCTR.apply(parts.ciphertext, key: keys.encryption, nonce: parts.nonce, into: plaintext)
            }
        }
    }

    /// Nonce, tag and cipher text of a sealed message, which has at least the first two.
    private struct Parts {
        let nonce, tag, ciphertext: UnsafeRawBufferPointer

        init(_ sealed: UnsafeRawBufferPointer) {
            nonce = UnsafeRawBufferPointer(rebasing: sealed[..<nonceSize])
            tag = UnsafeRawBufferPointer(rebasing: sealed[nonceSize..<(nonceSize + tagSize)])
            ciphertext = UnsafeRawBufferPointer(rebasing: sealed[(nonceSize + tagSize)...])
        }
    }

    /// The two keys of a message, on the stack.
    private struct Keys {
        let encryption, code: UnsafeRawBufferPointer

        func authenticate(
            _ parts: Parts, _ associatedData: Data, _ kmac: borrowing KMAC256, into tag: UnsafeMutableRawBufferPointer
        ) {
            associatedData.withUnsafeBytes {
                kmac.compute(key: code, .aead, parts.nonce, $0, parts.ciphertext, into: tag)
            }
        }
    }

    /// Lends the keys of a message for the time of the call, and wipes them.
    private static func withKeys<Purpose>(
        _ key: Key256<Purpose>, _ context: Data, _ body: (Keys, borrowing KMAC256) throws -> Void
    ) rethrows {
        let kmac = KMAC256()
        try withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { bytes in
            defer { OPENSSL_cleanse(bytes.baseAddress, bytes.count) }
            let (encryption, code) = (
                UnsafeMutableRawBufferPointer(rebasing: bytes[..<32]),
                UnsafeMutableRawBufferPointer(rebasing: bytes[32...])
            )
            key.withUnsafeBytes { key in
                LabeledKDF.derive(key, .aeadEncryption, context, kmac, into: encryption)
                LabeledKDF.derive(key, .aeadCode, context, kmac, into: code)
            }
            try body(
                Keys(encryption: UnsafeRawBufferPointer(encryption), code: UnsafeRawBufferPointer(code)), kmac)
        }
    }
}

/// AES-256 in counter mode, which encrypts and decrypts alike.
enum AESCTR {
    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - nonce: the first bytes of the initial counter, at most 16; the others are zero.
    ///   - output: as many bytes as `input`.
    static func apply(
        _ input: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(
            input.count == output.count && key.count == 32 && nonce.count <= 16,
            "one key, and an output of the same size")
        let context = OpenSSL.fetched(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX")
        defer { EVP_CIPHER_CTX_free(context) }
        var counter = (UInt64(0), UInt64(0))
        withUnsafeMutableBytes(of: &counter) { counter in
            counter.copyMemory(from: nonce)
            OpenSSL.must(
                EVP_CipherInit_ex2(context, OpenSSL.aes256CTR, key.octets, counter.octets, 1, nil),
                "EVP_CipherInit_ex2")
        }
        // OpenSSL counts in 32 bits; the cipher keeps its state from piece to piece.
        let piece = 1 << 30
        for start in stride(from: 0, to: input.count, by: piece) {
            let source = UnsafeRawBufferPointer(rebasing: input[start..<min(start + piece, input.count)])
            let target = UnsafeMutableRawBufferPointer(rebasing: output[start...])
            var length: Int32 = 0
            OpenSSL.must(
                EVP_CipherUpdate(context, target.octets, &length, source.octets, Int32(source.count)),
                "EVP_CipherUpdate")
        }
    }
}

/// Factor keys on the device, in protocol 4: encrypted without any check value, so that a wrong password gives a random key
/// and is not detected locally (protocol-4.md, section 2).
public enum FactorKeyWrapping {
    /// Bytes of a wrapped key: a random initial counter, and the encrypted key.
    public static let size = 48

    /// Wraps a factor key under the key of its factor.
    public static func wrap<Purpose>(_ key: Key256<Purpose>, under kek: FactorKeyEncryptionKey) -> Data {
        let counter = Random.nonZeroBytes(counterSize)
        var wrapped = counter + Data(count: size - counterSize)
        wrapped.withUnsafeMutableBytes { wrapped in
            let target = UnsafeMutableRawBufferPointer(rebasing: wrapped[counterSize...])
            counter.withUnsafeBytes { counter in
                key.withUnsafeBytes { key in
                    kek.withUnsafeBytes { AESCTR.apply(key, key: $0, nonce: counter, into: target) }
                }
            }
        }
        return wrapped
    }

    /// The factor key, or a random one if the encryption key is wrong.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` unless `data` has 48 bytes.
    public static func unwrap<Purpose>(
        _ data: Data, under kek: FactorKeyEncryptionKey, as purpose: Purpose.Type = Purpose.self
    ) throws -> Key256<Purpose> {
        guard data.count == size else {
            throw ProtocolError.invalidLength(
                field: "wrapped factor key", expected: "\(size) bytes", actual: data.count)
        }
        return Key256<Purpose> { output in
            data.withUnsafeBytes { data in
                kek.withUnsafeBytes {
                    AESCTR.apply(
                        UnsafeRawBufferPointer(rebasing: data[counterSize...]), key: $0,
                        nonce: UnsafeRawBufferPointer(rebasing: data[..<counterSize]), into: output)
                }
            }
        }
    }

    private static let counterSize = 16
}
