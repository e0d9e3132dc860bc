import CFNetwork
import Foundation

/// Why an error happened (networking.md, section 10.1). The list is open: libraries that stand on this one add reasons of
/// their own.
public struct WPNErrorReason: RawRepresentable, Equatable, Hashable, Sendable {
    /// The reason's text.
    public var rawValue: String

    /// - Parameter rawValue: the reason's text. The misspelt `network_sslErrror` of earlier versions is understood.
    public init(rawValue: String) {
        self.rawValue = rawValue == "network_sslErrror" ? "network_sslError" : rawValue
    }
}

extension WPNErrorReason {
    /// Unknown error.
    public static let unknown = WPNErrorReason(rawValue: "unknown")
    /// There is no activation. For other libraries: here a signed request without an activation is a
    /// ``network_signError``.
    public static let missingActivation = WPNErrorReason(rawValue: "missingActivation")
    /// The request was cancelled.
    public static let canceled = WPNErrorReason(rawValue: "canceled")

    /// A token request had no result.
    public static let network_unknown = WPNErrorReason(rawValue: "network_unknown")
    /// The server refused, or something failed that has no reason of its own.
    public static let network_generic = WPNErrorReason(rawValue: "network_generic")
    /// The answer cannot be understood, although its HTTP status is 200.
    public static let network_invalidResponseObject = WPNErrorReason(rawValue: "network_invalidResponseObject")
    /// The request cannot be written as JSON; nothing was sent.
    public static let network_invalidRequestObject = WPNErrorReason(rawValue: "network_invalidRequestObject")
    /// The request cannot be signed, for example without an activation; nothing was sent.
    public static let network_signError = WPNErrorReason(rawValue: "network_signError")
    /// The time for the exchange was over.
    public static let network_timeOut = WPNErrorReason(rawValue: "network_timeOut")
    /// The device has no connection to the internet.
    public static let network_noInternetConnection = WPNErrorReason(rawValue: "network_noInternetConnection")
    /// The server did not answer in HTTP.
    public static let network_badServerResponse = WPNErrorReason(rawValue: "network_badServerResponse")
    /// The server is not trusted, or the secure connection failed.
    public static let network_sslError = WPNErrorReason(rawValue: "network_sslError")
    /// The answer cannot be understood, and its HTTP status is not 200.
    public static let network_errorStatusCode = WPNErrorReason(rawValue: "network_errorStatusCode")
}

extension WPNErrorReason {
    /// The reason for an exchange that ended without an answer (networking.md, section 10.3).
    init(exchangeFailedWith error: NSError) {
        guard error.domain == NSURLErrorDomain else {
            self = .network_generic
            return
        }
        // Not the `NSURLError…` constants: on Linux those of TLS are one off the platform's.
        self =
            switch CFNetworkErrors(rawValue: Int32(clamping: error.code)) {
            case .cfurlErrorTimedOut: .network_timeOut
            case .cfurlErrorNotConnectedToInternet: .network_noInternetConnection
            case .cfurlErrorBadServerResponse: .network_badServerResponse
            case .cfurlErrorSecureConnectionFailed, .cfurlErrorServerCertificateHasBadDate,
                .cfurlErrorServerCertificateUntrusted, .cfurlErrorServerCertificateHasUnknownRoot,
                .cfurlErrorServerCertificateNotYetValid, .cfurlErrorClientCertificateRejected,
                .cfurlErrorClientCertificateRequired, .cfurlErrorCannotLoadFromNetwork:
                .network_sslError
            default: .network_generic
            }
    }
}
