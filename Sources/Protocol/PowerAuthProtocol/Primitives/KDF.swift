// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// Key derivation (protocol.md, section 2.2).
public enum KDF {
    /// `KDF(K, index)`: AES of a block that carries the index in its last 8 bytes.
    public static func derive<Purpose, Derived>(
        _ key: SymmetricKey<Purpose>, index: UInt64, as purpose: Derived.Type = Derived.self
    ) -> SymmetricKey<Derived> {
        SymmetricKey<Derived> { output in
            withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { block in
                block.storeBytes(of: 0, toByteOffset: 0, as: UInt64.self)
                block.storeBytes(of: index.bigEndian, toByteOffset: 8, as: UInt64.self)
                AESCBC.block(.encrypt, UnsafeRawBufferPointer(block), key: key.bytes, into: output)
            }
        }
    }

    /// `KDF_INTERNAL(K, data)`: the folded HMAC, 16 bytes, as a key.
    /// - Parameter data: at least 16 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for shorter data.
    public static func internalDerive<Purpose, Derived>(
        _ key: SymmetricKey<Purpose>, data: Data, as purpose: Derived.Type = Derived.self
    ) throws -> SymmetricKey<Derived> {
        try requireDerivationData(data)
        return SymmetricKey<Derived> { output in foldedHMAC(key, data, HMACSHA256(), into: output) }
    }

    /// `KDF_INTERNAL(K, data)` where the result is a public value such as an initialisation vector.
    /// - Parameter data: at least 16 bytes.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for shorter data.
    public static func internalDeriveBytes<Purpose>(_ key: SymmetricKey<Purpose>, data: Data) throws -> Data {
        try internalDeriveBytes(key, data: data, HMACSHA256())
    }

    /// The same with a context that serves other computations, too.
    static func internalDeriveBytes<Purpose>(
        _ key: SymmetricKey<Purpose>, data: Data, _ hmac: borrowing HMACSHA256
    ) throws -> Data {
        try requireDerivationData(data)
        var output = Data(count: 16)
        output.withUnsafeMutableBytes { foldedHMAC(key, data, hmac, into: $0) }
        return output
    }

    /// `X963`: ANSI X9.63 derivation with SHA-256.
    /// - Parameters:
    ///   - secret: the shared secret `Z`.
    ///   - info: the shared information.
    ///   - length: size of the result in bytes, 0 or more.
    public static func x963(secret: SecretBytes, info: Data, length: Int) -> SecretBytes {
        SecretBytes(count: max(0, length)) { output in
            let hash = SHA256()
            withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { block in
                defer { OPENSSL_cleanse(block.baseAddress, block.count) }
                var index: UInt32 = 1
                var written = 0
                while written < output.count {
                    if index > 1 { hash.restart() }
                    secret.withUnsafeBytes { hash.update($0) }
                    withUnsafeBytes(of: index.bigEndian) { hash.update($0) }
                    info.withUnsafeBytes { hash.update($0) }
                    hash.finish(into: block)
                    let count = min(32, output.count - written)
                    UnsafeMutableRawBufferPointer(rebasing: output[written..<(written + count)])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<count]))
                    written += count
                    index += 1
                }
            }
        }
    }

    /// `PBKDF`: PBKDF2 with HMAC-SHA1, 16 bytes.
    /// - Parameters:
    ///   - password: the password's bytes as typed (UTF-8).
    ///   - salt: 16 bytes.
    ///   - iterations: 10 000 in the protocol, at least 1.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for a wrong salt,
    ///   ``ProtocolError/invalidFormat(field:reason:)`` for fewer than one iteration.
    public static func pbkdf2(password: Data, salt: Data, iterations: Int) throws -> UnlockKey {
        try password.withUnsafeBytes { try pbkdf2(password: $0, salt: salt, iterations: iterations) }
    }

    /// The same for a password that is kept in wiped memory.
    public static func pbkdf2(password: SecretBytes, salt: Data, iterations: Int) throws -> UnlockKey {
        try password.withUnsafeBytes { try pbkdf2(password: $0, salt: salt, iterations: iterations) }
    }

    private static func pbkdf2(password: UnsafeRawBufferPointer, salt: Data, iterations: Int) throws -> UnlockKey {
        guard salt.count == 16 else {
            throw ProtocolError.invalidLength(field: "salt", expected: "16 bytes", actual: salt.count)
        }
        guard let rounds = Int32(exactly: iterations), rounds >= 1, let length = Int32(exactly: password.count) else {
            throw ProtocolError.invalidFormat(field: "iterations", reason: "must be 1 or more")
        }
        return try UnlockKey { output in
            try withUnsafeBytes(of: UInt8(0)) { anything in
                let source = (password.baseAddress ?? anything.baseAddress)?.assumingMemoryBound(to: CChar.self)
                let target = output.octets
                try salt.withUnsafeBytes { salt in
                    let salt = salt.octets
                    try OpenSSL.check(
                        PKCS5_PBKDF2_HMAC(source, length, salt, 16, rounds, OpenSSL.sha1, 16, target),
                        or: .cryptographicFailure("PBKDF2"))
                }
            }
        }
    }

    /// `fold`: 32 bytes to 16, the exclusive or of both halves.
    /// - Throws: ``ProtocolError/invalidLength(field:expected:actual:)`` for any other size.
    public static func fold(_ data: Data) throws -> Data {
        guard data.count == 32 else {
            throw ProtocolError.invalidLength(field: "data to fold", expected: "32 bytes", actual: data.count)
        }
        var output = Data(count: 16)
        output.withUnsafeMutableBytes { output in data.withUnsafeBytes { fold($0, into: output) } }
        return output
    }

    static func fold(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        for index in 0..<16 { output[index] = input[index] ^ input[index + 16] }
    }

    static func foldedSHA256(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { block in
            defer { OPENSSL_cleanse(block.baseAddress, block.count) }
            Digest.sha256(input, into: block)
            fold(UnsafeRawBufferPointer(block), into: output)
        }
    }

    private static func requireDerivationData(_ data: Data) throws {
        guard data.count >= 16 else {
            throw ProtocolError.invalidLength(
                field: "derivation data", expected: "16 bytes or more", actual: data.count)
        }
    }

    private static func foldedHMAC<Purpose>(
        _ key: SymmetricKey<Purpose>, _ data: Data, _ hmac: borrowing HMACSHA256,
        into output: UnsafeMutableRawBufferPointer
    ) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { block in
            defer { OPENSSL_cleanse(block.baseAddress, block.count) }
            key.withUnsafeBytes { key in data.withUnsafeBytes { hmac.compute(key: key, $0, into: block) } }
            fold(UnsafeRawBufferPointer(block), into: output)
        }
    }
}
