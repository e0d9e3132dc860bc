// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LabHTTP
import LabPoints
package import SimulatedDevice
import Synchronization

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
                sandbox.trace(.httpFailed, [.httpError: .text(error.localizedDescription), .path: .text(path)])
                throw error
            }
            try sandbox.pass(.httpRequestSent, about: path)
            sandbox.touch(.server, writing: true)
        } catch {
            completion(.failure(error as NSError))
            return NoExchange()
        }
        var request = request
        request.serverTrust = ServerTrust(
            authoritiesPath: sandbox.installedAuthorityPath, time: sandbox.clock.now(), judge: judge)
        let operation = Sandbox.operation
        if let operation {
            request.headers.append(("X-Lab-Operation", operation))
            // So that the server knows who waits for its answer.
            request.headers.append(("X-Lab-App", sandbox.identity.name))
        }
        let limit = request.timeout
        request.timeout = nil
        sandbox.trace(.httpRequest, [.method: .text(request.method), .path: .text(path)])
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
        // Also in the turn of the answer, if the process had another one since it sent the request.
        sandbox.touch(.server, writing: true)
        switch result {
        case .success(let response):
            sandbox.trace(.httpResponse, [.status: .whole(response.status), .path: .text(path)])
            return Result { () throws(NSError) in
                try nsError { try sandbox.pass(.httpResponseReceived, about: path) }
                return response
            }
        case .failure(let error):
            sandbox.trace(.httpFailed, [.httpError: .text(error.localizedDescription), .path: .text(path)])
            return result
        }
    }
}

/// Gives an exchange up when its time is over. Thread rule: any thread.
final class Patience: Sendable {
    private struct State {
        var entry: DeviceTimer.Entry?
        var exchange: (any HTTPExchange)?
        var isOver = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the time was over before the exchange ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts to count. Before the exchange does: a clock that is moved as soon as the server has the request must find the
    /// limit set.
    /// - Parameter limit: seconds of the device's time.
    func begin(limit: TimeInterval, timer: DeviceTimer) {
        let entry = timer.schedule(after: limit) { [self] in
            let exchange = state.withLock { state in
                if !state.hasEnded { state.isOver = true }
                return state.exchange
            }
            exchange?.cancel()
        }
        let isTooLate = state.withLock { state in
            if !state.hasEnded { state.entry = entry }
            return state.hasEnded
        }
        if isTooLate { entry.cancel() }
    }

    /// Sets the exchange to cancel; at once if the time is over already.
    func hold(_ exchange: any HTTPExchange) {
        let givesUp = state.withLock { state in
            if !state.hasEnded { state.exchange = exchange }
            return state.isOver && !state.hasEnded
        }
        if givesUp { exchange.cancel() }
    }

    /// The exchange has ended.
    func end() {
        let entry = state.withLock { state in
            state.hasEnded = true
            state.exchange = nil
            defer { state.entry = nil }
            return state.entry
        }
        entry?.cancel()
    }
}
