public import Foundation

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
