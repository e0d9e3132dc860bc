import LabKit
import LabSystem
import Synchronization

/// All recorded events of an instance so far, for its page. Thread rule: any thread.
final class LiveRecord: Sendable {
    /// The position of a reader in a record.
    struct Extent {
        fileprivate var events = 0
        fileprivate var history = 0
        fileprivate var requests = 0

        /// The beginning of the record.
        init() {}
    }

    /// The events since the last read.
    struct News {
        let events: ArraySlice<TraceEvent>
        let history: ArraySlice<HistoryEvent>
        let requests: ArraySlice<JSONValue>
    }

    private struct State {
        var events: [TraceEvent] = []
        var history: [HistoryEvent] = []
        var requests: [JSONValue] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
        var isOver = false
    }

    private let state = Mutex(State())

    func add(_ event: TraceEvent) { change { $0.events.append(event) } }

    func add(_ event: HistoryEvent) { change { $0.history.append(event) } }

    func add(_ requests: [JSONValue]) { change { $0.requests += requests } }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            for listener in state.listeners.values { listener.yield() }
        }
    }

    func end() {
        let listeners = state.withLock { state in
            state.isOver = true
            return Array(state.listeners.values)
        }
        // Subscribers remove themselves from the list.
        for listener in listeners { listener.finish() }
    }

    /// The new events since a position; advances the position.
    func news(since extent: inout Extent) -> News {
        state.withLock { state in
            defer {
                extent.events = state.events.count
                extent.history = state.history.count
                extent.requests = state.requests.count
            }
            return News(
                events: state.events[extent.events...], history: state.history[extent.history...],
                requests: state.requests[extent.requests...])
        }
    }

    /// The time of the first event, on the monotonic clock, in nanoseconds.
    var begin: UInt64 { state.withLock { $0.events.map(\.time).min() } ?? MonotonicClock.nanoseconds() }

    /// Yields one element at once, and one whenever something new arrives; several may be merged into one.
    func changes() -> AsyncStream<Void> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.lastListener += 1
                state.listeners[state.lastListener] = continuation
                return state.lastListener
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
            }
            continuation.yield()
            // No new events arrive after that.
            if state.withLock(\.isOver) { continuation.finish() }
        }
    }
}
