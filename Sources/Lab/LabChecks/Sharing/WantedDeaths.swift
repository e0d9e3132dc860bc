import LabKit

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
