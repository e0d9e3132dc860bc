// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An HTTP request as it is sent; everything is final.
package struct HTTPRequest: Sendable {
    /// Longest body of a response unless the request sets another limit, in bytes.
    static let largestBody = 16 << 20

    package var url: URL
    package var method: String
    /// Names and values in the order they are sent.
    package var headers: [(name: String, value: String)]
    package var body: Data
    /// Seconds for the whole exchange, connecting included; nil for no limit. A transport measures real time: the SDKs
    /// measure the device's time themselves and give none.
    package var timeout: TimeInterval?
    /// Seconds until there is a connection; nil leaves the limit to ``timeout``.
    package var connectTimeout: TimeInterval?
    /// Longest body of a response that is accepted, in bytes.
    package var largestResponse = HTTPRequest.largestBody
    /// Whether the request may go over a connection that served another one, and leave its own to the next.
    package var sharesConnection = true
    /// The server trust of an `https` request.
    package var serverTrust: ServerTrust
    /// Takes the part of the exchange that is done, from 0 to 1 and never less than before, on a background thread: half
    /// of it is the request's body where there is one, the rest the response's. The last is 1 when there is a response.
    package var progress: (@Sendable (Double) -> Void)?

    package init(
        url: URL, method: String = "POST", headers: [(name: String, value: String)] = [], body: Data = Data(),
        timeout: TimeInterval? = 20, serverTrust: ServerTrust = ServerTrust()
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.serverTrust = serverTrust
    }
}

extension HTTPRequest {
    var isJudged: Bool { serverTrust.judge != nil && url.scheme?.lowercased() == "https" }
}

/// A complete HTTP response of any status.
package struct HTTPResponse: Sendable {
    package let status: Int
    /// Names and values in the order they came.
    package let headers: [(name: String, value: String)]
    package let body: Data

    package init(status: Int, headers: [(name: String, value: String)] = [], body: Data) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Sends requests. The only way to the network for the SDKs. Thread rule: any thread; nothing blocks the caller.
package protocol HTTPTransport: Sendable {
    /// Sends a request.
    /// - Parameter completion: called exactly once, on a background thread where it may block: with a response of any
    ///   status, or with an error of `NSURLErrorDomain` without a response. After a cancel the code is
    ///   `NSURLErrorCancelled`.
    func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
    ) -> any HTTPExchange
}

extension HTTPTransport {
    /// Sends a request and waits for the response without a thread.
    /// - Returns: a response of any status.
    /// - Throws: an error of `NSURLErrorDomain` without a response.
    package func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        try await withCheckedThrowingContinuation { continuation in
            _ = send(request) { result in continuation.resume(with: result.mapError { $0 as any Error }) }
        }
    }
}

/// One request on its way. Thread rule: any thread.
package protocol HTTPExchange: AnyObject, Sendable {
    /// Gives the exchange up. Without effect once it is complete.
    func cancel()
}
