// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import LabPoints

/// Nothing is left of a run.
struct CleanEnd: Checker {
    let name = "clean end"
    let rule = "After the run every process has been reaped, and no memory or file is left behind."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        guard let end = history.events.last(where: { $0.name == .stressEnded }) else {
            return Finding(gap: "the record ends before the run does")
        }
        let complaints = end.fields["complaints"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let processes = history.events.count { $0.name == .processStarted }
        return Finding(breaches: complaints.map { Breach("\($0).", [end]) }, examined: processes)
    }
}

/// Processes die by the plan only.
struct WantedDeaths: Checker {
    let name = "deaths"
    let rule = "A process ends only when the plan, an armed fault or the device's system ends it."

    func check(_ history: RecordedHistory, _ budget: inout Budget) throws -> Finding {
        // Afterwards any process may end: the run ends, or its driver was killed.
        let end = history.events.last {
            $0.name == .stressEnding || $0.name == .callInvoked || $0.name == .callCompleted
        }
        var wanted: Set<RecordedHistory.Incarnation> = []
        var finding = Finding()
        for event in history.events {
            try budget.spend()
            if let end, event.time > end.time { break }
            switch event.name {
            case .deathWanted: if let subject = event.subject { wanted.insert(subject) }
            case .faultFired where event.text("action") == "kill": wanted.insert(event.incarnationOfProcess)
            case .processEnded:
                guard let subject = event.subject else { continue }
                finding.examined += 1
                let isKill = [nil, "SIGKILL", "SIGTERM"].contains(event.text("signal"))
                if wanted.contains(subject), isKill { continue }
                if event.text("cause") != nil { continue }
                let last = history.events.filter { $0.incarnationOfProcess == subject }.suffix(5)
                finding.breaches.append(
                    Breach("\(subject) ended by itself: \(event.text("reason") ?? "reason unknown").", last + [event]))
            default: break
            }
        }
        return finding
    }
}

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
            finding.breaches.append(Breach("\(call.call) of \(call.incarnation) \(what).", [call.invoked, completed]))
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
