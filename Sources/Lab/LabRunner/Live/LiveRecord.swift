internal import LabKit
internal import LabSystem
internal import Synchronization

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

    /// A line of the history of steps.
    struct HistoryLine {
        /// The history of the line; step numbers are unique only within one history.
        let source: String
        let fields: [String: JSONValue]

        /// When it was written, on the monotonic clock, in nanoseconds.
        var time: UInt64 { UInt64(clamping: fields["t"]?.integerValue ?? 0) }
    }

    /// The events since the last read.
    struct News {
        let events: ArraySlice<TraceEvent>
        let history: ArraySlice<HistoryLine>
        let requests: ArraySlice<JSONValue>
    }

    private struct State {
        var events: [TraceEvent] = []
        var history: [HistoryLine] = []
        var requests: [JSONValue] = []
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastListener = 0
        var isOver = false
    }

    private let state = Mutex(State())

    func add(_ event: TraceEvent) { change { $0.events.append(event) } }

    func add(_ line: HistoryLine) { change { $0.history.append(line) } }

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
