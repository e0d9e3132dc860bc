package import Foundation
package import SimulatedDevice

/// Where the unlock keys of the factors come from: the device's identity, the keychain, the caller (sdk.md, sections 9.9
/// and 10).
///
/// Safe to use from any thread. Reading may block; never inside a session task (sharing.md, D6).
package final class FactorKeySource: Sendable {
    private let sandbox: Sandbox
    private let possession: PowerAuthKeychain
    private let possessionAccount: String
    private let biometry: PowerAuthKeychain
    private let biometryAccount: String

    /// - Parameters:
    ///   - possession: the service with the possession key, and the key's account.
    ///   - biometry: the service with the biometry key, and the key's account.
    ///   - sandbox: the device.
    package init(
        possession: (keychain: PowerAuthKeychain, account: String),
        biometry: (keychain: PowerAuthKeychain, account: String), sandbox: Sandbox
    ) {
        self.sandbox = sandbox
        (self.possession, possessionAccount) = possession
        (self.biometry, biometryAccount) = biometry
    }

    /// Keys for what needs the possession factor or the transport key only.
    package func possessionKeys() throws(NSError) -> PowerAuthCoreSignatureUnlockKeys {
        PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: try possessionKey())
    }

    /// The keys and the factors for a signature.
    ///
    /// - Throws: 13 without any factor; 8, 9 or 10 when the biometry key is out of reach.
    package func keys(
        for authentication: PowerAuthAuthentication
    ) throws(NSError) -> (keys: PowerAuthCoreSignatureUnlockKeys, factor: PowerAuthCoreSignatureFactor) {
        let keys = PowerAuthCoreSignatureUnlockKeys()
        var factor: PowerAuthCoreSignatureFactor = []
        if authentication.usePossession {
            factor.insert(.possession)
            keys.possessionUnlockKey =
                if let given = authentication.overridenPossessionKey { given } else { try possessionKey() }
        }
        if let password = authentication.password {
            factor.insert(.knowledge)
            keys.userPassword = password
        }
        if authentication.useBiometry {
            factor.insert(.biometry)
            keys.biometryUnlockKey =
                if let given = authentication.overridenBiometryKey { given } else { try storedBiometryKey() }
        }
        guard !factor.isEmpty else { throw .powerAuth(.wrongParameter, "No authentication factor is selected.") }
        return (keys, factor)
    }

    /// The possession unlock key of the device, 16 bytes; made of the vendor identifier on first use.
    package func possessionKey() throws(NSError) -> Data {
        if let stored = possession.data(forKey: possessionAccount) { return stored }
        guard !sandbox.device.vendorIdentifier.isEmpty else {
            // The original would store a key made of nothing (sharing.md, D22).
            throw .powerAuth(.signatureError, "The device has no vendor identifier yet; unlock it first.")
        }
        let key = PowerAuthCoreSession.normalizeSignatureUnlockKey(from: Data(sandbox.device.vendorIdentifier.utf8))
        // Another application may have stored the same key in between; both values are equal.
        possession.addValue(key, forKey: possessionAccount)
        return key
    }

    private func storedBiometryKey() throws(NSError) -> Data {
        guard PowerAuthKeychain.canUseBiometricAuthentication else { throw .powerAuth(.biometryNotAvailable) }
        var found: Data?
        let isExecuted = PowerAuthKeychain.tryLockBiometryAndExecute { found = biometry.data(forKey: biometryAccount) }
        guard isExecuted else { throw .powerAuth(.biometryCancel) }
        guard let found else { throw .powerAuth(.biometryFailed, "Biometric key not found") }
        return found
    }

    // MARK: The biometry item

    /// Tells whether a biometry key is stored, without opening a dialog.
    package var hasBiometryKey: Bool { biometry.containsData(forKey: biometryAccount) }

    /// Replaces the stored biometry key.
    ///
    /// - Returns: false when the device cannot protect it with biometry.
    package func storeBiometryKey(_ key: Data, access: PowerAuthKeychainItemAccess) -> Bool {
        biometry.deleteData(forKey: biometryAccount)
        return biometry.addValue(key, forKey: biometryAccount, access: access) == .ok
    }

    /// Deletes the stored biometry key.
    package func removeBiometryKey() {
        biometry.deleteData(forKey: biometryAccount)
    }
}
