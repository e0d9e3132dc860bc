// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Synchronization

/// The keys that the server shares with one device, derived from both key pairs.
struct ActivationKeys: Sendable {
    let derived: DerivedKeys
    let serverPrivateKey: PrivateKey
    /// Eight digits that the device also shows.
    let fingerprint: String
}

/// Remembers derived keys: deriving them anew costs a scalar multiplication for every signature.
///
/// Thread rule: any thread; the mutex is held for dictionary access only. Entries are found by both key pairs,
/// so an entry can never serve another device. Dropped keys wipe themselves.
final class ActivationKeyCache: Sendable {
    private struct Key: Hashable {
        /// Part of the fingerprint.
        let activationId: Identifier
        let serverPublicKey: Data
        let devicePublicKey: Data
    }

    private let seal: RecordSeal
    private let entries: Mutex<RecentValues<Key, ActivationKeys>>

    /// - Parameter capacity: the number of activations whose keys are kept: those that were used last.
    init(_ seal: RecordSeal, capacity: Int = 4096) {
        self.seal = seal
        entries = Mutex(RecentValues(capacity: capacity))
    }

    /// The keys of an activation whose device is known.
    /// - Throws: `invalidKeyFormat` when a stored key does not decode; as ``RecordSeal/open(_:of:publicKey:)``.
    func keys(of activation: Activation, binding: DeviceBinding) throws -> ActivationKeys {
        let key = Key(
            activationId: activation.id, serverPublicKey: activation.serverPublicKey,
            devicePublicKey: binding.devicePublicKey)
        if let known = entries.withLock({ $0.value(for: key) }) { return known }
        let keys = try derive(activation, binding)
        entries.withLock { $0.keep(keys, for: key) }
        return keys
    }

    private func derive(_ activation: Activation, _ binding: DeviceBinding) throws -> ActivationKeys {
        let stored = try seal.serverPrivateKey(of: activation)
        do {
            let serverPrivateKey = try PrivateKey(bigEndian: stored)
            let devicePublicKey = try PublicKey(encoded: binding.devicePublicKey)
            let masterSecret = try MasterSecretKey.derive(private: serverPrivateKey, public: devicePublicKey)
            return ActivationKeys(
                derived: DerivedKeys(masterSecret: masterSecret), serverPrivateKey: serverPrivateKey,
                fingerprint: Fingerprint.v3(
                    device: devicePublicKey, activationId: activation.id.text,
                    server: try PublicKey(encoded: activation.serverPublicKey)))
        } catch {
            throw ServiceError(.invalidKeyFormat, "stored keys of activation \(activation.id): \(error)")
        }
    }
}
