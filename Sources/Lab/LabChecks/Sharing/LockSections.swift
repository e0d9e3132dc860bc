import LabKit

/// Who holds the locks between applications while a history is walked through.
///
/// A lock counts as held until its release is recorded or the holder has recorded its last event: the kernel takes the
/// lock of a dead process only afterwards.
struct LockSections {
    private var holders: [String: TraceEvent] = [:]

    /// Follows an event.
    ///
    /// - Returns: The event by which the lock was taken that this event takes as well, or releases; nil otherwise.
    mutating func follow(_ event: TraceEvent) -> TraceEvent? {
        guard let lock = event.text("lock") else { return nil }
        switch event.name {
        case .lockTaken: return holders.updateValue(event, forKey: lock)
        case .lockReleased:
            guard let taken = holders[lock], taken.incarnationOfProcess == event.incarnationOfProcess else {
                return nil
            }
            holders[lock] = nil
            return taken
        default: return nil
        }
    }

    /// Whether an incarnation holds a lock.
    func isHeld(_ lock: String, by incarnation: RecordedHistory.Incarnation) -> Bool {
        holders[lock]?.incarnationOfProcess == incarnation
    }
}
