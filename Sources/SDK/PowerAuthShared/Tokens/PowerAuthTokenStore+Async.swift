// SPDX-License-Identifier: Apache-2.0

import SimulatedDevice

/// The functions with a completion, for callers that wait. A cancel of the caller's task cancels the request and throws
/// `CancellationError`.
extension PowerAuthTokenStore {
    /// As ``requestAccessToken(withName:authentication:completion:)``.
    /// - Parameters:
    ///   - name: the token's name, not empty.
    ///   - authentication: the factors.
    /// - Throws: the completion's error.
    public func requestAccessToken(
        withName name: String, authentication: PowerAuthAuthentication?
    ) async throws -> PowerAuthToken {
        // Token stores are usable from any thread, as the protocol demands.
        let store = UncheckedTransfer<any PowerAuthTokenStore>(self)
        return try await awaitValue {
            store.value.requestAccessToken(withName: name, authentication: authentication, completion: $0)
        }
    }

    /// As ``requestAccessToken(withName:completion:)``, for a watch.
    /// - Parameter name: the token's name, not empty.
    /// - Throws: the completion's error.
    public func requestAccessToken(withName name: String) async throws -> PowerAuthToken {
        let store = UncheckedTransfer<any PowerAuthTokenStore>(self)
        return try await awaitValue { store.value.requestAccessToken(withName: name, completion: $0) }
    }

    /// As ``removeAccessToken(withName:completion:)``.
    /// - Parameter name: the token's name.
    /// - Throws: the completion's error.
    public func removeAccessToken(withName name: String) async throws {
        let store = UncheckedTransfer<any PowerAuthTokenStore>(self)
        try await awaitCompletion { completion in
            store.value.removeAccessToken(withName: name) { _, error in completion(error) }
        }
    }

    /// As ``generateAuthorizationHeader(withName:completion:)``.
    /// - Parameter name: the token's name.
    /// - Throws: the completion's error.
    public func generateAuthorizationHeader(withName name: String) async throws -> PowerAuthAuthorizationHttpHeader {
        let store = UncheckedTransfer<any PowerAuthTokenStore>(self)
        return try await awaitValue { store.value.generateAuthorizationHeader(withName: name, completion: $0) }
    }
}
