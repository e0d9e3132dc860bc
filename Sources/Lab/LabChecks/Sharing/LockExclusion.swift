import LabKit

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
