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
    nonisolated(unsafe) static let sha384 = fetched(EVP_MD_fetch(nil, "SHA384", nil), "SHA-384")
    nonisolated(unsafe) static let sha3of256 = fetched(EVP_MD_fetch(nil, "SHA3-256", nil), "SHA3-256")
    nonisolated(unsafe) static let sha1 = fetched(EVP_MD_fetch(nil, "SHA1", nil), "SHA-1")
    nonisolated(unsafe) static let hmac = fetched(EVP_MAC_fetch(nil, "HMAC", nil), "HMAC")
    nonisolated(unsafe) static let kmac = fetched(EVP_MAC_fetch(nil, "KMAC-256", nil), "KMAC-256")
    nonisolated(unsafe) static let aes256CTR = fetched(EVP_CIPHER_fetch(nil, "AES-256-CTR", nil), "AES-256-CTR")
    nonisolated(unsafe) static let aes128CBC = fetched(EVP_CIPHER_fetch(nil, "AES-128-CBC", nil), "AES-128-CBC")

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
