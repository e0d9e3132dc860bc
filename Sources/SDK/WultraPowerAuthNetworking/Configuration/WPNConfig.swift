// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import FoundationNetworking
import LabHTTP
import PowerAuthShared
import SimulatedDevice

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

/// Which requests of a service wait for each other (networking.md, section 8.1). The first spelling is the vendor's.
public enum WPNRequestConcurencyStrategy: Sendable {
    /// Nothing waits. Signatures may then reach the server in another order than they were made.
    case concurentAll
    /// Signed requests are made one after another, together with those of the SDK and, where the activation is shared, of
    /// the other applications. Requests with a token and unsigned ones do not wait.
    case serialSigned
    /// All requests of the service are made one after another; signed ones take their turn with those of the SDK besides.
    case serialAll

    /// ``concurentAll`` as the library spells it since 1.4.
    public static var concurrentAll: WPNRequestConcurencyStrategy { .concurentAll }
}

/// The name since 1.4.
public typealias WPNRequestConcurrencyStrategy = WPNRequestConcurencyStrategy

/// How the certificates of an `https` server are judged (networking.md, section 9).
///
/// Unchecked: the only part that could change is the application's provider, which is documented to be called on
/// background threads.
public enum WPNSSLValidationStrategy: @unchecked Sendable {
    /// The system decides.
    case `default`
    /// Everything is accepted. For development only.
    case noValidation
    /// The application decides besides the system: the server must please both.
    case sslPinning(_ provider: any WPNPinningProvider)
}

/// The application's own judgement about a server's certificates.
public protocol WPNPinningProvider {
    /// Judges a server. Called on a background thread in the handshake of every connection, before anything is sent.
    /// - Parameter challenge: the server's challenge. The certificates are in `challenge.protectionSpace.serverTrust`, to be
    ///   read with `SecTrustCopyCertificateChain` and `SecCertificateCopyData`.
    /// - Returns: true when the system's own check shall decide; false ends the request with the reason
    ///   ``WPNErrorReason/network_sslError``.
    func validate(challenge: URLAuthenticationChallenge) -> Bool
}

extension WPNSSLValidationStrategy {
    /// The answer to a challenge, as a delegate of `URLSession` gives it.
    func answer(
        to challenge: URLAuthenticationChallenge
    ) -> (disposition: URLSession.AuthChallengeDisposition, credential: URLCredential?) {
        switch self {
        case .default: return (.performDefaultHandling, nil)
        case .noValidation:
            guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
            return (.useCredential, URLCredential(trust: trust))
        case .sslPinning(let provider):
            return provider.validate(challenge: challenge)
                ? (.performDefaultHandling, nil) : (.cancelAuthenticationChallenge, nil)
        }
    }

    /// The transport's judge for the servers of a URL; nil leaves them to the system.
    /// - Parameter refusal: how a server that the application refuses ends the request.
    func judge(of url: URL, refusal: ServerTrustDecision) -> ServerTrustJudge? {
        if case .default = self { return nil }
        return { server, decided in
            switch answer(to: URLAuthenticationChallenge(server: server, of: url)).disposition {
            case .useCredential: decided(.accept)
            case .performDefaultHandling: decided(.asVerified)
            case .cancelAuthenticationChallenge, .rejectProtectionSpace: decided(refusal)
            @unknown default: decided(refusal)
            }
        }
    }
}

/// The value of the header `User-Agent` (networking.md, section 12).
public enum WPNUserAgent: Sendable {
    /// The system's own user agent; the library sets no header.
    case systemDefault
    /// Library, language, network, application and device, as in
    /// `PowerAuthNetworking/1.5.2 (en; wifi) com.example.main/1.0 (Apple; iOS/17.5; iphone15,2)`.
    case libraryDefault
    /// A text of the application's.
    case custom(_ value: String)

    /// Version of the library whose behaviour this one has.
    static let libraryVersion = "1.5.2"

    /// The header's value for a request that is made now; nil for no header.
    /// - Parameter sandbox: the device and the application; nil for a process that is on no device.
    func getValue(on sandbox: Sandbox?) -> String? {
        switch self {
        case .systemDefault: nil
        case .custom(let value): value
        case .libraryDefault: Self.describe(sandbox)
        }
    }

    private static func describe(_ sandbox: Sandbox?) -> String {
        let parts = [
            "\(Locale.preferredLanguages.first ?? "??"); \(network(of: sandbox))",
            "\(sandbox?.identity.bundleIdentifier ?? "??")/\(sandbox?.appVersion ?? "")",
            "Apple; \(sandbox?.device.systemName ?? "iOS")/\(sandbox?.device.osVersion ?? "")",
            sandbox?.device.model.lowercased() ?? "UNKNOWN",
        ]
        return "PowerAuthNetworking/\(libraryVersion) (\(parts[0])) \(parts[1]) (\(parts[2]); \(parts[3]))"
    }

    private static func network(of sandbox: Sandbox?) -> String {
        switch sandbox?.connectivity.connection {
        case .cellular: "cellular"
        case .wifi: "wifi"
        case .wired: "wired"
        case .some(.none), nil: "unknown"
        }
    }
}
