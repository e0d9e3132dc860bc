// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import PowerAuthProtocol

/// Password, biometry, external encryption key and vault (protocol.md, sections 13 and 14).
extension PowerAuthCoreSession {
    /// Locks the knowledge factor key with a new password, without asking the server.
    ///
    /// A wrong old password cannot be recognised and silently destroys the factor key; validate it with the server first.
    /// - Returns: `false` without an activation, if a password is shorter than 4 bytes, or if the external encryption key
    ///   does not match the activation.
    public func changeUserPassword(_ oldPassword: PowerAuthCorePassword, newPassword: PowerAuthCorePassword) -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in
                try machine.changePassword(from: oldPassword, to: newPassword)
            }
        } != nil
    }

    /// Adds, or replaces, the biometry factor.
    /// - Parameters:
    ///   - vaultKey: Base64 of the encrypted vault key from the server.
    ///   - keys: Possession and biometry unlock keys.
    public func addBiometryFactor(_ vaultKey: String, keys: PowerAuthCoreSignatureUnlockKeys) -> Bool {
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in
                try machine.addBiometryFactor(vaultKey: vaultKey, keys: keys)
            }
        } != nil
    }

    /// Whether the activation has a biometry factor.
    public func hasBiometryFactor() -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in try machine.hasBiometryFactor() }
        } ?? false
    }

    /// Drops the biometry factor. Without one it succeeds.
    /// - Returns: `false` without an activation.
    @discardableResult
    public func removeBiometryFactor() -> Bool {
        logged { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.removeBiometryFactor() }
        } != nil
    }

    // MARK: Vault

    /// Derives a key that only this activation and the server can know.
    /// - Parameters:
    ///   - vaultKey: Base64 of the encrypted vault key from the server.
    ///   - keys: Possession unlock key.
    ///   - keyIndex: Number of the key.
    /// - Returns: 16 bytes.
    public func deriveCryptographicKey(
        fromVaultKey vaultKey: String, keys: PowerAuthCoreSignatureUnlockKeys, keyIndex: UInt64
    ) -> Data? {
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.deriveKey(index: keyIndex, vaultKey: vaultKey, keys: keys)
            }
        }
    }

    /// Signs data with the private key of the device.
    /// - Parameters:
    ///   - vaultKey: Base64 of the encrypted vault key from the server.
    ///   - keys: Possession unlock key.
    ///   - data: Bytes to sign.
    ///   - format: Format of the ECDSA signature.
    public func signData(
        withDevicePrivateKey vaultKey: String, keys: PowerAuthCoreSignatureUnlockKeys, data: Data,
        format: PowerAuthCoreSignatureFormat
    ) -> Data? {
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.signWithDeviceKey(data, vaultKey: vaultKey, keys: keys, format: format)
            }
        }
    }

    /// Signs a request for a certificate with the private key of the device.
    /// - Parameters:
    ///   - vaultKey: Base64 of the encrypted vault key from the server.
    ///   - keys: Possession unlock key.
    ///   - request: The names that the certificate is for.
    /// - Returns: The complete request in DER.
    package func signCertificateRequest(
        withDevicePrivateKey vaultKey: String, keys: PowerAuthCoreSignatureUnlockKeys, request: CertificateRequest
    ) -> Data? {
        let keys = UnlockKeys(keys)
        return logged { () throws(PowerAuthCoreErrorCode) in
            try read { machine throws(PowerAuthCoreErrorCode) in
                try machine.signWithDeviceKey(request, vaultKey: vaultKey, keys: keys)
            }
        }
    }

    // MARK: External encryption key

    /// `true` if an external encryption key is set in memory. It does not depend on the activation.
    public var hasExternalEncryptionKey: Bool {
        (try? read { machine in machine.externalEncryptionKey != nil }) ?? false
    }

    /// Provides the external encryption key before an activation, or to an activation that uses one.
    /// - Parameter externalEncryptionKey: 16 bytes.
    public func setExternalEncryptionKey(_ externalEncryptionKey: Data) -> PowerAuthCoreErrorCode {
        code { () throws(PowerAuthCoreErrorCode) in
            try readMutating { machine throws(PowerAuthCoreErrorCode) in
                try machine.setExternalEncryptionKey(externalEncryptionKey)
            }
        }
    }

    /// Protects the factor keys of an activation with an external encryption key from now on.
    /// - Parameter externalEncryptionKey: 16 bytes.
    public func addExternalEncryptionKey(_ externalEncryptionKey: Data) -> PowerAuthCoreErrorCode {
        code { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in
                try machine.addExternalEncryptionKey(externalEncryptionKey)
            }
        }
    }

    /// Removes the protection by the external encryption key; the key must be set.
    public func removeExternalEncryptionKey() -> PowerAuthCoreErrorCode {
        code { () throws(PowerAuthCoreErrorCode) in
            try write { machine throws(PowerAuthCoreErrorCode) in try machine.removeExternalEncryptionKey() }
        }
    }

    /// Brings back the key in memory from before a change of the state that could not be stored. The state is not touched.
    /// - Parameter key: The key before the change; `nil` for none.
    package func restoreExternalEncryptionKey(_ key: Data?) {
        let key = key.flatMap { try? ExternalEncryptionKey($0) }
        try? readMutating { machine in machine.externalEncryptionKey = key }
    }

    private func code(_ body: () throws(PowerAuthCoreErrorCode) -> Void) -> PowerAuthCoreErrorCode {
        do {
            try body()
            return .ok
        } catch {
            return error
        }
    }
}
