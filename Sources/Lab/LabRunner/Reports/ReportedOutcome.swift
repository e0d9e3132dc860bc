/// What a result is in the reports of other tools, which know no open verdicts and no quarantine.
enum ReportedOutcome: Equatable {
    case passed
    /// Something was not as expected.
    case failed
    /// Nobody can tell.
    case error
    /// Not to be counted, for a reason.
    case skipped(String)
}

extension ScenarioResult {
    /// What the result is in the reports of other tools.
    var outcome: ReportedOutcome {
        if verdict == .passed { return .passed }
        // What counts against the run is red in every report, also what had no turn: a build server sees nothing else.
        if isHeldAgainstRun { return verdict == .failed ? .failed : .error }
        if let quarantine, verdict != .notRun { return .skipped("quarantined: \(quarantine)") }
        return .skipped(remark ?? "not run")
    }

    /// Everything that went wrong or was skipped, as the terminal shows it.
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
