// SPDX-License-Identifier: Apache-2.0

import COpenSSL
public import Foundation

/// SHA-256 and HMAC-SHA256.
public enum Digest {
    /// SHA-256 of `data`, 32 bytes.
    public static func sha256(_ data: Data) -> Data {
        var output = Data(count: 32)
        output.withUnsafeMutableBytes { output in data.withUnsafeBytes { sha256($0, into: output) } }
        return output
    }

    /// HMAC-SHA256 of `data` under a key of any length, 32 bytes.
    public static func hmacSHA256(key: Data, data: Data) -> Data {
        key.withUnsafeBytes { key in hmac(key: key, data: data) }
    }

    /// HMAC-SHA256 of `data` under a protocol key, 32 bytes.
    public static func hmacSHA256<Purpose>(key: SymmetricKey<Purpose>, data: Data) -> Data {
        key.withUnsafeBytes { key in hmac(key: key, data: data) }
    }

    static func sha256(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        let target = output.octets
        OpenSSL.must(EVP_Digest(input.baseAddress, input.count, target, nil, OpenSSL.sha256, nil), "EVP_Digest")
    }

    private static func hmac(key: UnsafeRawBufferPointer, data: Data) -> Data {
        var output = Data(count: 32)
        output.withUnsafeMutableBytes { output in
            data.withUnsafeBytes { data in HMACSHA256().compute(key: key, data, into: output) }
        }
        return output
    }
}

/// An incremental SHA-256 over several buffers.
struct SHA256: ~Copyable {
    private let context = OpenSSL.fetched(EVP_MD_CTX_new(), "EVP_MD_CTX")

    init() { OpenSSL.must(EVP_DigestInit_ex(context, OpenSSL.sha256, nil), "EVP_DigestInit_ex") }

    deinit { EVP_MD_CTX_free(context) }

    func restart() { OpenSSL.must(EVP_DigestInit_ex(context, nil, nil), "EVP_DigestInit_ex") }

    func update(_ bytes: UnsafeRawBufferPointer) {
        OpenSSL.must(EVP_DigestUpdate(context, bytes.baseAddress, bytes.count), "EVP_DigestUpdate")
    }

    func finish(into output: UnsafeMutableRawBufferPointer) {
        let target = output.octets
        OpenSSL.must(EVP_DigestFinal_ex(context, target, nil), "EVP_DigestFinal_ex")
    }
}

/// One HMAC-SHA256 context for a series of computations under different keys; a signature of two
/// factors needs five of them. The context's key schedule is wiped when it is freed.
struct HMACSHA256: ~Copyable {
    private let context = OpenSSL.fetched(EVP_MAC_CTX_dup(Self.template), "EVP_MAC_CTX")

    // A context that knows the digest already: a copy of it costs half of what finding the digest by name does.
    // Safe without isolation: made once by the runtime's lazy initialisation, never changed and never freed;
    // copying only reads it.
    nonisolated(unsafe) private static let template: OpaquePointer = {
        let context = OpenSSL.fetched(EVP_MAC_CTX_new(OpenSSL.hmac), "EVP_MAC_CTX")
        let parameters = [
            // The type says "pointer to mutable", but OpenSSL only reads the digest's name.
            OSSL_PARAM_construct_utf8_string(cString("digest"), UnsafeMutablePointer(mutating: cString("SHA256")), 0),
            OSSL_PARAM_construct_end(),
        ]
        // Only a context with a key is sure to be copyable in every OpenSSL 3; this one is never used.
        OpenSSL.must(
            [UInt8](repeating: 0, count: 32).withUnsafeBufferPointer {
                EVP_MAC_init(context, $0.baseAddress, $0.count, parameters)
            }, "EVP_MAC_init")
        return context
    }()

    deinit { EVP_MAC_CTX_free(context) }

    /// Writes 32 bytes to `output`, which may overlap `key` or the messages.
    func compute(
        key: UnsafeRawBufferPointer, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        into output: UnsafeMutableRawBufferPointer
    ) {
        withUnsafeBytes(of: UInt8(0)) { anything in
            // A null key would mean "keep the previous key" to OpenSSL, an empty key has to be given.
            let start = (key.baseAddress ?? anything.baseAddress)?.assumingMemoryBound(to: UInt8.self)
            OpenSSL.must(EVP_MAC_init(context, start, key.count, nil), "EVP_MAC_init")
        }
        update(first)
        update(second)
        var length = 0
        let target = output.octets
        OpenSSL.must(EVP_MAC_final(context, target, &length, output.count), "EVP_MAC_final")
    }

    private func update(_ part: UnsafeRawBufferPointer) {
        guard part.count > 0 else { return }
        let start = part.octets
        OpenSSL.must(EVP_MAC_update(context, start, part.count), "EVP_MAC_update")
    }
}
