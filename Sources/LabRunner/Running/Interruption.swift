internal import Synchronization

/// A wish to stop, made once and seen by every thread of a run.
///
/// Thread rule: any thread.
public final class Interruption: Sendable {
    private let flag = Atomic(false)
    private let actions = Mutex<[@Sendable () -> Void]>([])

    /// Not interrupted.
    public init() {}

    /// Whether the run shall stop.
    public var isSet: Bool { flag.load(ordering: .acquiring) }

    /// Asks the run to stop; further calls do nothing.
    public func set() {
        guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
        for action in actions.withLock({ $0 }) { action() }
    }

    /// Has something done at the moment of the interruption, or at once when it has happened.
    func onSet(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
        if isSet { action() }
    }
}
