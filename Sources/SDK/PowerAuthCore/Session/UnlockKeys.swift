import Foundation
import PowerAuthProtocol

/// A snapshot of the caller's ``PowerAuthCoreSignatureUnlockKeys``, with the rules for their content (protocol.md,
/// section 14.1).
struct UnlockKeys: Sendable {
    private let possessionKey: Data?
    private let transportKey: Data?
    private let biometryKey: Data?
    private let password: PowerAuthCorePassword?

    init(_ keys: PowerAuthCoreSignatureUnlockKeys) {
        possessionKey = keys.possessionUnlockKey
        transportKey = keys.transportUnlockKey ?? keys.possessionUnlockKey
        biometryKey = keys.biometryUnlockKey
        password = keys.userPassword
    }

    var hasBiometryKey: Bool { biometryKey != nil }

    /// The possession unlock key, which unlocks the transport key too; `nil` if it is missing, does not have 16 bytes or is
    /// all zero.
    var possession: UnlockKey? { possessionKey.flatMap { try? UnlockKey(validating: $0) } }

    /// The key that protects the transport key of a new activation, under the same rules.
    var transport: UnlockKey? { transportKey.flatMap { try? UnlockKey(validating: $0) } }

    /// The biometry unlock key under the same rules.
    var biometry: UnlockKey? { biometryKey.flatMap { try? UnlockKey(validating: $0) } }

    /// The key derived from the password; `nil` if it is missing or shorter than 4 bytes.
    func knowledge(salt: Data, iterations: UInt32 = ActivationRecord.passwordIterations) -> UnlockKey? {
        password.flatMap {
            try? UnlockKey.knowledge(password: $0.plainBytes(), salt: salt, iterations: Int(iterations))
        }
    }
}
