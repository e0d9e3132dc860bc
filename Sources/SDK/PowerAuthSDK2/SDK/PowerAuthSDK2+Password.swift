// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuth2
public import PowerAuthCore
import PowerAuthProtocol
public import PowerAuthShared

/// Validating and changing the password (protocol-4.md, section 12).
extension PowerAuthSDK {
    /// Asks the server whether the password is right; a wrong one counts as a failed attempt.
    /// - Parameters:
    ///   - password: the password.
    ///   - callback: takes nil, or an error: `missingActivation` without an activation, `networkError` (with the HTTP
    ///     status 401) for a wrong password.
    /// - Returns: the task, never nil.
    @discardableResult
    public func validatePassword(
        password: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        validatePassword(password: PowerAuthCorePassword(string: password), callback: callback)
    }

    /// As ``validatePassword(password:callback:)-(String,_)`` with a password object.
    @discardableResult
    public func validatePassword(
        password: PowerAuthCorePassword, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        base.validatePassword(
            password, by: hasVersion4Activation ? .validateCode : .validateSignature, callback: callback)
    }

    /// Replaces the password. The server takes part in protocol 4: device and server agree on another knowledge key. After
    /// a lost answer the old password stays the right one.
    /// - Parameters:
    ///   - oldPassword: the password in use.
    ///   - newPassword: 4 to 512 bytes.
    ///   - callback: takes nil, or an error. Before the function returns: `missingActivation` without an activation,
    ///     `wrongParameter` for a new password that cannot be used. Later: `networkError` (with the HTTP status 401) for a
    ///     wrong old password, `invalidActivationState`, `signatureError`, `encryption`, `timeSynchronization`, or one of
    ///     the transport.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func changePassword(
        from oldPassword: String, to newPassword: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        changePassword(
            from: PowerAuthCorePassword(string: oldPassword), to: PowerAuthCorePassword(string: newPassword),
            callback: callback)
    }

    /// As the other form, with password objects.
    @discardableResult
    public func changePassword(
        from oldPassword: PowerAuthCorePassword, to newPassword: PowerAuthCorePassword,
        callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        let change: PasswordChangeV4
        do throws(NSError) {
            try requireActivation()
            guard hasVersion4Activation else {
                return base.changePassword(from: oldPassword, to: newPassword, callback: callback)
            }
            change = try sdkError { try base.session.read { core in try core.passwordChangeV4(to: newPassword) } }
        } catch {
            callback(error)
            return nil
        }
        let task = OperationTask<Void>(callback)
        let request = RestRequest(
            .changePassword, authentication: .possessionWithPassword(password: oldPassword)
        ) { _ in try RestRequest.object(change.request) }
        let step = LocalStep<Void>.write { core, response in
            try sdkError { try core.finish(change, with: response.decode(SharedSecretResponse.self)) }
        }
        task.add(base.client.post(request, step) { task.complete($0) })
        return task
    }

    /// Begins a change of the password: asks the server whether the old one is right, so that the user is asked for the new
    /// one only then.
    /// - Parameters:
    ///   - oldPassword: the password in use; do not clear it before the change has ended.
    ///   - callback: takes the change, or an error as ``validatePassword(password:callback:)-(String,_)``.
    /// - Returns: the task, never nil.
    @discardableResult
    public func beginPasswordChange(
        from oldPassword: PowerAuthCorePassword, callback: @escaping (PowerAuthPasswordChange?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        validatePassword(password: oldPassword) { error in
            callback(error == nil ? PowerAuthPasswordChange(sdk: self, oldPassword: oldPassword) : nil, error)
        }
    }

    /// As ``beginPasswordChange(from:callback:)-(PowerAuthCorePassword,_)`` with a text.
    @discardableResult
    public func beginPasswordChange(
        from oldPassword: String, callback: @escaping (PowerAuthPasswordChange?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        beginPasswordChange(from: PowerAuthCorePassword(string: oldPassword), callback: callback)
    }
}

/// A change of the password whose old password the server has confirmed. Immutable. Thread rule: any thread.
public final class PowerAuthPasswordChange: Sendable {
    private let sdk: PowerAuthSDK
    private let oldPassword: PowerAuthCorePassword

    init(sdk: PowerAuthSDK, oldPassword: PowerAuthCorePassword) {
        self.sdk = sdk
        self.oldPassword = oldPassword
    }

    /// Replaces the password; after a failure it may be called again.
    /// - Parameters:
    ///   - newPassword: 4 to 512 bytes.
    ///   - callback: as ``PowerAuthSDK/changePassword(from:to:callback:)-(PowerAuthCorePassword,_,_)``.
    /// - Returns: the task, or nil when the callback was called already.
    @discardableResult
    public func finish(
        newPassword: PowerAuthCorePassword, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        sdk.changePassword(from: oldPassword, to: newPassword, callback: callback)
    }

    /// As ``finish(newPassword:callback:)-(PowerAuthCorePassword,_)`` with a text.
    @discardableResult
    public func finish(
        newPassword: String, callback: @escaping ((any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        finish(newPassword: PowerAuthCorePassword(string: newPassword), callback: callback)
    }
}
