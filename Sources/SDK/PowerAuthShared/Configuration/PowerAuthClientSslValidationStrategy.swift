import Foundation
public import FoundationNetworking

/// Decides whether a server is trusted (sdk.md, section 5.3).
///
/// Called on a background thread in the handshake of every connection, before anything is sent, for server-trust
/// challenges only. The server's certificates are in `challenge.protectionSpace.serverTrust`: compare them with pinned
/// ones, or see with ``SecTrustEvaluateWithError(_:_:)`` the system's decision about them.
public protocol PowerAuthClientSslValidationStrategy: AnyObject {
    /// Answers one challenge by calling the handler exactly once.
    ///
    /// - Parameters:
    ///   - session: the session of the request.
    ///   - challenge: the server's challenge.
    ///   - completionHandler: takes the decision, from any thread and also later: `useCredential` accepts the server,
    ///     `performDefaultHandling` leaves it to the system (`NSURLErrorDomain` -1202, or -1201 and -1204 for a
    ///     certificate out of its time), `cancelAuthenticationChallenge` ends the request as cancelled (-999), and
    ///     `rejectProtectionSpace` as not trusted (-1202).
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
        completionHandler(.useCredential, challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:)))
    }
}
