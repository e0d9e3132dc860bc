internal import LabKit

extension RecordedSteps {
    /// Adds what was carried out, when a scenario can repeat it.
    ///
    /// - Parameters:
    ///   - yaml: A step or a list of steps, as it may be kept.
    ///   - pause: The time since the end of what was carried out before, in nanoseconds.
    /// - Returns: What a command failed with of which nothing was expected: what it said is what the session has found out.
    @discardableResult
    mutating func add(_ yaml: String, _ outcome: LiveSteps.Outcome, after pause: UInt64 = 0) -> ControlError? {
        switch outcome {
        case .refused: return nil
        case .done(let steps, let answer):
            add(yaml, steps: steps, answer: answer, error: nil, after: pause)
            return nil
        case .failed(_, let steps, let error):
            guard let error, steps.count == 1, steps[0].isAsGiven, error.domain != ControlError.labDomain else {
                return nil
            }
            add(yaml, steps: steps, answer: nil, error: error, after: pause)
            return error
        }
    }
}

extension Step {
    /// Whether nothing is said about how it ends.
    fileprivate var isAsGiven: Bool {
        if case .command(let command) = action, case .succeeds = command.outcome { true } else { false }
    }
}
