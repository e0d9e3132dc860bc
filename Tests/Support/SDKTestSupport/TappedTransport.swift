// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import LabHTTP
import Synchronization
import TestSupport

/// The real way to the network, watched and disturbed by a test.
///
/// Thread rule: any thread.
package final class TappedTransport: HTTPTransport {
    /// Where a request can be kept.
    package enum Point: Sendable, CaseIterable {
        /// Before the server has seen it.
        case request
        /// After the server has done its part, before the client knows.
        case response
    }

    /// What happens to the next request of a path, once.
    package enum Order: Sendable {
        /// Keeps it until ``TappedTransport/release(_:)``.
        case hold(Point)
        /// Fails without asking the server.
        case fail(URLError.Code)
        /// Lets the server do its part, then fails.
        case loseAnswer(URLError.Code)
        /// Answers without asking the server.
        case answer(status: Int, body: String)
        /// As ``answer(status:body:)``, kept until ``TappedTransport/release(_:)``.
        case holdAnswer(status: Int, body: String)
        /// Changes the server's answer.
        case change(@Sendable (HTTPResponse) -> HTTPResponse)
    }

    private struct State {
        var sent: [HTTPRequest] = []
        var sentOnMainQueue: [String] = []
        var orders: [String: [Order]] = [:]
        var held: [String: [@Sendable () -> Void]] = [:]
        var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]
    }

    private let state = Mutex(State())
    private let network: any HTTPTransport

    package init(_ network: any HTTPTransport = CurlTransport.shared) { self.network = network }

    /// Everything that was sent, oldest first.
    package var requests: [HTTPRequest] { state.withLock { $0.sent } }
    /// The paths that were asked for, behind the base URL.
    package var paths: [String] { requests.map(Self.path) }

    /// The paths of those that the main queue had to send.
    package var pathsSentOnMainQueue: [String] { state.withLock { $0.sentOnMainQueue } }

    /// How many requests there were for a path.
    package func count(of path: String) -> Int { paths.count { $0 == path } }

    /// Arranges what happens to the next requests of a path, one order a request.
    package func order(_ orders: Order..., for path: String) {
        state.withLock { $0.orders[path, default: []] += orders }
    }

    /// Waits until a request of the path is kept.
    package func holds(_ path: String) async {
        await withCheckedContinuation { continuation in
            let isHeld = state.withLock { state in
                let isHeld = state.held[path]?.isEmpty == false
                if !isHeld { state.waiting[path, default: []].append(continuation) }
                return isHeld
            }
            if isHeld { continuation.resume() }
        }
    }

    /// Continues all held requests of a path.
    package func release(_ path: String) {
        for resume in state.withLock({ $0.held.removeValue(forKey: path) }) ?? [] { resume() }
    }

    /// Takes back what no request of the path has met.
    package func withdraw(_ path: String) { state.withLock { $0.orders[path] = nil } }

    package func send(
        _ request: HTTPRequest, completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
    ) -> any HTTPExchange {
        let path = Self.path(request)
        let order = state.withLock { state -> Order? in
            state.sent.append(request)
            if MainQueue.isCurrent { state.sentOnMainQueue.append(path) }
            guard state.orders[path]?.isEmpty == false else { return nil }
            return state.orders[path]?.removeFirst()
        }
        let exchange = Exchange(request, network, completion)
        switch order {
        case nil: exchange.start()
        case .hold(.request): hold(path) { exchange.start() }
        case .hold(.response):
            exchange.start { [self] result in hold(path) { exchange.finish(result) } }
        case .fail(let code): exchange.fail(code)
        case .loseAnswer(let code): exchange.start { _ in exchange.fail(code) }
        case .answer(let status, let body):
            exchange.finishLater(.success(HTTPResponse(status: status, body: Data(body.utf8))))
        case .holdAnswer(let status, let body):
            hold(path) { exchange.finishLater(.success(HTTPResponse(status: status, body: Data(body.utf8)))) }
        case .change(let change): exchange.start { exchange.finish($0.map(change)) }
        }
        return exchange
    }

    private func hold(_ path: String, _ resume: @escaping @Sendable () -> Void) {
        let waiting = state.withLock { state in
            state.held[path, default: []].append(resume)
            return state.waiting.removeValue(forKey: path) ?? []
        }
        for test in waiting { test.resume() }
    }

    private static func path(_ request: HTTPRequest) -> String {
        request.url.path.replacing("/enrollment-server", with: "")
    }

    /// One request; its completion is called exactly once.
    private final class Exchange: HTTPExchange {
        private struct State {
            var completion: (@Sendable (Result<HTTPResponse, NSError>) -> Void)?
            var inner: (any HTTPExchange)?
            var isCancelled = false

            /// True once no caller waits for the server.
            var isOver: Bool { isCancelled || completion == nil }
        }

        private let request: HTTPRequest
        private let network: any HTTPTransport
        private let state: Mutex<State>

        init(
            _ request: HTTPRequest, _ network: any HTTPTransport,
            _ completion: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void
        ) {
            self.request = request
            self.network = network
            state = Mutex(State(completion: completion))
        }

        func start(_ received: (@Sendable (Result<HTTPResponse, NSError>) -> Void)? = nil) {
            guard state.withLock({ !$0.isOver }) else { return }
            let inner = network.send(request) { [self] result in received.map { $0(result) } ?? finish(result) }
            let isTooLate = state.withLock { state in
                state.inner = inner
                return state.isOver
            }
            if isTooLate { inner.cancel() }
        }

        func finish(_ result: Result<HTTPResponse, NSError>) {
            let completion = state.withLock { state in
                defer { state.completion = nil }
                return state.completion
            }
            completion?(result)
        }

        func finishLater(_ result: Result<HTTPResponse, NSError>) {
            DispatchQueue.global().async { [self] in finish(result) }
        }

        func fail(_ code: URLError.Code) {
            finishLater(.failure(CurlError.error(code, "arranged by the test", url: request.url)))
        }

        func cancel() {
            let inner = state.withLock { state in
                state.isCancelled = true
                return state.inner
            }
            inner?.cancel()
            fail(.cancelled)
        }
    }
}
