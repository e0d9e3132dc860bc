import Dispatch
import LabKit
import Synchronization

/// Fetches the requests of apps from a running instance's server, whenever it has answered some.
///
/// Thread rule: any thread; the callback runs on a thread of its own.
final class RequestFollower: Sendable {
    /// Time during which answers are collected before one query to the server.
    private static let pause = DispatchTimeInterval.milliseconds(50)

    private struct State {
        /// Number of the last request that was fetched.
        var last: Int64 = 0
        var isWaiting = false
        var isOver = false
    }

    private let instance: InstanceConnection
    private let redactor: Redactor
    private let onRequests: @Sendable ([JSONValue]) -> Void
    /// Queries of the page must not wait for those of a step.
    private let clients: ControlClients
    private let queue = DispatchQueue(label: "requests")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - redactor: masks the secrets that were typed on the page.
    ///   - onRequests: gets each request once, oldest first.
    init(
        of instance: InstanceConnection, redactor: Redactor, onRequests: @escaping @Sendable ([JSONValue]) -> Void
    ) {
        self.instance = instance
        self.redactor = redactor
        self.onRequests = onRequests
        clients = ControlClients(instance.layout)
    }

    /// Handles an event of the instance; an event of the server may mean that there are new requests.
    func note(_ event: TraceEvent) {
        switch event.name {
        // A restarted server counts from the beginning.
        case .processStarted where event.process == "server": state.withLock { $0.last = 0 }
        case .serverResponse, .serverFaulted: ask()
        default: break
        }
    }

    /// Stops asking. A pending query still ends by itself.
    func stop() { state.withLock { $0.isOver = true } }

    private func ask() {
        let isFirst = state.withLock { state in
            defer { state.isWaiting = true }
            return !state.isWaiting
        }
        if isFirst { queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in self?.fetch() } }
    }

    private func fetch() {
        let last: Int64? = state.withLock { state in
            state.isWaiting = false
            return state.isOver ? nil : state.last
        }
        guard let last else { return }
        let new = ScenarioTraffic(of: instance, redactor: redactor).requests(after: last, over: clients)
        guard !new.isEmpty else { return }
        state.withLock { $0.last = new.compactMap { $0["number"]?.integerValue }.max() ?? $0.last }
        onRequests(new)
    }
}
