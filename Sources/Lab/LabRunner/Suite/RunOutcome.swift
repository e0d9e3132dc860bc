/// The exit codes of the lab's programs.
public enum RunOutcome: Int32, CaseIterable, Sendable {
    /// Everything passed.
    case passed = 0
    /// Something was not as expected.
    case failed = 1
    /// The command line or a file is wrong; nothing ran.
    case badInput = 2
    /// The lab failed, or a verdict is inconclusive.
    case inconclusive = 3
    /// Stopped by Ctrl-C or SIGTERM.
    case interrupted = 130
}

extension RunOutcome {
    /// The outcome of a run's results: the worst of those that count against it.
    init(_ results: [ScenarioResult]) {
        switch results.filter(\.isHeldAgainstRun).map(\.verdict).max() {
        case nil, .passed: self = .passed
        case .failed: self = .failed
        case .inconclusive, .notRun: self = .inconclusive
        }
    }
}
