import LabKit

/// Answers and the activations that they are about (sharing.md, D30).
///
/// A signature says which activation asked the server. What the command that made it saves afterwards is what it does with
/// the answer, so the state before must be one of the same activation.
struct LateAnswers: Checker {
    let name = "late answers"
    let rule = "What an app does with an answer of the server changes the activation that has signed the request."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        /// What an app does at a time: a command, with its place in the history.
        struct Work: Hashable {
            let process: RecordedHistory.Incarnation
            let operation: String
        }
        var signatures: [Work: TraceEvent] = [:]
        var known: [RecordedHistory.Incarnation: TraceEvent] = [:]
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            let process = event.incarnationOfProcess
            let work = event.operation.map { Work(process: process, operation: $0) }
            switch event.name {
            // One operation may be several commands, each with a will of its own.
            case .commandStarted: if let work { signatures[work] = nil }
            case .counterUsed: if let work { signatures[work] = event }
            case .stateLoaded: known[process] = event
            case .stateSaved:
                defer { known[process] = event }
                guard let work, let signature = signatures[work], let before = known[process],
                    let changed = before.text("activationId")
                else { continue }
                finding.examined += 1
                guard signature.text("activationId") != changed else { continue }
                finding.breaches.append(
                    Breach(
                        "\(process) changed another activation than the one that the server had answered.",
                        [signature, before, event]))
            default: break
            }
        }
        return finding
    }
}
