// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Validating and changing the password (sdk.md, section 5.9).
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
        validatePassword(password, by: .validateSignature, callback: callback)
    }

    /// As ``validatePassword(password:callback:)-(PowerAuthCorePassword,_)``.
    /// - Parameter endpoint: the resource of the activation's protocol.
    package func validatePassword(
        _ password: PowerAuthCorePassword, by endpoint: RestEndpoint, callback: @escaping ((any Error)?) -> Void
    ) -> any PowerAuthOperationTask {
        validate(
            password, by: endpoint, then: .read { [client] core, _ in client.basis(in: core) }, callback: callback)
    }

    /// Validates the old password with the server, then replaces it.
    /// - Parameters:
    ///   - oldPassword: the password in use.
    ///   - newPassword: at least 4 bytes.
    ///   - callback: takes nil, or an error as ``validatePassword(password:callback:)-(String,_)``, or
    ///     `invalidActivationState` when the new password cannot be used or stored, or when another application has
    ///     changed the password while the server answered.
    /// - Returns: the task, never nil.
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
        validate(
            oldPassword,
            then: .write(dependingOn: [.knowledge]) { [client] core, _ in
                guard core.changeUserPassword(oldPassword, newPassword: newPassword) else {
                    throw NSError.powerAuth(.invalidActivationState)
                }
                return client.basis(in: core)
            }, callback: callback)
    }

    /// Replaces the password without asking the server. A wrong old password destroys the knowledge factor unnoticed.
    ///
    /// What the server has confirmed to ``validatePassword(password:callback:)-(String,_)`` holds for that activation and
    /// that password only: when another application has replaced either since, validate again (sharing.md, D30).
    /// - Returns: false without an activation, for a password shorter than 4 bytes, when the result cannot be stored, or
    ///   when the last validation was of another activation or password.
    @discardableResult
    public func unsafeChangePassword(from oldPassword: String, to newPassword: String) -> Bool {
        unsafeChangePassword(
            from: PowerAuthCorePassword(string: oldPassword), to: PowerAuthCorePassword(string: newPassword))
    }

    /// As the other form, with password objects.
    @discardableResult
    public func unsafeChangePassword(
        from oldPassword: PowerAuthCorePassword, to newPassword: PowerAuthCorePassword
    ) -> Bool {
        let basis = validatedPassword.withLock { $0 }
        do {
            let changed = try session.write(ifStill: basis, [.password]) { core in
                guard core.changeUserPassword(oldPassword, newPassword: newPassword) else {
                    throw NSError.powerAuth(.invalidActivationState)
                }
                return client.basis(in: core)
            }
            if basis != nil { validatedPassword.withLock { $0 = changed } }
            return true
        } catch {
            PowerAuthLog.write("The password is not changed: \((error as NSError).localizedDescription)")
            return false
        }
    }

    /// Lets the server validate the password, and runs a local step after it has succeeded.
    /// - Parameter step: gives the state whose password is the right one now.
    private func validate(
        _ password: PowerAuthCorePassword, by endpoint: RestEndpoint = .validateSignature,
        then step: LocalStep<ActivationSnapshot?>, callback: @escaping ((any Error)?) -> Void
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<Void> { result in
            switch result {
            case .success: callback(nil)
            case .failure(let error): callback(error)
            }
        }
        let request = RestRequest(
            endpoint, authentication: .possessionWithPassword(password: password)
        ) { _ in ["reason": "VALIDATE_PASSWORD"] }
        task.add(
            client.post(request, step) { [weak self] result in
                if let self, case .success(let state) = result { validatedPassword.withLock { $0 = state } }
                task.complete(result.map { _ in })
            })
        return task
    }
}
