import Foundation
import PowerAuthProtocol

/// The keys that the server shares with one device, derived from both key pairs.
struct ActivationKeys: Sendable {
    let derived: DerivedKeys
    let serverPrivateKey: PrivateKey
}

/// Remembers derived keys: deriving them anew costs a scalar multiplication for every signature.
///
/// Thread rule: any thread; the lock is held for dictionary access only. Entries are found by both key pairs,
/// so an entry can never serve another device. Dropped keys wipe themselves.
final class ActivationKeyCache: @unchecked Sendable {
    private struct Key: Hashable {
        let serverPublicKey: Data
        let devicePublicKey: Data
    }

    private let capacity: Int
    private let lock = NSLock()
    // Guarded by `lock`, which is what makes the class safe to share.
    private var entries: [Key: ActivationKeys] = [:]

    /// - Parameter capacity: the number of activations whose keys are kept; the cache starts anew beyond it.
    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    /// The keys of an activation whose device is known.
    /// - Throws: `invalidKeyFormat` when a stored key does not decode.
    func keys(of activation: Activation, binding: DeviceBinding) throws -> ActivationKeys {
        let key = Key(serverPublicKey: activation.serverPublicKey, devicePublicKey: binding.devicePublicKey)
        if let known = lock.withLock({ entries[key] }) { return known }
        let keys = try derive(activation, binding)
        lock.withLock {
            if entries.count >= capacity { entries.removeAll() }
            entries[key] = keys
        }
        return keys
    }

    private func derive(_ activation: Activation, _ binding: DeviceBinding) throws -> ActivationKeys {
        do {
            let serverPrivateKey = try PrivateKey(bigEndian: activation.serverPrivateKey)
            let devicePublicKey = try PublicKey(encoded: binding.devicePublicKey)
            let masterSecret = try MasterSecretKey.derive(private: serverPrivateKey, public: devicePublicKey)
            return ActivationKeys(
                derived: DerivedKeys(masterSecret: masterSecret), serverPrivateKey: serverPrivateKey)
        } catch {
            throw ServiceError(.invalidKeyFormat, "stored keys of activation \(activation.id): \(error)")
        }
    }
}
