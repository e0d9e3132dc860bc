// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import PowerAuth2
public import PowerAuthCore
public import PowerAuthShared
import SimulatedDevice

/// The operations with a callback, for callers that wait.
///
/// Each function throws what the callback would take as an error, an `NSError`. A cancel of the caller's task cancels the
/// operation and throws `CancellationError` at once. No thread of the concurrency runtime is held, but the callbacks behind
/// come on the main queue, so the process must serve it.
extension PowerAuthSDK {
    // MARK: Activation

    /// As ``createActivation(_:callback:)``; do not change the activation object while waiting.
    public func createActivation(_ activation: PowerAuthActivation) async throws -> PowerAuthActivationResult {
        let activation = UncheckedTransfer(activation)
        return try await awaitValue { self.createActivation(activation.value, callback: $0) }
    }

    /// As ``persistActivation(with:callback:)``.
    public func persistActivation(with authentication: PowerAuthAuthentication) async throws {
        try await awaitCompletion { self.persistActivation(with: authentication, callback: $0) }
    }

    /// As ``persistActivation(withPassword:callback:)-(String,_)``.
    public func persistActivation(withPassword password: String) async throws {
        try await persistActivation(with: .persistWithPassword(password: password))
    }

    /// As ``persistActivation(withPassword:callback:)-(PowerAuthCorePassword,_)``.
    public func persistActivation(withPassword password: PowerAuthCorePassword) async throws {
        try await persistActivation(with: .persistWithPassword(password: password))
    }

    /// As ``fetchActivationStatus(callback:)``.
    public func fetchActivationStatus() async throws -> PowerAuthActivationStatus {
        try await awaitValue { self.fetchActivationStatus(callback: $0) }
    }

    /// As ``removeActivation(with:callback:)``.
    public func removeActivation(with authentication: PowerAuthAuthentication) async throws {
        try await awaitCompletion { self.removeActivation(with: authentication, callback: $0) }
    }

    /// As ``startProtocolUpgrade(with:biometry:callback:)``.
    public func startProtocolUpgrade(
        with authentication: PowerAuthAuthentication, biometry: PowerAuthAuthentication? = nil
    ) async throws {
        try await awaitCompletion {
            self.startProtocolUpgrade(with: authentication, biometry: biometry, callback: $0)
        }
    }

    // MARK: Password and biometry

    /// As ``validatePassword(password:callback:)-(String,_)``.
    public func validatePassword(password: String) async throws {
        try await validatePassword(password: PowerAuthCorePassword(string: password))
    }

    /// As ``validatePassword(password:callback:)-(PowerAuthCorePassword,_)``.
    public func validatePassword(password: PowerAuthCorePassword) async throws {
        try await awaitCompletion { self.validatePassword(password: password, callback: $0) }
    }

    /// As ``changePassword(from:to:callback:)-(String,_,_)``.
    public func changePassword(from oldPassword: String, to newPassword: String) async throws {
        try await changePassword(
            from: PowerAuthCorePassword(string: oldPassword), to: PowerAuthCorePassword(string: newPassword))
    }

    /// As ``changePassword(from:to:callback:)-(PowerAuthCorePassword,_,_)``.
    public func changePassword(
        from oldPassword: PowerAuthCorePassword, to newPassword: PowerAuthCorePassword
    ) async throws {
        try await awaitCompletion { self.changePassword(from: oldPassword, to: newPassword, callback: $0) }
    }

    /// As ``beginPasswordChange(from:callback:)-(PowerAuthCorePassword,_)``.
    public func beginPasswordChange(from oldPassword: PowerAuthCorePassword) async throws -> PowerAuthPasswordChange {
        try await awaitValue { self.beginPasswordChange(from: oldPassword, callback: $0) }
    }

    /// As ``addBiometryFactor(password:callback:)-(String,_)``.
    public func addBiometryFactor(password: String) async throws {
        try await addBiometryFactor(password: PowerAuthCorePassword(string: password))
    }

    /// As ``addBiometryFactor(password:callback:)-(PowerAuthCorePassword,_)``.
    public func addBiometryFactor(password: PowerAuthCorePassword) async throws {
        try await awaitCompletion { self.addBiometryFactor(password: password, callback: $0) }
    }

    /// As ``removeBiometryFactor(callback:)``.
    public func removeBiometryFactor() async throws {
        try await awaitCompletion { self.removeBiometryFactor(callback: $0) }
    }

    /// As ``authenticateUsingBiometry(withPrompt:callback:)``. A cancel of the caller's task closes the dialog.
    public func authenticateUsingBiometry(withPrompt prompt: String) async throws -> PowerAuthAuthentication {
        try await base.authenticateUsingBiometry(withPrompt: prompt)
    }

    // MARK: Vault and encryption

    /// As ``fetchSecureVaultKey(_:with:callback:)``.
    public func fetchSecureVaultKey(
        _ key: PowerAuthSecureVaultKey, with authentication: PowerAuthAuthentication
    ) async throws -> Data {
        try await awaitValue { self.fetchSecureVaultKey(key, with: authentication, callback: $0) }
    }

    /// As ``signData(withDevicePrivateKey:key:data:callback:)``.
    public func signData(
        withDevicePrivateKey authentication: PowerAuthAuthentication, key: PowerAuthDeviceKey = .ecdsa, data: Data
    ) async throws -> Data {
        try await awaitValue {
            self.signData(withDevicePrivateKey: authentication, key: key, data: data, callback: $0)
        }
    }

    /// As ``signJws(withDevicePrivateKey:claims:callback:)``.
    public func signJws(
        withDevicePrivateKey authentication: PowerAuthAuthentication, claims: [String: Any]
    ) async throws -> String {
        let claims = UncheckedTransfer(claims)
        return try await awaitValue {
            self.signJws(withDevicePrivateKey: authentication, claims: claims.value, callback: $0)
        }
    }

    /// As ``createSignedCSR(with:distinguishedNames:subjectAltNames:callback:)``.
    public func createSignedCSR(
        with authentication: PowerAuthAuthentication, distinguishedNames: [String: String], subjectAltNames: [String]?
    ) async throws -> String {
        try await awaitValue {
            self.createSignedCSR(
                with: authentication, distinguishedNames: distinguishedNames, subjectAltNames: subjectAltNames,
                callback: $0)
        }
    }

    /// As ``encryptorForApplicationScope(callback:)``.
    public func encryptorForApplicationScope() async throws -> PowerAuthEncryptor {
        try await awaitValue { self.encryptorForApplicationScope(callback: $0) }
    }

    /// As ``encryptorForActivationScope(callback:)``.
    public func encryptorForActivationScope() async throws -> PowerAuthEncryptor {
        try await awaitValue { self.encryptorForActivationScope(callback: $0) }
    }

    // MARK: User and server

    /// As ``fetchUserInfo(callback:)``.
    public func fetchUserInfo() async throws -> PowerAuthUserInfo {
        try await awaitValue { self.fetchUserInfo(callback: $0) }
    }

    /// As ``fetchServerStatus(callback:)``.
    public func fetchServerStatus() async throws -> PowerAuthServerStatus {
        try await awaitValue { self.fetchServerStatus(callback: $0) }
    }
}
