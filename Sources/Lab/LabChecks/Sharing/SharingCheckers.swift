// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabPoints

/// What must hold for apps that share one activation (sharing.md, sections 6 to 8 and 15).
public enum SharingCheckers {
    /// How long the server may take from judging a signature or changing an activation to recording it, in nanoseconds:
    /// two of its threads may record in another order than they have stored.
    static let lateness: UInt64 = 200_000_000

    /// All of them, in the order of reports.
    public static let all: [any Checker] = [
        CounterUse(), AcceptedSignatures(), LockExclusion(), LockOrder(), PendingOperations(), FreshState(),
        LateAnswers(), TokenVisibility(), TokenOrder(), OperationOrder(), PasswordOrder(), ExplainedFailures(),
        WantedDeaths(), CleanEnd(),
    ]

    /// Those that hold in every scenario with one shared activation too, regardless of what its steps expect.
    public static let inScenarios: [any Checker] = [
        CounterUse(), LockExclusion(), LockOrder(), PendingOperations(), FreshState(), LateAnswers(),
    ]

    /// Whether those of scenarios look at an event. An app can log as much as it likes, and its words take no memory here.
    public static func judgeInScenarios(_ event: TraceEvent) -> Bool {
        judged.contains(event.name) || LockOrder.isDeadlockReport(event)
    }

    private static let judged: Set<TraceEventName> = [
        .commandStarted, .counterUsed, .diskRefused, .faultFired, .keychainDeleted, .keychainWritten, .lockReleased,
        .lockTaken, .memoryCreated, .memoryOpened, .operationFinished, .operationStarted, .serverSignature,
        .stateLoaded, .stateSaved,
    ]
}

extension RecordedHistory {
    /// Whether the applications of a device share one activation and no other one: the name of a lock says which kind it is,
    /// and not whose.
    public var hasOneSharedActivation: Bool {
        var memories: Set<String> = []
        var states: Set<String> = []
        for event in events {
            switch event.name {
            case .memoryCreated, .memoryOpened: memories.insert(event.text("name") ?? "")
            case .keychainWritten where event.isStoredState: states.insert(event.text("account") ?? "")
            default: break
            }
        }
        return memories.count == 1 && states.count <= 1
    }
}

extension TraceEvent {
    /// Whether the event is one of a lock, by its name.
    func isLock(_ event: TraceEventName, _ lock: String) -> Bool { name == event && text("lock") == lock }

    func number(_ field: String) -> Int64? { fields[field]?.integerValue }

    /// Whether the device refuses a process what it reads or writes.
    var isRefusal: Bool { name == .diskRefused || name == .faultFired && text("action") == "fail" }

    /// Whether the event is about the keychain item of the session's state, and not about an unusable state that was put
    /// aside (sharing.md, section 13; sdk.md, section 15, item 23).
    var isStoredState: Bool {
        text("service") == "io.getlime.PowerAuthKeychain.StatusKeychain"
            && text("account")?.hasSuffix(".unusable") == false
    }
}
