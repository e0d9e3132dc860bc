// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import PowerAuthProtocol

/// What the algorithms have in common: errors of the protocol instead of swift-crypto's, and secrets in wiped memory.
///
/// swift-crypto keeps the seed and the expanded form of a private key in memory that it does not wipe; a shared secret it
/// does wipe.
enum SwiftCrypto {
    /// Runs what can only fail for lack of entropy or memory.
    static func run<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw ProtocolError.cryptographicFailure("swift-crypto: \(error)") }
    }

    /// Reads a public key.
    static func publicKey<Key>(_ algorithm: LatticeAlgorithm, _ body: () throws -> Key) throws -> Key {
        do { return try body() } catch { throw ProtocolError.invalidKey("\(algorithm.rawValue) public key") }
    }

    /// Lends a seed in the form that swift-crypto takes, and wipes that copy.
    static func withSeed<Result>(_ seed: SecretBytes, _ size: Int, _ body: (Data) throws -> Result) throws -> Result {
        guard seed.count == size else {
            throw ProtocolError.invalidLength(field: "seed", expected: "\(size) bytes", actual: seed.count)
        }
        var data = seed.rawData
        defer { wipe(&data) }
        return try run { try body(data) }
    }

    static func requireSize(of ciphertext: Data, _ algorithm: LatticeAlgorithm) throws {
        guard ciphertext.count == algorithm.outputSize else {
            throw ProtocolError.invalidLength(
                field: "\(algorithm.rawValue) cipher text", expected: "\(algorithm.outputSize) bytes",
                actual: ciphertext.count)
        }
    }

    static func bytes(of key: Crypto.SymmetricKey) -> SecretBytes {
        key.withUnsafeBytes { bytes in SecretBytes(count: bytes.count) { $0.copyMemory(from: bytes) } }
    }

    static func bytes(of result: KEM.EncapsulationResult) -> (ciphertext: Data, secret: SecretBytes) {
        (result.encapsulated, bytes(of: result.sharedSecret))
    }
}
