import PowerAuthShared
import Synchronization

/// A request to the phone that the watch can lose interest in.
final class PhoneRequest: PowerAuthOperationTask, Sendable {
    private let cancelled = Mutex(false)

    var isCancelled: Bool { cancelled.withLock { $0 } }

    func cancel() { cancelled.withLock { $0 = true } }
}
