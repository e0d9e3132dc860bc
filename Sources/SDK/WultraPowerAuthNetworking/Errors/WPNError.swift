// SPDX-License-Identifier: Apache-2.0

import CFNetwork
public import Foundation
public import FoundationNetworking
public import PowerAuthShared
import Synchronization

/// The error of every call of the library (networking.md, section 10.2). Thread rule: any thread.
///
/// Compare ``reason``; two errors are never equal.
public final class WPNError: Error, Sendable {
    /// Domain of an error that no other one caused.
    public static let domain = "WPNError"

    /// Why the error happened.
    public let reason: WPNErrorReason
    /// The error that caused this one; nil when there was none.
    public let nestedError: (any Error)?
    /// The server's answer without its body; nil when there was none.
    public let httpUrlResponse: HTTPURLResponse?
    private let serverError: Mutex<WPNRestApiError?>

    /// - Parameters:
    ///   - reason: why the error happened.
    ///   - error: the error that caused it. To give another reason to a `WPNError`, use ``wrap(_:_:)``.
    public convenience init(reason: WPNErrorReason, error: (any Error)? = nil) {
        self.init(reason: reason, error: error, httpUrlResponse: nil, restApiError: nil)
    }

    /// As ``init(reason:error:)``, with the server's error.
    package init(
        reason: WPNErrorReason, error: (any Error)?, httpUrlResponse: HTTPURLResponse?, restApiError: WPNRestApiError?
    ) {
        if error is WPNError {
            WPNLogger.error("A WPNError must not be nested in another one; use WPNError.wrap(_:_:).")
        }
        self.reason = reason
        nestedError = error
        self.httpUrlResponse = httpUrlResponse
        serverError = Mutex(restApiError)
    }

    /// Gives an error another reason.
    /// - Parameters:
    ///   - reason: the new reason.
    ///   - error: a `WPNError`, of which everything else is kept, or an error of another kind, which is nested.
    public static func wrap(_ reason: WPNErrorReason, _ error: (any Error)? = nil) -> WPNError {
        guard let error = error as? WPNError else { return WPNError(reason: reason, error: error) }
        return WPNError(
            reason: reason, error: error.nestedError, httpUrlResponse: error.httpUrlResponse,
            restApiError: error.serverError.withLock { $0 })
    }
}

// MARK: The server's error

extension WPNError {
    /// The server's error, to this library or to the PowerAuth SDK; nil without a readable one. An app sets it where it
    /// makes an error by itself, as tests do; nil restores that of the nested error.
    public var restApiError: WPNRestApiError? {
        get {
            if let serverError = serverError.withLock({ $0 }) { return serverError }
            guard let answer = powerAuthRestApiError?.responseObject, let code = answer.code,
                let message = answer.message
            else { return nil }
            return WPNRestApiError(code: code, message: message)
        }
        set { serverError.withLock { $0 = newValue } }
    }

    /// The HTTP status of the server's answer; nil when there was none.
    public var httpStatusCode: Int? {
        httpUrlResponse?.statusCode ?? powerAuthRestApiError.map { Int(clamping: $0.httpStatusCode) }
    }

    /// The server's answer to a request of the PowerAuth SDK's own; nil when the error does not come from one.
    public var powerAuthRestApiError: PowerAuthRestApiErrorResponse? {
        userInfo[PowerAuthErrorDomain] as? PowerAuthRestApiErrorResponse
    }

    /// The code of an error of the PowerAuth SDK; `.NA` for a foreign one, nil without a nested error.
    public var powerAuthErrorCode: PowerAuthErrorCode? { nested?.powerAuthErrorCode }

    /// The text of an error of the PowerAuth SDK; nil for any other.
    public var powerAuthErrorMessage: String? {
        domain == PowerAuthErrorDomain ? userInfo[NSLocalizedDescriptionKey] as? String : nil
    }

    /// ``powerAuthRestApiError`` as the manual calls it.
    public var powerAuthErrorResponse: PowerAuthRestApiErrorResponse? { powerAuthRestApiError }
    /// The server's code as the manual calls it, also one that the library does not know.
    public var powerAuthRestApiErrorCode: String? { restApiError?.code }
}

// MARK: What caused the error

extension WPNError {
    /// Code of the nested error; 0 without one.
    public var code: Int { nested?.code ?? 0 }
    /// Domain of the nested error; ``domain-swift.type.property`` without one.
    public var domain: String { nested?.domain ?? Self.domain }
    /// Further data of the nested error; empty without one.
    public var userInfo: [String: Any] { nested?.userInfo ?? [:] }
    /// True when the device cannot reach the network.
    public var networkIsNotReachable: Bool { comesFromNetwork && [-1009, -1018, -1020].contains(code) }
    /// True when the server is not trusted, or the secure connection failed.
    public var networkConnectionIsNotTrusted: Bool { comesFromNetwork && (-1204 ... -1200).contains(code) }

    private var comesFromNetwork: Bool { domain == NSURLErrorDomain || domain == kCFErrorDomainCFNetwork }
    private var nested: NSError? { nestedError.map { $0 as NSError } }
}

extension WPNError: CustomStringConvertible, LocalizedError {
    /// The SDK's sentence, or that of the nested error, or the facts one a line.
    public var description: String {
        if let powerAuthErrorMessage { return powerAuthErrorMessage }
        if let nestedError { return String(describing: nestedError) }
        var lines = ["Error reason: \(reason.rawValue)", "Error  domain: \(domain), code: \(code)"]
        if let httpStatusCode { lines.append("HTTP Status Code: \(httpStatusCode)") }
        if let code = restApiError?.code { lines.append("PA REST API Code: \(code)") }
        return lines.joined(separator: "\n")
    }

    /// As ``description``.
    public var errorDescription: String? { description }
}

/// Why an error happened (networking.md, section 10.1). The list is open: libraries that stand on this one add reasons of
/// their own.
public struct WPNErrorReason: RawRepresentable, Equatable, Hashable, Sendable {
    /// The type of the reason's text.
    public typealias RawValue = String

    /// The reason's text.
    public var rawValue: String

    /// - Parameter rawValue: the reason's text. The misspelt `network_sslErrror` of earlier versions is understood.
    public init(rawValue: String) { self.rawValue = rawValue == "network_sslErrror" ? "network_sslError" : rawValue }
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
