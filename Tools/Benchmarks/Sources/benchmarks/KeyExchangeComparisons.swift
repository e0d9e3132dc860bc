// SPDX-License-Identifier: Apache-2.0

import EVPBaseline
import Foundation
import PowerAuthCore
import PowerAuthProtocol

/// The client's side of an activation, from the code to the locked keys (protocol.md, section 6.2).
func keyExchangeComparisons() throws -> [Comparison] {
    let client = try Client()
    let master = client.masterKey.publicKey.uncompressed
    let serverKey = client.serverKey.publicKey.uncompressed
    let code = ActivationCode.generate()
    let signature = try code.signature(by: client.masterKey)
    let counter = CounterData.random().rawData
    let activationId = Client.activationId
    let (possessionUnlock, knowledgeUnlock) = (UnlockKey.random(), UnlockKey.random())
    return [
        Comparison(
            name: "activation key exchange, client", goal: 1.10, repetitions: 5,
            subject: { count in for _ in 0..<count { try client.activate() } },
            baseline: { try checked(baseline_key_exchange($0, 10_000)) }),
        Comparison(
            name: "  the same without the password derivation", goal: nil, repetitions: 20,
            subject: { count in
                for _ in 0..<count {
                    guard code.isSigned(signature, by: try PublicKey(encoded: master)) else { throw ClientFailure() }
                    let deviceKey = try PrivateKey.generate()
                    let exchange = try ActivationKeyExchange(
                        deviceKey: deviceKey, activationId: activationId, serverPublicKey: serverKey,
                        counterData: counter)
                    let keys = exchange.keys
                    _ = Random.nonZeroBytes(UnlockKey.saltSize)
                    _ = try FactorKeyProtection.protect(keys.possession, unlockKey: possessionUnlock)
                    _ = try FactorKeyProtection.protect(keys.transport, unlockKey: possessionUnlock)
                    _ = try FactorKeyProtection.protect(keys.knowledge, unlockKey: knowledgeUnlock)
                    _ = try FactorKeyProtection.protect(keys.biometry, unlockKey: knowledgeUnlock)
                    _ = try Vault.seal(deviceKey, vaultKey: keys.vault)
                }
            },
            baseline: { try checked(baseline_key_exchange($0, 0)) }),
    ]
}
