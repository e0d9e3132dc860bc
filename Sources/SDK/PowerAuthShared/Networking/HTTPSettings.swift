// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import LabHTTP
import SimulatedDevice
import Synchronization

/// The client configuration in the form the HTTP client uses: a copy that is never changed.
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

    /// The decision of the application's strategy about the servers of a URL; nil leaves it to the system.
    func judge(for url: URL) -> ServerTrustJudge? {
        guard let strategy = sslValidationStrategy.map({ UncheckedTransfer($0) }) else { return nil }
        return { server, decided in
            // Asked in the form that `URLSession` has for it.
            let challenge = URLAuthenticationChallenge(server: server, of: url)
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

/// Log entries about requests (sdk.md, section 4.5). Thread rule: any thread.
///
/// A verbose log has headers, and bodies that were not encrypted; those that were stay secret.
enum HTTPLog {
    private static let hasWarned = Atomic(false)

    static func write(_ request: HTTPRequest, isEncrypted: Bool) {
        guard PowerAuthLog.isEnabled else { return }
        if request.url.scheme?.lowercased() == "http", !hasWarned.exchange(true, ordering: .relaxed) {
            PowerAuthLog.write("WARNING: Requests go over HTTP, which can be read and changed on the way; use HTTPS.")
        }
        PowerAuthLog.write("HTTP \(request.method) request: → \(request.url)")
        guard PowerAuthLog.isVerbose else { return }
        PowerAuthLog.write("- Headers: \(request.headers.map { "\($0.name): \($0.value)" }.joined(separator: "; "))")
        writeBody(request.body, isEncrypted: isEncrypted)
    }

    static func write(_ response: HTTPResponse, to url: URL, isEncrypted: Bool) {
        PowerAuthLog.write("HTTP response \(response.status): ← \(url)")
        // An error is in plain text even where the answer would be encrypted.
        if PowerAuthLog.isVerbose { writeBody(response.body, isEncrypted: isEncrypted && response.status == 200) }
    }

    static func write(_ error: NSError, to url: URL) {
        PowerAuthLog.write("HTTP request failed: ← \(url): \(error.localizedDescription)")
    }

    private static func writeBody(_ body: Data, isEncrypted: Bool) {
        PowerAuthLog.write(
            isEncrypted ? "- Body: \(body.count) encrypted bytes" : "- Body: \(String(decoding: body, as: UTF8.self))")
    }
}
