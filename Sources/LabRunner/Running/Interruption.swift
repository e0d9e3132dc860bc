internal import Synchronization

/// A wish to stop, made once and seen by every thread of a run.
///
/// Thread rule: any thread.
public final class Interruption: Sendable {
    private let flag = Atomic(false)
    private let actions = Mutex<[UInt64: @Sendable () -> Void]>([:])
    private let lastAction = Atomic<UInt64>(0)

    /// Not interrupted.
    public init() {}

    /// Whether the run shall stop.
    public var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Asks the run to stop; further calls do nothing.
    public func set() {
        guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
        for action in actions.withLock({ Array($0.values) }) { action() }
    }

    /// Does something that an interruption shall reach.
    ///
    /// - Parameters:
    ///   - action: Done at the moment of the interruption, or at once when it has happened; may be done twice.
    ///   - body: The work; the action is forgotten when it ends.
    func reaching<Value>(_ action: @escaping @Sendable () -> Void, during body: () throws -> Value) rethrows -> Value {
        let number = lastAction.add(1, ordering: .relaxed).newValue
        actions.withLock { $0[number] = action }
        defer { actions.withLock { _ = $0.removeValue(forKey: number) } }
        if isSet { action() }
        return try body()
    }
}
