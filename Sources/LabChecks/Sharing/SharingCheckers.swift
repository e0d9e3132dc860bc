internal import LabKit

/// What must hold for apps that share one activation (sharing.md, sections 6 to 8 and 15).
public enum SharingCheckers {
    /// All of them, in the order of reports.
    public static let all: [any Checker] = [
        CounterUse(), AcceptedSignatures(), LockExclusion(), LockOrder(), PendingOperations(), FreshState(),
        TokenVisibility(), ExplainedFailures(), WantedDeaths(), CleanEnd(),
    ]
}

extension TraceEvent {
    /// Whether the event is one of a lock, by its name.
    func isLock(_ event: TraceEventName, _ lock: String) -> Bool { name == event && text("lock") == lock }
}
