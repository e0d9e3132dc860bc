public import Foundation

/// Validating and changing the password (sdk.md, section 5.9).
extension PowerAuthSDK {
    /// Asks the server whether the password is right; a wrong one counts as a failed attempt.
    ///
    /// - Parameters:
    ///   - password: the password.
    ///   - callback: takes nil, or an error: `missingActivation` without an activation, `networkError` (with the HTTP
    ///     status 401) for a wrong password.
    /// - Returns: the task, never nil.
    @discardableResult
    public func validatePassword(
        password: String, callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        validatePassword(password: PowerAuthCorePassword(string: password), callback: callback)
    }

    /// As ``validatePassword(password:callback:)-(String,_)`` with a password object.
    @discardableResult
    public func validatePassword(
        password: PowerAuthCorePassword, callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        validate(password, then: { _ in .success(()) }, callback: callback)
    }

    /// Validates the old password with the server, then replaces it.
    ///
    /// - Parameters:
    ///   - oldPassword: the password in use.
    ///   - newPassword: at least 4 bytes.
    ///   - callback: takes nil, or an error as ``validatePassword(password:callback:)-(String,_)``, or
    ///     `invalidActivationState` when the new password cannot be used or stored.
    /// - Returns: the task, never nil.
    @discardableResult
    public func changePassword(
        from oldPassword: String, to newPassword: String, callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        changePassword(
            from: PowerAuthCorePassword(string: oldPassword), to: PowerAuthCorePassword(string: newPassword),
            callback: callback)
    }

    /// As the other form, with password objects.
    @discardableResult
    public func changePassword(
        from oldPassword: PowerAuthCorePassword, to newPassword: PowerAuthCorePassword,
        callback: @escaping (NSError?) -> Void
    ) -> (any PowerAuthOperationTask)? {
        validate(
            oldPassword,
            then: { session in
                Result { () throws(NSError) in
                    try nsError {
                        try session.write { core in
                            guard core.changeUserPassword(oldPassword, newPassword: newPassword) else {
                                throw NSError.powerAuth(.invalidActivationState)
                            }
                        }
                    }
                }
            }, callback: callback)
    }

    /// Replaces the password without asking the server. A wrong old password destroys the knowledge factor unnoticed.
    ///
    /// - Returns: false without an activation, for a password shorter than 4 bytes, or when the result cannot be stored.
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
        session.writeBoolTask { $0.changeUserPassword(oldPassword, newPassword: newPassword) }
    }

    /// Lets the server validate the password, and runs a local step after it has succeeded.
    private func validate(
        _ password: PowerAuthCorePassword,
        then step: @escaping @Sendable (any SessionInterface) -> TaskResult<Void>,
        callback: @escaping (NSError?) -> Void
    ) -> any PowerAuthOperationTask {
        let task = OperationTask<Void> { result in
            switch result {
            case .success: callback(nil)
            case .failure(let error): callback(error)
            }
        }
        let request = RestRequest(
            .validateSignature, authentication: .possessionWithPassword(password: password)
        ) { _ in ["reason": "VALIDATE_PASSWORD"] }
        let session = session
        task.add(client.post(request) { result in task.complete(result.flatMap { _ in step(session) }) })
        return task
    }
}
