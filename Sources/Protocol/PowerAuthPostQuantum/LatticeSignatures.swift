// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import PowerAuthProtocol

/// ML-DSA-65 of swift-crypto.
struct MLDSA65Parameters: LatticeSignature {
    let algorithm = LatticeAlgorithm.mldsa65

    func generateKey() throws -> any LatticeSigningKey { Key(key: try SwiftCrypto.run { try MLDSA65.PrivateKey() }) }

    func key(seed: SecretBytes) throws -> any LatticeSigningKey {
        Key(key: try SwiftCrypto.withSeed(seed, 32) { try MLDSA65.PrivateKey(seedRepresentation: $0, publicKey: nil) })
    }

    func publicKey(_ bytes: Data) throws -> any LatticeVerificationKey {
        PublicKey(key: try SwiftCrypto.publicKey(algorithm) { try MLDSA65.PublicKey(rawRepresentation: bytes) })
    }

    private struct Key: LatticeSigningKey {
        let key: MLDSA65.PrivateKey

        var seed: SecretBytes { SecretBytes(key.seedRepresentation) }
        var publicKey: any LatticeVerificationKey { PublicKey(key: key.publicKey) }

        func sign(_ message: Data) throws -> Data { try SwiftCrypto.run { try key.signature(for: message) } }
    }

    private struct PublicKey: LatticeVerificationKey {
        let key: MLDSA65.PublicKey

        var bytes: Data { key.rawRepresentation }

        func verify(signature: Data, of message: Data) -> Bool { key.isValidSignature(signature, for: message) }
    }
}

/// ML-DSA-87 of swift-crypto.
struct MLDSA87Parameters: LatticeSignature {
    let algorithm = LatticeAlgorithm.mldsa87

    func generateKey() throws -> any LatticeSigningKey { Key(key: try SwiftCrypto.run { try MLDSA87.PrivateKey() }) }

    func key(seed: SecretBytes) throws -> any LatticeSigningKey {
        Key(key: try SwiftCrypto.withSeed(seed, 32) { try MLDSA87.PrivateKey(seedRepresentation: $0, publicKey: nil) })
    }

    func publicKey(_ bytes: Data) throws -> any LatticeVerificationKey {
        PublicKey(key: try SwiftCrypto.publicKey(algorithm) { try MLDSA87.PublicKey(rawRepresentation: bytes) })
    }

    private struct Key: LatticeSigningKey {
        let key: MLDSA87.PrivateKey

        var seed: SecretBytes { SecretBytes(key.seedRepresentation) }
        var publicKey: any LatticeVerificationKey { PublicKey(key: key.publicKey) }

        func sign(_ message: Data) throws -> Data { try SwiftCrypto.run { try key.signature(for: message) } }
    }

    private struct PublicKey: LatticeVerificationKey {
        let key: MLDSA87.PublicKey

        var bytes: Data { key.rawRepresentation }

        func verify(signature: Data, of message: Data) -> Bool { key.isValidSignature(signature, for: message) }
    }
}
