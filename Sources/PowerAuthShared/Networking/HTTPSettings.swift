import Foundation
import FoundationNetworking

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
        platformRequest.timeoutInterval = request.timeout
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

    /// Asks the application's strategy whom an `https` request trusts; the answer may come from any thread.
    ///
    /// - Parameter decided: takes the decision, nil when the strategy refuses the connection.
    func decideServerTrust(for url: URL, decided: @escaping @Sendable (ServerTrust?) -> Void) {
        guard url.scheme?.lowercased() == "https", let sslValidationStrategy else { return decided(.system) }
        let space = URLProtectionSpace(
            host: url.host ?? "", port: url.port ?? 443, protocol: "https", realm: nil,
            authenticationMethod: "NSURLAuthenticationMethodServerTrust")
        let challenge = URLAuthenticationChallenge(
            protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil, error: nil,
            sender: IgnoredChallengeSender())
        sslValidationStrategy.validateSsl(for: .shared, challenge: challenge) { disposition, _ in
            switch disposition {
            case .useCredential: decided(.anyCertificate)
            case .performDefaultHandling: decided(.system)
            default: decided(nil)
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
