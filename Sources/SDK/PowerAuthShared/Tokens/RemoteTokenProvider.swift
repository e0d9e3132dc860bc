/// Where a token store gets tokens that it does not have: the server for an application, the phone for a watch.
package protocol RemoteTokenProvider: AnyObject, Sendable {
    /// Asks for a token.
    ///
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - completion: called exactly once, from any thread, unless the returned task was cancelled. The record's
    ///     `activationId` is the one of the request.
    /// - Returns: the task that a cancel of the last caller cancels.
    func requestToken(
        _ request: RemoteTokenRequest, completion: @escaping @Sendable (TaskResult<TokenRecord>) -> Void
    ) -> any PowerAuthOperationTask

    /// Removes a token where it came from.
    ///
    /// - Parameters:
    ///   - record: the local record.
    ///   - completion: called exactly once, from any thread; success means that the token was removed there.
    /// - Returns: the task, or nil when the completion was called before the return.
    func removeToken(
        _ record: TokenRecord, completion: @escaping @Sendable (TaskResult<Void>) -> Void
    ) -> (any PowerAuthOperationTask)?
}

/// One request for a token.
package struct RemoteTokenRequest: Sendable {
    /// Symbolic name.
    package let name: String
    /// Identifier of the activation when the request was made.
    package let activationId: String
    /// The factors; nil on a watch.
    package let authentication: PowerAuthAuthentication?
    /// Looks for a local record once more. To be called when the request has got the queue lock and before it is
    /// built: another application may have made the token meanwhile, and a second one would stay on the server
    /// without an owner (sharing.md, D29). A record that it returns is the result.
    package let existingRecord: @Sendable () -> TokenRecord?
}
