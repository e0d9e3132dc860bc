internal import LabKit
internal import LabSystem
internal import Synchronization

/// The trace events of all processes of an instance as they are written: what `waitFor` consumes, what wakes
/// `eventually`, and what explanations quote.
///
/// Thread rule: any thread.
final class TraceBoard: Sendable {
    private struct State {
        var events: [TraceEvent] = []
        /// The events that a `waitFor` has taken, by their places in `events`.
        var taken: Set<Int> = []
        var waiters: [Waiter] = []
    }

    /// Somebody who sleeps until an event comes.
    private struct Waiter {
        let bell: EventDescriptor
        let interest: Interest
    }

    private let state: StateBox
    private let follower: TraceFollower

    /// The events that wake a waiter.
    struct Interest: Sendable {
        /// The processes; nil means all.
        var processes: Set<String>?
        /// Operations, with everything inside them, whose events do not count: the waiter's own.
        var own: String?

        /// Every event.
        static let everything = Interest()
        /// No event: only `wakeAll` ends the waiting.
        static let nothing = Interest(processes: [])

        func covers(_ event: TraceEvent) -> Bool {
            if let processes, !processes.contains(event.process) { return false }
            guard let own else { return true }
            if event.name == .commandStarted || event.name == .commandFinished { return false }
            return !event.isCaused(by: own)
        }
    }

    /// Shared with the follower's callback, which must not own the board.
    private final class StateBox: Sendable {
        let mutex = Mutex(State())

        func append(_ event: TraceEvent) {
            for waiter in mutex.withLock({ state in
                state.events.append(event)
                return state.waiters
            }) where waiter.interest.covers(event) { waiter.bell.signal() }
        }
    }

    /// Follows the trace files of a directory.
    init(directory: String) throws {
        let state = StateBox()
        self.state = state
        follower = try TraceFollower(directory: directory) { state.append($0) }
    }

    /// Ends following.
    func stop() { follower.stop() }

    /// How many events have been seen so far.
    var generation: Int { state.mutex.withLock { $0.events.count } }

    /// Waits for an event after a generation.
    ///
    /// - Parameters:
    ///   - generation: The number of events that are known.
    ///   - interest: The events that count.
    ///   - timeout: How long, in real time.
    /// - Returns: After the first new event that counts, or after the time-out.
    func wait(after generation: Int, for interest: Interest = .everything, timeout: LabDuration) {
        guard let bell = try? EventDescriptor() else { return }
        let isNew = state.mutex.withLock { state in
            let isNew = state.events.dropFirst(generation).contains(where: interest.covers)
            if !isNew { state.waiters.append(Waiter(bell: bell, interest: interest)) }
            return isNew
        }
        guard !isNew else { return }
        _ = try? bell.wait(timeoutNanoseconds: timeout.nanoseconds)
        state.mutex.withLock { state in state.waiters.removeAll { $0.bell === bell } }
    }

    /// Ends all waiting.
    func wakeAll() {
        for waiter in state.mutex.withLock({ $0.waiters }) { waiter.bell.signal() }
    }

    /// Waits for an event that no earlier call has consumed.
    ///
    /// - Parameters:
    ///   - timeout: How long, in real time.
    ///   - isCancelled: Ends the waiting early.
    ///   - matches: Judges an event.
    /// - Returns: Whether it came.
    func consume(timeout: LabDuration, isCancelled: () -> Bool, matches: (TraceEvent) -> Bool) -> Bool {
        let deadline = Int64(MonotonicClock.nanoseconds()) + timeout.nanoseconds
        var judged = 0
        while true {
            let (events, taken) = state.mutex.withLock { ($0.events, $0.taken) }
            for index in judged..<events.count where !taken.contains(index) {
                guard matches(events[index]) else { continue }
                // Another branch may have taken it in the meantime.
                if state.mutex.withLock({ $0.taken.insert(index).inserted }) { return true }
            }
            judged = events.count
            let rest = deadline - Int64(MonotonicClock.nanoseconds())
            if isCancelled() || rest <= 0 { return false }
            wait(after: events.count, timeout: LabDuration(nanoseconds: rest))
        }
    }

    /// When a command was worked on by its process's own trace; nil when the trace does not say, or not yet.
    func work(_ interval: HandlingInterval) -> ClosedRange<UInt64>? {
        let own = state.mutex.withLock { $0.events }.filter {
            $0.process == interval.actor && $0.operation == interval.operation
        }
        guard
            let begin = own.first(where: {
                $0.name == .commandStarted && (interval.sent...interval.received).contains($0.time)
            }), let end = own.first(where: { $0.name == .commandFinished && $0.time >= begin.time })
        else { return nil }
        return begin.time...end.time
    }
}

extension TraceEvent {
    /// Whether a step, or one inside it, caused the event; agents name no step.
    func isCaused(by step: String) -> Bool { operation == step || operation?.hasPrefix(step + ".") == true }

    /// The event in one line.
    var line: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.description)" }
        return (["\(process)#\(incarnation)", name.rawValue] + fields).joined(separator: " ")
    }
}
