// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import PowerAuthProtocol

/// What a token store knows about the activation.
package enum ActivationKnowledge: Equatable, Sendable {
    /// The identifier of a persisted activation.
    case identifier(String)
    /// There is no activation.
    case none
    /// Unknown: the state is out of reach, or a watch has not received it yet. Tokens of unknown activations are
    /// hidden, not deleted (sharing.md, D19, and watch.md, section 13, item 6).
    case unknown

    /// The identifier, or nil.
    package var identifier: String? {
        if case .identifier(let identifier) = self { identifier } else { nil }
    }
}

/// What differs between the token stores of the three SDKs.
package struct TokenStoreRules: Sendable {
    /// Protocol version of the headers.
    package var headerVersion: ProtocolVersion
    /// Records are kept in memory until another application changes one.
    package var usesCache: Bool
    /// Requests need an authentication object.
    package var requiresAuthentication: Bool
    /// Records may be removed by the application.
    package var allowsLocalRemoval: Bool

    /// Whether headers have the version that the application's have.
    package var usesApplicationHeaderVersion: Bool {
        get { headerVersion == Self.application.headerVersion }
        set { headerVersion = (newValue ? Self.application : Self.appExtension).headerVersion }
    }

    /// The application with the full SDK (headers of the newest protocol).
    package static let application = TokenStoreRules(
        headerVersion: .v3_3, usesCache: true, requiresAuthentication: true, allowsLocalRemoval: true)
    /// An extension that reads the records of its application (sharing.md, section 18.3).
    package static let appExtension = TokenStoreRules(
        headerVersion: .v3_1, usesCache: false, requiresAuthentication: false, allowsLocalRemoval: false)
    /// A watch (watch.md, section 6.6).
    package static let watch = TokenStoreRules(
        headerVersion: .v3_1, usesCache: false, requiresAuthentication: false, allowsLocalRemoval: true)
}

/// What a token store needs from its SDK object.
package struct TokenStoreEnvironment: Sendable {
    /// What is known about the activation now.
    package var activation: @Sendable () -> ActivationKnowledge
    /// The protocol version of headers, where it depends on what the store knows; nil for that of its rules.
    package var headerVersion: @Sendable () -> ProtocolVersion? = { nil }
    /// Seconds since 1970, for headers: synchronised with the server, or the device's clock.
    package var currentTime: @Sendable () -> TimeInterval
    /// Synchronises time with the server if that was not done; nil when the store uses the device's clock. The
    /// completion is called exactly once, on any thread; the task is nil when that happened before the return.
    package var synchronizeTime:
        (@Sendable (_ completion: @escaping @Sendable (NSError?) -> Void) -> (any PowerAuthOperationTask)?)?

    /// - Parameters:
    ///   - activation: what is known about the activation now.
    ///   - currentTime: seconds since 1970, for headers.
    ///   - synchronizeTime: synchronises time with the server if that was not done.
    package init(
        activation: @escaping @Sendable () -> ActivationKnowledge,
        currentTime: @escaping @Sendable () -> TimeInterval,
        synchronizeTime: (
            @Sendable (_ completion: @escaping @Sendable (NSError?) -> Void) -> (any PowerAuthOperationTask)?
        )? = nil
    ) {
        self.activation = activation
        self.currentTime = currentTime
        self.synchronizeTime = synchronizeTime
    }
}

/// Where a token store gets tokens that it does not have: the server for an application, the phone for a watch.
package protocol RemoteTokenProvider: AnyObject, Sendable {
    /// Asks for a token.
    /// - Parameters:
    ///   - request: what is wanted.
    ///   - completion: called exactly once, from any thread, unless the returned task was cancelled. The record's
    ///     `activationId` is the one of the request.
    /// - Returns: the task that a cancel of the last caller cancels.
    func requestToken(
        _ request: RemoteTokenRequest, completion: @escaping @Sendable (TaskResult<TokenRecord>) -> Void
    ) -> any PowerAuthOperationTask

    /// Removes a token where it came from.
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
