// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation
import PowerAuthProtocol

/// ML-KEM-768 of swift-crypto.
struct MLKEM768Parameters: LatticeKEM {
    let algorithm = LatticeAlgorithm.mlkem768

    func generateKey() throws -> any DecapsulationKey { Key(key: try SwiftCrypto.run { try MLKEM768.PrivateKey() }) }

    func key(seed: SecretBytes) throws -> any DecapsulationKey {
        Key(key: try SwiftCrypto.withSeed(seed, 64) { try MLKEM768.PrivateKey(seedRepresentation: $0, publicKey: nil) })
    }

    func encapsulate(to publicKey: Data) throws -> (ciphertext: Data, secret: SecretBytes) {
        let key = try SwiftCrypto.publicKey(algorithm) { try MLKEM768.PublicKey(rawRepresentation: publicKey) }
        return SwiftCrypto.bytes(of: try SwiftCrypto.run { try key.encapsulate() })
    }

    private struct Key: DecapsulationKey {
        let key: MLKEM768.PrivateKey

        var publicKey: Data { key.publicKey.rawRepresentation }

        func decapsulate(_ ciphertext: Data) throws -> SecretBytes {
            try SwiftCrypto.requireSize(of: ciphertext, .mlkem768)
            return SwiftCrypto.bytes(of: try SwiftCrypto.run { try key.decapsulate(ciphertext) })
        }
    }
}

/// ML-KEM-1024 of swift-crypto.
struct MLKEM1024Parameters: LatticeKEM {
    let algorithm = LatticeAlgorithm.mlkem1024

    func generateKey() throws -> any DecapsulationKey { Key(key: try SwiftCrypto.run { try MLKEM1024.PrivateKey() }) }

    func key(seed: SecretBytes) throws -> any DecapsulationKey {
        Key(
            key: try SwiftCrypto.withSeed(seed, 64) { try MLKEM1024.PrivateKey(seedRepresentation: $0, publicKey: nil) }
        )
    }

    func encapsulate(to publicKey: Data) throws -> (ciphertext: Data, secret: SecretBytes) {
        let key = try SwiftCrypto.publicKey(algorithm) { try MLKEM1024.PublicKey(rawRepresentation: publicKey) }
        return SwiftCrypto.bytes(of: try SwiftCrypto.run { try key.encapsulate() })
    }

    private struct Key: DecapsulationKey {
        let key: MLKEM1024.PrivateKey

        var publicKey: Data { key.publicKey.rawRepresentation }

        func decapsulate(_ ciphertext: Data) throws -> SecretBytes {
            try SwiftCrypto.requireSize(of: ciphertext, .mlkem1024)
            return SwiftCrypto.bytes(of: try SwiftCrypto.run { try key.decapsulate(ciphertext) })
        }
    }
}
