internal import LabKit

/// What must hold for apps that share one activation (sharing.md, sections 6 to 8 and 15).
public enum SharingCheckers {
    /// How long the server may take from judging a signature or changing an activation to telling of it, in nanoseconds:
    /// two of its threads may tell in another order than they have stored.
    static let lateness: UInt64 = 200_000_000

    /// All of them, in the order of reports.
    public static let all: [any Checker] = [
        CounterUse(), AcceptedSignatures(), LockExclusion(), LockOrder(), PendingOperations(), FreshState(),
        LateAnswers(), TokenVisibility(), ExplainedFailures(), WantedDeaths(), CleanEnd(),
    ]
}

extension TraceEvent {
    /// Whether the event is one of a lock, by its name.
    func isLock(_ event: TraceEventName, _ lock: String) -> Bool { name == event && text("lock") == lock }

    /// A detail that is an integer.
    func number(_ field: String) -> Int64? { fields[field]?.integerValue }

    /// Whether the event is about the keychain item of the session's state, and not about an unusable state that was put
    /// aside (sharing.md, section 13; sdk.md, section 15, item 23).
    var isStoredState: Bool {
        text("service") == "io.getlime.PowerAuthKeychain.StatusKeychain"
            && text("account")?.hasSuffix(".unusable") == false
    }
}
