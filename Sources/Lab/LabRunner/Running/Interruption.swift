internal import Synchronization

/// A wish to stop, seen by every thread of a run. It grows: first the work ends in order, then at once.
///
/// Thread rule: any thread.
public final class Interruption: Sendable {
    private struct Reach {
        let stop: @Sendable () -> Void
        let end: @Sendable () -> Void
    }

    private let stopFlag = Atomic(false)
    private let endFlag = Atomic(false)
    private let why = Mutex("")
    private let reaches = Mutex<[UInt64: Reach]>([:])
    private let lastReach = Atomic<UInt64>(0)

    /// Not interrupted.
    public init() {}

    /// Whether the run shall stop; tear-downs are still carried out.
    public var isSet: Bool { stopFlag.load(ordering: .acquiring) }

    /// Whether everything shall end at once, tear-downs too.
    public var isForced: Bool { endFlag.load(ordering: .acquiring) }

    /// Why the run stops, for people; empty while it does not.
    public var reason: String { why.withLock { $0 } }

    /// Asks the run to stop; further calls do nothing.
    ///
    /// - Parameter reason: Begins a sentence about what was stopped.
    public func set(because reason: String = "interrupted") {
        let isFirst = why.withLock { why in
            if why.isEmpty { why = reason }
            return !stopFlag.exchange(true, ordering: .acquiringAndReleasing)
        }
        guard isFirst else { return }
        for reach in reaches.withLock({ Array($0.values) }) { reach.stop() }
    }

    /// Asks the run to end at once; further calls do nothing.
    public func force() {
        // Before the wish to stop, which would let a tear-down begin.
        let isFirst = !endFlag.exchange(true, ordering: .acquiringAndReleasing)
        set()
        guard isFirst else { return }
        for reach in reaches.withLock({ Array($0.values) }) { reach.end() }
    }

    /// Does something that an interruption shall reach.
    ///
    /// - Parameters:
    ///   - stop: Done at the moment of the wish to stop, or at once when it has been made; may be done twice.
    ///   - end: Done at the moment of the wish to end at once, or at once when it has been made; may be done twice.
    ///   - body: The work; both actions are forgotten when it ends.
    func reaching<Value>(
        _ stop: @escaping @Sendable () -> Void, end: @escaping @Sendable () -> Void = {},
        during body: () throws -> Value
    ) rethrows -> Value {
        let number = lastReach.add(1, ordering: .relaxed).newValue
        reaches.withLock { $0[number] = Reach(stop: stop, end: end) }
        defer { reaches.withLock { _ = $0.removeValue(forKey: number) } }
        if isSet { stop() }
        if isForced { end() }
        return try body()
    }

    /// Does something with an interruption of its own, which this one reaches but which reaches no further.
    func passing<Value>(to inner: Interruption, during body: () throws -> Value) rethrows -> Value {
        try reaching(
            { [self] in isForced ? inner.force() : inner.set(because: reason) }, end: { inner.force() }, during: body)
    }
}
