import LabKit

/// Counters of signatures.
///
/// A signature is made inside a task, and is not visible before the task is over. The counter of a process that dies
/// before it has stored the state is free for the next one, so a use counts when the state is stored or the task ends. The
/// signature of a task whose state the device has refused to store does not leave the task.
struct CounterUse: Checker {
    let name = "counters"
    let rule = "Each counter of an activation is used for one signature, and the server's counter never goes back."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var sections = LockSections()
        var open: [RecordedHistory.Incarnation: [TraceEvent]] = [:]
        var refused: Set<RecordedHistory.Incarnation> = []
        var uses: [String: TraceEvent] = [:]
        var accepted: [String: TraceEvent] = [:]
        var finding = Finding()
        func count(_ made: [TraceEvent]) {
            for use in made {
                guard let activation = use.text("activationId"), let counter = use.text("counter") else { continue }
                finding.examined += 1
                guard let first = uses.updateValue(use, forKey: "\(activation) \(counter)") else { continue }
                let (former, latter) = (first.incarnationOfProcess, use.incarnationOfProcess)
                finding.breaches.append(
                    Breach("\(latter) signed with a counter that \(former) had used.", [first, use]))
            }
        }
        for event in history.events {
            try budget.spend()
            let process = event.incarnationOfProcess
            _ = sections.follow(event)
            switch event.name {
            case .counterUsed where sections.isHeld("status", by: process): open[process, default: []].append(event)
            case .counterUsed: count([event])
            case .lockTaken where event.text("lock") == "status": refused.remove(process)
            case .lockReleased where event.text("lock") == "status":
                let made = open.removeValue(forKey: process) ?? []
                if refused.remove(process) == nil { count(made) }
            case _ where event.isRefusal: refused.insert(process)
            case .keychainWritten where event.isStoredState: count(open.removeValue(forKey: process) ?? [])
            case .serverSignature where event.fields["valid"] == true:
                guard let activation = event.text("activationId"), let counter = event.number("counter") else {
                    continue
                }
                if let before = accepted[activation], let last = before.number("counter"), counter <= last {
                    // Two that were stored one right after the other may be recorded in reverse order.
                    if counter < last, event.time < before.time + SharingCheckers.lateness { continue }
                    finding.breaches.append(
                        Breach("The server's counter went from \(last) to \(counter).", [before, event]))
                }
                accepted[activation] = event
            default: break
            }
        }
        return finding
    }
}
