import Foundation
public import FoundationNetworking

/// Decides whether a server's certificate is trusted (sdk.md, section 5.3).
///
/// Called on a background thread, for server-trust challenges only.
public protocol PowerAuthClientSslValidationStrategy: AnyObject {
    /// Answers one challenge by calling the handler exactly once.
    ///
    /// - Parameters:
    ///   - session: the session of the request.
    ///   - challenge: the server's challenge.
    ///   - completionHandler: takes the decision.
    func validateSsl(
        for session: URLSession,
        challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

/// Accepts every certificate. For development only: each use is logged as a critical warning.
public final class PowerAuthClientSslNoValidationStrategy: PowerAuthClientSslValidationStrategy, Sendable {
    /// Makes the strategy; it has no settings.
    public init() {}

    /// Accepts the certificate.
    public func validateSsl(
        for session: URLSession,
        challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        PowerAuthLog.criticalWarning(
            "TLS certificate of '\(challenge.protectionSpace.host)' accepted without validation.")
        completionHandler(.useCredential, nil)
    }
}
