public import Foundation

/// Where a service sends its requests, and how (networking.md, section 2.1). Immutable. Thread rule: any thread.
public struct WPNConfig: Sendable {
    /// Root of the endpoints; a slash at its end makes no difference.
    public let baseUrl: URL
    /// How the server's certificates are judged.
    public let sslValidation: WPNSSLValidationStrategy
    /// Seconds that an exchange may take, unless a request has a limit of its own; 20 by default. The time spent in a queue,
    /// and with fetching a token or a key, does not count.
    public let timeoutIntervalForRequest: TimeInterval
    /// The value of the header `User-Agent`.
    public let userAgent: WPNUserAgent

    /// - Parameters:
    ///   - baseUrl: root of the endpoints.
    ///   - sslValidation: how the server's certificates are judged.
    ///   - timeoutIntervalForRequest: seconds that an exchange may take.
    ///   - userAgent: the value of the header `User-Agent`.
    public init(
        baseUrl: URL, sslValidation: WPNSSLValidationStrategy = .default, timeoutIntervalForRequest: TimeInterval = 20,
        userAgent: WPNUserAgent = .libraryDefault
    ) {
        self.baseUrl = baseUrl
        self.sslValidation = sslValidation
        self.timeoutIntervalForRequest = timeoutIntervalForRequest
        self.userAgent = userAgent
    }

    /// As ``init(baseUrl:sslValidation:timeoutIntervalForRequest:userAgent:)``, for a URL that is written in the code,
    /// as the manual does; an invalid URL is a programming error and ends the process.
    public init(
        baseUrl: StaticString, sslValidation: WPNSSLValidationStrategy = .default,
        timeoutIntervalForRequest: TimeInterval = 20, userAgent: WPNUserAgent = .libraryDefault
    ) {
        guard let url = URL(string: "\(baseUrl)") else { preconditionFailure("'\(baseUrl)' is not a URL.") }
        self.init(
            baseUrl: url, sslValidation: sslValidation, timeoutIntervalForRequest: timeoutIntervalForRequest,
            userAgent: userAgent)
    }

    /// The URL of an endpoint: its path behind the base URL, with one slash between them. The path has no query: a
    /// question mark is escaped (networking.md, section 4.1).
    func buildURL(_ endpoint: String) -> URL {
        baseUrl.appendingPathComponent(endpoint.hasPrefix("/") ? String(endpoint.dropFirst()) : endpoint)
    }
}
