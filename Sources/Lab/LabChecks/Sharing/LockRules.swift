// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints

/// Locks have one holder.
struct LockExclusion: Checker {
    let name = "exclusion"
    let rule = "No two processes hold a lock at the same time."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var sections = LockSections()
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            let before = sections.follow(event)
            guard event.name == .lockTaken else { continue }
            finding.examined += 1
            guard let before, before.incarnationOfProcess != event.incarnationOfProcess,
                history.lives(before.incarnationOfProcess, after: event.time)
            else { continue }
            let holder = before.incarnationOfProcess
            let sign = history.events.first { $0.time > event.time && $0.incarnationOfProcess == holder }
            finding.breaches.append(
                Breach(
                    "\(event.incarnationOfProcess) took the lock `\(event.text("lock") ?? "")` that \(holder) held.",
                    [before, event, sign].compactMap(\.self)))
        }
        return finding
    }
}

/// Locks have an order.
struct LockOrder: Checker {
    let name = "order"
    let rule = "The operation lock is taken inside a task only, and a task never waits for the queue."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var sections = LockSections()
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            _ = sections.follow(event)
            if event.isLock(.lockTaken, "operation") {
                finding.examined += 1
                if !sections.isHeld("status", by: event.incarnationOfProcess) {
                    finding.breaches.append(
                        Breach("\(event.incarnationOfProcess) took the operation lock outside of a task.", [event]))
                }
            } else if event.name == .lockTaken {
                finding.examined += 1
            } else if Self.isDeadlockReport(event) {
                finding.breaches.append(
                    Breach("\(event.incarnationOfProcess) asked for the queue inside a task.", [event]))
            }
        }
        return finding
    }

    /// Whether an app says that its SDK has refused to wait for itself.
    static func isDeadlockReport(_ event: TraceEvent) -> Bool {
        event.name == .log && event.text("message")?.contains("interprocess deadlock") == true
    }
}

/// Who holds the locks between applications while a history is walked through.
///
/// A lock counts as held until its release is recorded or the holder has recorded its last event: the kernel takes the
/// lock of a dead process only afterwards.
struct LockSections {
    private var holders: [String: TraceEvent] = [:]

    /// Follows an event; gives the one by which the lock was taken that this event takes as well, or releases.
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
