// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A request to stop, visible to every thread of a run. It has two levels: first the work ends in order, then at once.
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

    /// Whether the run must stop; tear-downs are still carried out.
    public var isSet: Bool { stopFlag.load(ordering: .acquiring) }

    /// Whether everything must end at once, including tear-downs.
    public var isForced: Bool { endFlag.load(ordering: .acquiring) }

    /// Why the run stops, for people; empty while not interrupted.
    public var reason: String { why.withLock { $0 } }

    /// Asks the run to stop; further calls do nothing.
    /// - Parameter reason: The beginning of a sentence about what was stopped.
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
        // Before the request to stop, which would let a tear-down begin.
        let isFirst = !endFlag.exchange(true, ordering: .acquiringAndReleasing)
        set()
        guard isFirst else { return }
        for reach in reaches.withLock({ Array($0.values) }) { reach.end() }
    }

    /// Performs work that an interruption can stop.
    /// - Parameters:
    ///   - stop: Called on the request to stop, or at once if it was made before; may be called twice.
    ///   - end: Called on the request to end at once, or at once if it was made before; may be called twice.
    ///   - body: The work; both actions are removed when it ends.
    package func reaching<Value>(
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

    /// Performs work with an interruption of its own, which inherits this one and does not affect it.
    package func passing<Value>(to inner: Interruption, during body: () throws -> Value) rethrows -> Value {
        try reaching(
            { [self] in isForced ? inner.force() : inner.set(because: reason) }, end: { inner.force() }, during: body)
    }
}
