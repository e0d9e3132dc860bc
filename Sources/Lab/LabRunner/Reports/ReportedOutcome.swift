/// A result in the reports of other tools, which have neither inconclusive verdicts nor quarantine.
enum ReportedOutcome: Equatable {
    case passed
    /// A mismatch.
    case failed
    /// Inconclusive.
    case error
    /// Not counted, for a reason.
    case skipped(String)
}

extension ScenarioResult {
    /// The result in the reports of other tools.
    var outcome: ReportedOutcome {
        if verdict == .passed { return .passed }
        // Every result that counts against the run is red in every report, even one that was not played: a build server
        // sees only that.
        if isHeldAgainstRun { return verdict == .failed ? .failed : .error }
        if let quarantine, verdict != .notRun { return .skipped("quarantined: \(quarantine)") }
        return .skipped(remark ?? "not run")
    }

    /// Everything that failed or was skipped, as the terminal shows it.
    var explanation: String {
        TerminalReport(isColoured: false).details(of: self).joined(separator: "\n")
    }
}

extension [ScenarioResult] {
    func count(_ outcome: ReportedOutcome) -> Int { count { $0.outcome == outcome } }

    /// The results that are not counted.
    var skipped: Int {
        count { if case .skipped = $0.outcome { true } else { false } }
    }
}
