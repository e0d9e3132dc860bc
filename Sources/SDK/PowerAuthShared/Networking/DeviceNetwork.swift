package import Foundation
package import HTTPClient
package import SimulatedDevice

/// The network of the device as an app reaches it: what the simulated platform adds to every exchange of any SDK.
///
/// Thread rule: any thread; nothing blocks the caller.
package struct DeviceNetwork: Sendable {
    private let transport: any HTTPTransport
    private let sandbox: Sandbox

    /// - Parameters:
    ///   - transport: the way to the network.
    ///   - sandbox: the device.
    package init(transport: any HTTPTransport, sandbox: Sandbox) {
        self.transport = transport
        self.sandbox = sandbox
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - request: what is sent; its time limit is one of the device's time, so a lab that moves its clock ends it.
    ///   - path: the resource below the base URL, as the trace names it.
    ///   - judge: the application's say about the server's certificates.
    ///   - completion: called exactly once, as by ``HTTPTransport``; before this function returns when nothing is sent.
    package func send(
        _ request: HTTPRequest, to path: String, judge: ServerTrustJudge? = nil,
        completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
    ) -> any HTTPExchange {
        let url = request.url
        do {
            guard sandbox.connectivity.isOnline else {
                let error = CurlError.error(.notConnectedToInternet, Self.offline, url: url)
                sandbox.trace(.httpFailed(error: error.localizedDescription, path: path))
                throw error
            }
            try sandbox.pass(.httpRequestSent, about: path)
        } catch {
            completion(.failure(error as NSError))
            return NoExchange()
        }
        var request = request
        request.serverTrust = ServerTrust(
            authoritiesPath: sandbox.installedAuthorityPath, time: sandbox.clock.now(), judge: judge)
        let operation = Sandbox.operation
        if let operation { request.headers.append(("X-Lab-Operation", operation)) }
        let limit = request.timeout
        request.timeout = nil
        sandbox.trace(.httpRequest(method: request.method, path: path))
        let patience = Patience()
        if let limit { patience.begin(limit: limit, timer: sandbox.timer) }
        let exchange = transport.send(request) { [sandbox] result in
            patience.end()
            let result = patience.isOver ? .failure(CurlError.error(.timedOut, Self.timedOut, url: url)) : result
            Sandbox.$operation.withValue(operation) { completion(Self.noted(result, path, sandbox)) }
        }
        patience.hold(exchange)
        return exchange
    }

    private static let offline = "The device has no connection to the network."
    private static let timedOut = "The request timed out."

    /// Writes the end of an exchange into the trace; the system may let it fail.
    private static func noted(
        _ result: Result<HTTPResponse, NSError>, _ path: String, _ sandbox: Sandbox
    ) -> Result<HTTPResponse, NSError> {
        switch result {
        case .success(let response):
            sandbox.trace(.httpResponse(status: response.status, path: path))
            return Result { () throws(NSError) in
                try nsError { try sandbox.pass(.httpResponseReceived, about: path) }
                return response
            }
        case .failure(let error):
            sandbox.trace(.httpFailed(error: error.localizedDescription, path: path))
            return result
        }
    }
}
