internal import LabKit
internal import LabSystem
internal import Synchronization

/// The trace events of all processes of an instance as they are written: what `waitFor` consumes, and what wakes
/// `eventually`. Explanations, `order` and `never` look into the files.
///
/// Thread rule: any thread.
final class TraceBoard: Sendable {
    private struct State {
        /// The events that somebody may still ask for, in the order in which they came.
        var kept: [TraceEvent] = []
        /// The kept events that a `waitFor` has taken, by their places.
        var taken: Set<Int> = []
        /// How many events came.
        var count = 0
        /// The last of them, whether kept or not.
        var recent: [TraceEvent] = []
        var waiters: [Waiter] = []

        mutating func append(_ event: TraceEvent, isKept: Bool) {
            count += 1
            if isKept { kept.append(event) }
            recent.append(event)
            if recent.count >= 2 * TraceBoard.fewest { recent.removeFirst(TraceBoard.fewest) }
        }

        /// Whether an event came after a number of others that wakes a waiter. Of those that are forgotten, one may have.
        func hasNews(after generation: Int, for interest: Interest) -> Bool {
            let forgotten = count - recent.count
            if generation < forgotten { return interest.processes != [] }
            return recent.dropFirst(generation - forgotten).contains(where: interest.covers)
        }
    }

    /// How many of the last events are known at least.
    private static let fewest = 512

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
        private let names: Set<String>?

        init(keeping names: Set<String>?) { self.names = names }

        func append(_ event: TraceEvent) {
            let isKept = names?.contains(event.name.rawValue) ?? true
            for waiter in mutex.withLock({ state in
                state.append(event, isKept: isKept)
                return state.waiters
            }) where waiter.interest.covers(event) { waiter.bell.signal() }
        }
    }

    /// Follows the trace files of a directory.
    ///
    /// - Parameter names: Of the events that are kept as long as the board; the others only wake who waits. Nil keeps all,
    ///   for whoever cannot know what will be asked for.
    init(directory: String, keeping names: Set<String>? = nil) throws {
        let state = StateBox(keeping: names)
        self.state = state
        follower = try TraceFollower(directory: directory) { state.append($0) }
    }

    /// Ends following.
    func stop() { follower.stop() }

    /// How many events have been seen so far.
    var generation: Int { state.mutex.withLock { $0.count } }

    /// The events after a generation, of a board that keeps all of them.
    func events(after generation: Int) -> [TraceEvent] {
        state.mutex.withLock { state in
            precondition(state.kept.count == state.count, "a board that forgets events cannot list all after one")
            return Array(state.kept.dropFirst(generation))
        }
    }

    /// Waits for an event after a generation.
    ///
    /// - Parameters:
    ///   - generation: The number of events that are known.
    ///   - interest: The events that count.
    ///   - timeout: How long, in real time.
    /// - Returns: After the first new event that counts, or after the time-out; then false.
    @discardableResult
    func wait(after generation: Int, for interest: Interest = .everything, timeout: LabDuration) -> Bool {
        guard let bell = try? EventDescriptor() else { return false }
        let isNew = state.mutex.withLock { state in
            let isNew = state.hasNews(after: generation, for: interest)
            if !isNew { state.waiters.append(Waiter(bell: bell, interest: interest)) }
            return isNew
        }
        guard !isNew else { return true }
        defer { state.mutex.withLock { state in state.waiters.removeAll { $0.bell === bell } } }
        return (try? bell.wait(timeoutNanoseconds: timeout.nanoseconds)) ?? false
    }

    /// Rings a bell at each event that counts, for as long as something goes on.
    func ringing<Value>(_ bell: EventDescriptor, for interest: Interest, during body: () throws -> Value) rethrows
        -> Value
    {
        state.mutex.withLock { $0.waiters.append(Waiter(bell: bell, interest: interest)) }
        defer { state.mutex.withLock { state in state.waiters.removeAll { $0.bell === bell } } }
        return try body()
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
        guard let bell = try? EventDescriptor() else { return false }
        let deadline = Int64(MonotonicClock.nanoseconds()) + timeout.nanoseconds
        var judged = 0
        // The bell hangs before the first look, so that no event and no end of all waiting comes between look and wait.
        return ringing(bell, for: .everything) {
            while true {
                let (events, taken) = state.mutex.withLock { ($0.kept, $0.taken) }
                for index in judged..<events.count where !taken.contains(index) {
                    guard matches(events[index]) else { continue }
                    // Another branch may have taken it in the meantime.
                    if state.mutex.withLock({ $0.taken.insert(index).inserted }) { return true }
                }
                judged = events.count
                let rest = deadline - Int64(MonotonicClock.nanoseconds())
                if isCancelled() || rest <= 0 { return false }
                _ = try? bell.wait(timeoutNanoseconds: rest)
            }
        }
    }

    /// When a command was worked on by its process's own trace; nil when the trace does not say, or not yet.
    func work(_ interval: HandlingInterval) -> ClosedRange<UInt64>? {
        let own = state.mutex.withLock { $0.kept }.filter {
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
