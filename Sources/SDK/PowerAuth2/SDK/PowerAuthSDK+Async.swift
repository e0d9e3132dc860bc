// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LocalAuthentication
public import PowerAuthShared
import SimulatedDevice
import Synchronization

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

    /// As `fetchActivationStatus(callback:)`, whose callback takes status and error.
    public func fetchActivationStatus() async throws -> PowerAuthActivationStatus {
        try await awaitValue { callback in self.fetchActivationStatus { status, error in callback(status, error) } }
    }

    /// As ``removeActivation(with:callback:)``.
    public func removeActivation(with authentication: PowerAuthAuthentication) async throws {
        try await awaitCompletion { self.removeActivation(with: authentication, callback: $0) }
    }

    // MARK: Password

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

    // MARK: Biometry

    /// As ``addBiometryFactor(password:callback:)-(String,_)``.
    public func addBiometryFactor(password: String) async throws {
        try await addBiometryFactor(password: PowerAuthCorePassword(string: password))
    }

    /// As ``addBiometryFactor(password:callback:)-(PowerAuthCorePassword,_)``.
    public func addBiometryFactor(password: PowerAuthCorePassword) async throws {
        try await awaitCompletion { self.addBiometryFactor(password: password, callback: $0) }
    }

    /// As ``authenticateUsingBiometry(withPrompt:callback:)``. A cancel of the caller's task closes the dialog.
    public func authenticateUsingBiometry(withPrompt prompt: String) async throws -> PowerAuthAuthentication {
        try await authenticateUsingBiometry(withContext: context(withPrompt: prompt))
    }

    /// As ``authenticateUsingBiometry(withContext:callback:)``. A cancel of the caller's task closes the dialog: it
    /// invalidates the context.
    public func authenticateUsingBiometry(withContext context: LAContext) async throws -> PowerAuthAuthentication {
        try await awaitValue { callback in
            self.authenticateUsingBiometry(withContext: context, callback: callback)
            return OpenDialog(context)
        }
    }

    // MARK: Vault and encryption

    /// As ``fetchEncryptionKey(_:index:callback:)``.
    public func fetchEncryptionKey(_ authentication: PowerAuthAuthentication, index: UInt64) async throws -> Data {
        try await awaitValue { self.fetchEncryptionKey(authentication, index: index, callback: $0) }
    }

    /// As ``signData(withDevicePrivateKey:data:callback:)``.
    public func signData(
        withDevicePrivateKey authentication: PowerAuthAuthentication, data: Data?
    ) async throws -> Data {
        try await awaitValue { self.signData(withDevicePrivateKey: authentication, data: data, callback: $0) }
    }

    /// As ``signJwt(withDevicePrivateKey:claims:callback:)``.
    public func signJwt(
        withDevicePrivateKey authentication: PowerAuthAuthentication, claims: [String: Any]
    ) async throws -> String {
        let claims = UncheckedTransfer(claims)
        return try await awaitValue {
            self.signJwt(withDevicePrivateKey: authentication, claims: claims.value, callback: $0)
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

    /// As ``activationRecoveryData(_:callback:)``.
    public func activationRecoveryData(
        _ authentication: PowerAuthAuthentication
    ) async throws -> PowerAuthActivationRecoveryData {
        try await awaitValue { self.activationRecoveryData(authentication, callback: $0) }
    }

    /// As ``confirmRecoveryCode(_:authentication:callback:)``.
    /// - Returns: true when the code was confirmed before.
    @discardableResult
    public func confirmRecoveryCode(
        _ recoveryCode: String, authentication: PowerAuthAuthentication
    ) async throws -> Bool {
        try await awaitValue { callback in
            self.confirmRecoveryCode(recoveryCode, authentication: authentication) { wasConfirmed, error in
                callback(error == nil ? wasConfirmed : nil, error)
            }
        }
    }

    /// As ``eciesEncryptorForApplicationScope(callback:)``.
    public func eciesEncryptorForApplicationScope() async throws -> PowerAuthCoreEciesEncryptor {
        try await awaitValue { self.eciesEncryptorForApplicationScope(callback: $0) }
    }

    /// As ``eciesEncryptorForActivationScope(callback:)``.
    public func eciesEncryptorForActivationScope() async throws -> PowerAuthCoreEciesEncryptor {
        try await awaitValue { self.eciesEncryptorForActivationScope(callback: $0) }
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

/// The dialog of a context, as a task that can be cancelled. Thread rule: any thread.
private final class OpenDialog: PowerAuthOperationTask {
    private let context: LAContext
    private let isClosed = Mutex(false)

    init(_ context: LAContext) { self.context = context }

    var isCancelled: Bool { isClosed.withLock { $0 } }

    func cancel() {
        isClosed.withLock { $0 = true }
        context.invalidate()
    }
}
