internal import LabKit

/// Counters of signatures.
struct CounterUse: Checker {
    let name = "counters"
    let rule = "Each counter of an activation is used for one signature, and the server's counter never goes back."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        var uses: [String: TraceEvent] = [:]
        var accepted: [String: TraceEvent] = [:]
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            switch event.name {
            case .counterUsed:
                guard let activation = event.text("activationId"), let counter = event.text("counter") else { continue }
                finding.examined += 1
                if let first = uses.updateValue(event, forKey: "\(activation) \(counter)") {
                    finding.breaches.append(
                        Breach(
                            "\(event.incarnationOfProcess) signed with a counter that \(first.incarnationOfProcess) had used.",
                            [first, event]))
                }
            case .serverSignature where event.fields["valid"] == true:
                guard let activation = event.text("activationId"), let counter = event.number("counter") else {
                    continue
                }
                if let before = accepted.updateValue(event, forKey: activation), let last = before.number("counter"),
                    counter <= last
                {
                    finding.breaches.append(
                        Breach("The server's counter went from \(last) to \(counter).", [before, event]))
                }
            default: break
            }
        }
        return finding
    }
}

extension TraceEvent {
    /// A detail that is an integer.
    func number(_ field: String) -> Int64? { fields[field]?.integerValue }
}
