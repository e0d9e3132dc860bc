import Foundation
import FoundationNetworking
import SimulatedDevice

/// The client configuration in the form the HTTP client uses: a copy that nobody changes.
package struct HTTPSettings: @unchecked Sendable {
    // Safe to share: the values are constants. Interceptors and strategy are objects of the application, documented to
    // be called on background threads.

    /// Base URL without a trailing slash.
    let baseURL: String
    let timeout: TimeInterval
    let userAgent: String?
    private let interceptors: [any PowerAuthHttpRequestInterceptor]
    private let sslValidationStrategy: (any PowerAuthClientSslValidationStrategy)?

    /// - Parameters:
    ///   - baseEndpointUrl: URL of the server; one trailing slash is removed.
    ///   - client: the client configuration.
    package init(baseEndpointUrl: String, client: PowerAuthClientConfiguration) {
        baseURL = baseEndpointUrl.hasSuffix("/") ? String(baseEndpointUrl.dropLast()) : baseEndpointUrl
        timeout = client.defaultRequestTimeout
        userAgent = client.userAgent
        interceptors = client.requestInterceptors ?? []
        sslValidationStrategy = client.sslValidationStrategy
    }

    /// Lets the interceptors change a request that has all its headers.
    func intercepted(_ request: HTTPRequest) -> HTTPRequest {
        guard !interceptors.isEmpty else { return request }
        let platformRequest = NSMutableURLRequest(url: request.url)
        platformRequest.httpMethod = request.method
        platformRequest.httpBody = request.body
        if let timeout = request.timeout { platformRequest.timeoutInterval = timeout }
        for header in request.headers { platformRequest.setValue(header.value, forHTTPHeaderField: header.name) }
        for interceptor in interceptors { interceptor.processRequest(platformRequest) }
        var changed = request
        changed.url = platformRequest.url ?? request.url
        changed.method = platformRequest.httpMethod ?? request.method
        changed.body = platformRequest.httpBody ?? Data()
        changed.timeout = platformRequest.timeoutInterval
        changed.headers = (platformRequest.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            .map { (name: $0.key, value: $0.value) }
        return changed
    }

    /// Whom a request trusts: the device's authorities, and what the application's strategy says.
    func serverTrust(for url: URL, sandbox: Sandbox) -> ServerTrust {
        ServerTrust(
            authoritiesPath: sandbox.installedAuthorityPath, time: sandbox.clock.now(),
            judge: sslValidationStrategy.map { Self.judge(Transferred($0), url) })
    }

    /// Asks a strategy in the form that `URLSession` has for it.
    private static func judge(
        _ strategy: Transferred<any PowerAuthClientSslValidationStrategy>, _ url: URL
    ) -> ServerTrustJudge {
        { server, decided in
            let challenge = URLAuthenticationChallenge(
                protectionSpace: ServerProtectionSpace(url, trust: SecTrust(server)), proposedCredential: nil,
                previousFailureCount: 0, failureResponse: nil, error: nil, sender: IgnoredChallengeSender())
            strategy.value.validateSsl(for: .shared, challenge: challenge) { disposition, _ in
                switch disposition {
                case .useCredential: decided(.accept)
                case .performDefaultHandling: decided(.asVerified)
                case .rejectProtectionSpace: decided(.reject)
                default: decided(.cancel)
                }
            }
        }
    }
}

/// The challenge's other way to answer, which strategies do not use.
private final class IgnoredChallengeSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
