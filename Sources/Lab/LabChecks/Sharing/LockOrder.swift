import LabKit

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
