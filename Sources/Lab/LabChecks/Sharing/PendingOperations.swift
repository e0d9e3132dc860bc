import LabKit

/// Operations that exclude other apps.
struct PendingOperations: Checker {
    let name = "pending operations"
    let rule = "At most one operation is pending, and its owner lives and holds the operation lock."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var sections = LockSections()
        var pending: TraceEvent?
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            _ = sections.follow(event)
            switch event.name {
            case .operationStarted:
                finding.examined += 1
                let owner = event.incarnationOfProcess
                if !sections.isHeld("operation", by: owner) {
                    finding.breaches.append(
                        Breach("\(owner) began an operation without the operation lock.", [event]))
                }
                if let before = pending, before.incarnationOfProcess != owner,
                    history.lives(before.incarnationOfProcess, after: event.time)
                {
                    let former = before.incarnationOfProcess
                    let sign = history.events.first { $0.time > event.time && $0.incarnationOfProcess == former }
                    finding.breaches.append(
                        Breach(
                            "\(owner) began an operation while that of \(former) was pending.",
                            [before, event, sign].compactMap(\.self)))
                }
                pending = event
            // A deallocated SDK object releases what it has begun, as a process that dies.
            case .lockReleased where event.text("lock") == "operation":
                if pending?.incarnationOfProcess == event.incarnationOfProcess { pending = nil }
            case .operationFinished where pending?.incarnationOfProcess == event.incarnationOfProcess: pending = nil
            default: break
            }
        }
        return finding
    }
}
