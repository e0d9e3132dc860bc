import LabKit

/// Tokens of one app are those of the others.
struct TokenVisibility: Checker {
    let name = "tokens"
    let rule = "A token that one app has stored or removed is there, or not there, for every app that asks afterwards."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var changes: [String: [TraceEvent]] = [:]
        var tasks: Set<RecordedHistory.Incarnation> = []
        for event in history.events {
            try budget.spend()
            switch event.name {
            case .tokenStored, .tokenRemoved: changes[event.text("name") ?? "", default: []].append(event)
            case .lockTaken where event.text("lock") == "status": tasks.insert(event.incarnationOfProcess)
            case .lockReleased where event.text("lock") == "status": tasks.remove(event.incarnationOfProcess)
            default: break
            }
        }
        // Who died in a task may have changed a token without a word.
        let deaths = tasks.compactMap { history.lastEvent(of: $0)?.time }
        var finding = Finding()
        for call in history.calls {
            try budget.spend()
            guard let token = call.token, let found = call.found, let completed = call.completed else { continue }
            let known = changes[token] ?? []
            // A change at the same time may or may not be seen.
            guard let last = known.last(where: { $0.time < call.invoked.time }),
                !known.contains(where: { (call.invoked.time...completed.time).contains($0.time) }),
                !deaths.contains(where: { (last.time...completed.time).contains($0) })
            else { continue }
            finding.examined += 1
            let isThere = last.name == .tokenStored
            guard found != isThere else { continue }
            let who = last.incarnationOfProcess
            finding.breaches.append(
                Breach(
                    isThere
                        ? "\(call.incarnation) does not see the token that \(who) has stored."
                        : "\(call.incarnation) still sees the token that \(who) has removed.",
                    [last, call.invoked, completed]))
        }
        return finding
    }
}
