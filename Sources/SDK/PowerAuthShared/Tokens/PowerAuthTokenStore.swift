// SPDX-License-Identifier: Apache-2.0

/// The tokens of one activation (sdk.md, section 5.19).
///
/// Thread rule: any thread. Where a function says "before it returns", the completion runs on the calling thread;
/// otherwise on the main queue.
public protocol PowerAuthTokenStore: AnyObject {
    /// True when there is an activation.
    func canRequestForAccessToken() -> Bool

    /// Gives the token with a name, asking the server when it is not stored.
    /// - Parameters:
    ///   - name: the token's name, not empty.
    ///   - authentication: the factors; a stored token must have been made with the same.
    ///   - completion: takes the token, or an error with the code `wrongParameter`, `missingActivation` or
    ///     `invalidToken`, or one of the request. A stored token and an early error arrive before the function returns.
    /// - Returns: the task, or nil when the completion was called already.
    @discardableResult
    func requestAccessToken(
        withName name: String, authentication: PowerAuthAuthentication?,
        completion: @escaping (PowerAuthToken?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)?

    /// Gives the token with a name on a watch. Elsewhere `wrongParameter` arrives before the function returns.
    /// - Parameters:
    ///   - name: the token's name, not empty.
    ///   - completion: takes the token or an error.
    /// - Returns: the task, or nil when the completion was called already.
    @discardableResult
    func requestAccessToken(
        withName name: String, completion: @escaping (PowerAuthToken?, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)?

    /// Removes a token from the server, and then from the device. When the server refuses, the local record stays.
    /// - Parameters:
    ///   - name: the token's name.
    ///   - completion: takes whether the token was removed, or an error with the code `wrongParameter`,
    ///     `missingActivation` or `invalidToken` before the function returns, or one of the request.
    /// - Returns: the task, or nil when the completion was called already.
    @discardableResult
    func removeAccessToken(
        withName name: String, completion: @escaping (Bool, (any Error)?) -> Void
    ) -> (any PowerAuthOperationTask)?

    /// Removes the stored record of a token; the server is not notified.
    func removeLocalToken(withName name: String)
    /// Removes the stored records of all tokens; the server is not notified.
    func removeAllLocalTokens()
    /// True when a token with the name is stored.
    func hasLocalToken(withName name: String) -> Bool
    /// The stored token with the name, or nil.
    func localToken(withName name: String) -> PowerAuthToken?

    /// Computes the header of a stored token, after synchronising time with the server if that was not done.
    /// - Parameters:
    ///   - name: the token's name.
    ///   - completion: takes the header on the main queue, or an error with the code `wrongParameter` or
    ///     `invalidToken`, or one of the time synchronisation.
    /// - Returns: the task, never nil.
    @discardableResult
    func generateAuthorizationHeader(
        withName name: String, completion: @escaping (PowerAuthAuthorizationHttpHeader?, (any Error)?) -> Void
    ) -> any PowerAuthOperationTask
}
