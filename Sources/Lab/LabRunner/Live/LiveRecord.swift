internal import LabKit
internal import LabSystem
internal import Synchronization

/// Everything that is known of an instance so far: what its page shows. Thread rule: any thread.
final class LiveRecord: Sendable {
    /// How much of a record somebody knows.
    struct Extent {
        fileprivate var events = 0
        fileprivate var history = 0
        fileprivate var requests = 0

        /// Nothing of it.
        init() {}
    }

    /// A line of the history of steps.
    struct HistoryLine {
        /// Which history it is of; the numbers of steps are told apart only within one.
        let source: String
        let fields: [String: JSONValue]

        /// When it was written, on the monotonic clock, in nanoseconds.
        var time: UInt64 { UInt64(clamping: fields["t"]?.integerValue ?? 0) }
    }

    /// What has come since somebody looked.
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
        // They take themselves off the list.
        for listener in listeners { listener.finish() }
    }

    /// What is new, which is known from then on.
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

    /// The first moment of all, on the monotonic clock, in nanoseconds.
    var begin: UInt64 { state.withLock { $0.events.map(\.time).min() } ?? MonotonicClock.nanoseconds() }

    /// An element at once, and one whenever there is something new; several may become one.
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
            // After that nothing new comes.
            if state.withLock(\.isOver) { continuation.finish() }
        }
    }
}
