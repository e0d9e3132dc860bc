import LabKit

/// Calls that fail have a reason that the SDK reports to its user.
struct ExplainedFailures: Checker {
    let name = "failures"
    let rule = "Every call is answered, and none fails because a lock, the memory or the stored state cannot be used."

    /// Errors that only a defect explains in a run in which nothing refuses to read or to write.
    private static let unexplained = Set([
        "invalidActivationState", "invalidConfiguration", "signatureError", "wrongParameter", "encryption",
    ]).union(
        [LabErrorName.failed, .badRequest, .badArgument, .unknownCommand, .launchFailed, .internal, .timedOut]
            .map(\.rawValue))

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        let changes = history.events.filter(\.changesActivation)
        var finding = Finding()
        for call in history.calls {
            try budget.spend()
            guard let completed = call.completed else { continue }
            finding.examined += 1
            guard let error = call.error, Self.unexplained.contains(error) else { continue }
            let length = call.invoked.time...completed.time
            let isUnanswered = error == LabErrorName.timedOut.rawValue
            // The activation that the call was about may have gone meanwhile.
            if !isUnanswered, changes.contains(where: { length.contains($0.time) }) { continue }
            let what = isUnanswered ? "was not answered in time" : "failed with `\(error)`"
            finding.breaches.append(
                Breach("\(call.call) of \(call.incarnation) \(what).", [call.invoked, completed]))
        }
        return finding
    }
}

extension TraceEvent {
    /// Whether it shows that the activation has gone, or that another one is being made.
    fileprivate var changesActivation: Bool {
        switch name {
        case .stateRemoved, .operationStarted, .operationFinished: true
        case .stateLoaded: fields["activation"] == false
        default: false
        }
    }
}
