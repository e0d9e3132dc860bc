// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabPoints
package import LabSystem
import Synchronization

/// The trace events of all processes of an instance as they are written: `waitFor` consumes them, and they wake up
/// `eventually`. Explanations, `order` and `never` read the files.
///
/// Thread rule: any thread.
package final class TraceBoard: Sendable {
    private struct State {
        /// The events that a step may still ask for, in the order of arrival.
        var kept: [TraceEvent] = []
        /// The indexes of kept events that a `waitFor` has consumed.
        var taken: Set<Int> = []
        /// Number of events so far.
        var count = 0
        /// The last events, whether kept or not.
        var recent: [TraceEvent] = []
        var waiters: [Waiter] = []

        mutating func append(_ event: TraceEvent, isKept: Bool) {
            count += 1
            if isKept { kept.append(event) }
            recent.append(event)
            if recent.count >= 2 * TraceBoard.fewest { recent.removeFirst(TraceBoard.fewest) }
        }

        /// The next kept events from a position on. A reader that held the whole list would cause a copy of it with each
        /// event that comes meanwhile.
        func piece(from start: Int) -> [TraceEvent] {
            Array(kept[start..<min(kept.count, start + TraceBoard.mostAtOnce)])
        }

        /// Whether an event that wakes a waiter arrived after a number of others. Events no longer stored count as one.
        func hasNews(after generation: Int, for interest: Interest) -> Bool {
            let forgotten = count - recent.count
            if generation < forgotten { return interest.processes != [] }
            return recent.dropFirst(generation - forgotten).contains(where: interest.covers)
        }
    }

    /// Minimum number of last events that are stored.
    private static let fewest = 512
    /// Maximum number of kept events that are looked at without the next ones.
    private static let mostAtOnce = 4_096

    /// A thread that sleeps until an event arrives.
    private struct Waiter {
        let bell: EventDescriptor
        let interest: Interest
    }

    private let state: StateBox
    private let follower: TraceFollower

    /// The events that wake a waiter.
    package struct Interest: Sendable {
        /// The processes; nil means all.
        package var processes: Set<String>?
        /// Operations whose events, with those of all steps inside, do not count: the waiter's own.
        package var own: String?

        package init(processes: Set<String>? = nil, own: String? = nil) {
            (self.processes, self.own) = (processes, own)
        }

        /// Every event.
        package static let everything = Interest()
        /// No event: only `wakeAll` ends the waiting.
        package static let nothing = Interest(processes: [])

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
    /// - Parameter names: Names of the events to keep as long as the board exists; others only wake waiters. Nil keeps
    ///   all, if the later queries are not known in advance.
    package init(directory: String, keeping names: Set<String>? = nil) throws {
        let state = StateBox(keeping: names)
        self.state = state
        follower = try TraceFollower(directory: directory) { state.append($0) }
    }

    /// Ends following.
    package func stop() { follower.stop() }

    /// Number of events so far.
    package var generation: Int { state.mutex.withLock { $0.count } }

    /// The events after a generation, for a board that keeps all of them.
    package func events(after generation: Int) -> [TraceEvent] {
        state.mutex.withLock { state in
            precondition(state.kept.count == state.count, "a board that forgets events cannot list all after one")
            return Array(state.kept.dropFirst(generation))
        }
    }

    /// Waits for an event after a generation.
    /// - Returns: true after the first new event that counts, false after the timeout.
    @discardableResult
    package func wait(after generation: Int, for interest: Interest = .everything, timeout: LabDuration) -> Bool {
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

    /// Signals a bell at each event that counts, while the body runs.
    package func ringing<Value>(_ bell: EventDescriptor, for interest: Interest, during body: () throws -> Value)
        rethrows
        -> Value
    {
        state.mutex.withLock { $0.waiters.append(Waiter(bell: bell, interest: interest)) }
        defer { state.mutex.withLock { state in state.waiters.removeAll { $0.bell === bell } } }
        return try body()
    }

    /// Ends all waiting.
    func wakeAll() { for waiter in state.mutex.withLock({ $0.waiters }) { waiter.bell.signal() } }

    /// Waits for an event that no earlier call has consumed.
    /// - Returns: Whether it arrived.
    func consume(timeout: LabDuration, isCancelled: () -> Bool, matches: (TraceEvent) -> Bool) -> Bool {
        guard let bell = try? EventDescriptor() else { return false }
        let deadline = Int64(MonotonicClock.nanoseconds()) + timeout.nanoseconds
        var judged = 0
        // Registered before the first check, so that neither an event nor the end of all waiting is missed in between.
        return ringing(bell, for: .everything) {
            while true {
                while case let (events, taken) = state.mutex.withLock({ ($0.piece(from: judged), $0.taken) }),
                    !events.isEmpty
                {
                    for (index, event) in zip(judged..., events) where !taken.contains(index) {
                        guard matches(event) else { continue }
                        // Another branch may have consumed it meanwhile.
                        if state.mutex.withLock({ $0.taken.insert(index).inserted }) { return true }
                    }
                    judged += events.count
                }
                let rest = deadline - Int64(MonotonicClock.nanoseconds())
                if isCancelled() || rest <= 0 { return false }
                _ = try? bell.wait(timeoutNanoseconds: rest)
            }
        }
    }

    /// When a command was handled according to its process's own trace; nil if the trace does not contain it, or not
    /// yet.
    func work(_ interval: HandlingInterval) -> ClosedRange<UInt64>? {
        var own: [TraceEvent] = []
        var judged = 0
        while case let events = state.mutex.withLock({ $0.piece(from: judged) }), !events.isEmpty {
            own += events.filter { $0.process == interval.actor && $0.operation == interval.operation }
            judged += events.count
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
    package var line: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.description)" }
        return (["\(process)#\(incarnation)", name.rawValue] + fields).joined(separator: " ")
    }
}
