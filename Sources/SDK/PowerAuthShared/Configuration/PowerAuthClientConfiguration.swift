// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking

/// The settings of the HTTP client (sdk.md, section 5.3).
///
/// Thread rule: one thread at a time; an SDK object keeps a copy.
public final class PowerAuthClientConfiguration {
    /// Seconds that one request may take.
    public var defaultRequestTimeout: TimeInterval = 20
    /// Decides about the server's certificate; nil leaves it to the system.
    public var sslValidationStrategy: (any PowerAuthClientSslValidationStrategy)?
    /// Called in order on each request before it is sent.
    public var requestInterceptors: [any PowerAuthHttpRequestInterceptor]?
    /// Value of the `User-Agent` header; nil leaves the header out.
    public var userAgent: String? = PowerAuthSystem.defaultUserAgent()

    /// A configuration with the default values.
    public init() {}

    // Written through by the application before it creates SDK objects, as documented for the vendor's
    // SDK; the reference itself never changes.
    nonisolated(unsafe) private static let shared = PowerAuthClientConfiguration()

    /// The process-wide default configuration. An SDK object copies it when it is created.
    public static func sharedInstance() -> PowerAuthClientConfiguration { shared }

    /// A copy with the same values; strategy and interceptors are shared.
    public func copy() -> PowerAuthClientConfiguration {
        let copy = PowerAuthClientConfiguration()
        copy.defaultRequestTimeout = defaultRequestTimeout
        copy.sslValidationStrategy = sslValidationStrategy
        copy.requestInterceptors = requestInterceptors
        copy.userAgent = userAgent
        return copy
    }
}

/// Decides whether a server is trusted (sdk.md, section 5.3).
///
/// Called on a background thread in the handshake of every connection, before anything is sent, for server-trust
/// challenges only. The server's certificates are in `challenge.protectionSpace.serverTrust`: compare them with pinned
/// ones, or see with ``SecTrustEvaluateWithError(_:_:)`` the system's decision about them.
public protocol PowerAuthClientSslValidationStrategy: AnyObject {
    /// Answers one challenge by calling the handler exactly once.
    /// - Parameters:
    ///   - session: the session of the request.
    ///   - challenge: the server's challenge.
    ///   - completionHandler: takes the decision, from any thread and also later: `useCredential` accepts the server,
    ///     `performDefaultHandling` leaves it to the system (`NSURLErrorDomain` -1202, or -1201 and -1204 for a
    ///     certificate out of its time), `cancelAuthenticationChallenge` ends the request as cancelled (-999), and
    ///     `rejectProtectionSpace` as not trusted (-1202).
    func validateSsl(
        for session: URLSession, challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
}

/// Accepts every certificate. For development only: each use is logged as a critical warning.
public final class PowerAuthClientSslNoValidationStrategy: PowerAuthClientSslValidationStrategy, Sendable {
    /// Makes the strategy; it has no settings.
    public init() {}

    /// Accepts the certificate.
    public func validateSsl(
        for session: URLSession, challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        PowerAuthLog.criticalWarning(
            "TLS certificate of '\(challenge.protectionSpace.host)' accepted without validation.")
        completionHandler(.useCredential, challenge.protectionSpace.serverTrust.map(URLCredential.init(trust:)))
    }
}

/// Changes requests before they are sent (sdk.md, section 5.3).
public protocol PowerAuthHttpRequestInterceptor: AnyObject {
    /// Changes one request. Called on a background thread, after the SDK set all its headers.
    func processRequest(_ request: NSMutableURLRequest)
}

/// Adds one header to each request. Immutable. Thread rule: any thread.
public class PowerAuthCustomHeaderRequestInterceptor: PowerAuthHttpRequestInterceptor, @unchecked Sendable {
    // Safe to share: both properties are constants, and the subclass of this module adds none.

    /// Name of the header.
    public let headerKey: String
    /// Value that is added to it.
    public let headerValue: String

    /// - Parameters:
    ///   - headerKey: name of the header.
    ///   - value: value that is added to an existing one, or set.
    public init(headerKey: String, value: String) {
        self.headerKey = headerKey
        headerValue = value
    }

    /// Adds the header.
    public func processRequest(_ request: NSMutableURLRequest) {
        request.addValue(headerValue, forHTTPHeaderField: headerKey)
    }
}

/// Adds HTTP basic authentication to each request.
public final class PowerAuthBasicHttpAuthenticationRequestInterceptor: PowerAuthCustomHeaderRequestInterceptor,
    @unchecked Sendable
{
    /// - Parameters:
    ///   - username: the user; must not contain a colon.
    ///   - password: the password.
    public init(username: String, password: String) {
        let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
        super.init(headerKey: "Authorization", value: "Basic " + credentials)
    }
}
