// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation

/// One KMAC-256 context for a series of computations under different keys (protocol-4.md, section 2; NIST SP 800-185).
/// The length of the output enters the result. The context's key is wiped when it is freed.
struct KMAC256: ~Copyable {
    /// The customization string, which separates the uses of one key from each other.
    enum Customization {
        case keyDerivation, password, code, tokenDigest, sharedInfo2, sharedSecret
        case aead, counter, status, offline

        fileprivate var text: StaticString {
            switch self {
            case .keyDerivation: "PA4KDF"
            case .password: "PA4PBKDF"
            case .code: "PA4CODE"
            case .tokenDigest: "PA4DIGEST"
            case .sharedInfo2: "PA4SH2"
            case .sharedSecret: "KDF"
            case .aead: "PA4MAC-AEAD"
            case .counter: "PA4MAC-CTR"
            case .status: "PA4MAC-STATUS"
            case .offline: "PA4MAC-QR"
            }
        }
    }

    /// Sizes of a key, in bytes, that OpenSSL takes.
    static let keySizes = 4...512

    private let context = OpenSSL.fetched(EVP_MAC_CTX_dup(Self.template), "EVP_MAC_CTX")

    // A context that has fetched its hash already: a copy of it costs a fraction of what finding it by name does.
    // Safe without isolation: made once by the runtime's lazy initialisation, never changed and never freed;
    // copying only reads it.
    nonisolated(unsafe) private static let template: OpaquePointer = {
        let context = OpenSSL.fetched(EVP_MAC_CTX_new(OpenSSL.kmac), "EVP_MAC_CTX")
        // Only a context with a key can be copied; this one is never used.
        OpenSSL.must(
            [UInt8](repeating: 0, count: 32).withUnsafeBufferPointer {
                EVP_MAC_init(context, $0.baseAddress, $0.count, nil)
            }, "EVP_MAC_init")
        return context
    }()

    deinit { EVP_MAC_CTX_free(context) }

    /// Writes as many bytes as `output` has; it may overlap the key or the messages.
    /// - Parameter key: 4 to 512 bytes.
    func compute(
        key: UnsafeRawBufferPointer, _ customization: Customization, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        _ third: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
        into output: UnsafeMutableRawBufferPointer
    ) {
        precondition(Self.keySizes.contains(key.count), "the key of a KMAC has 4 to 512 bytes")
        var size = output.count
        let text = customization.text
        withUnsafeMutablePointer(to: &size) { size in
            withUnsafeTemporaryAllocation(of: OSSL_PARAM.self, capacity: 3) { parameters in
                // The type says "pointer to mutable", but OpenSSL only reads both values.
                parameters.initializeElement(
                    at: 0,
                    to: OSSL_PARAM_construct_octet_string(
                        cString("custom"), UnsafeMutableRawPointer(mutating: text.utf8Start), text.utf8CodeUnitCount))
                parameters.initializeElement(at: 1, to: OSSL_PARAM_construct_size_t(cString("size"), size))
                parameters.initializeElement(at: 2, to: OSSL_PARAM_construct_end())
                OpenSSL.must(EVP_MAC_init(context, key.octets, key.count, parameters.baseAddress), "EVP_MAC_init")
            }
        }
        update(first)
        update(second)
        update(third)
        var length = 0
        OpenSSL.must(EVP_MAC_final(context, output.octets, &length, output.count), "EVP_MAC_final")
    }

    private func update(_ part: UnsafeRawBufferPointer) {
        guard part.count > 0 else { return }
        OpenSSL.must(EVP_MAC_update(context, part.octets, part.count), "EVP_MAC_update")
    }

    /// The 32 bytes of one computation over public data.
    static func code<Purpose>(_ key: Key256<Purpose>, _ customization: Customization, _ data: Data) -> Data {
        var output = Data(count: 32)
        output.withUnsafeMutableBytes { output in
            key.withUnsafeBytes { key in
                data.withUnsafeBytes { KMAC256().compute(key: key, customization, $0, into: output) }
            }
        }
        return output
    }
}

/// SHA3-256 (protocol-4.md, section 2).
enum SHA3 {
    /// 32 bytes.
    static func sha256(_ data: Data) -> Data {
        var output = Data(count: 32)
        output.withUnsafeMutableBytes { output in data.withUnsafeBytes { sha256($0, into: output) } }
        return output
    }

    static func sha256(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        OpenSSL.must(
            EVP_Digest(input.baseAddress, input.count, output.octets, nil, OpenSSL.sha3of256, nil), "EVP_Digest")
    }
}

/// HMAC-SHA384, for HPKE and for the request of a temporary key.
enum HMACSHA384 {
    /// 48 bytes.
    static func code(
        key: UnsafeRawBufferPointer, _ data: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        let written = withUnsafeBytes(of: UInt8(0)) { anything in
            // A null key would mean "no key" to OpenSSL, an empty key has to be given.
            EVP_Q_mac(
                nil, cString("HMAC"), nil, cString("SHA384"), nil, key.baseAddress ?? anything.baseAddress, key.count,
                data.octets, data.count, output.octets, output.count, nil)
        }
        OpenSSL.must(written == nil ? 0 : 1, "EVP_Q_mac")
    }
}
