import LabKit

extension RecordedSteps {
    /// Adds a step that was carried out, if a scenario can repeat it.
    ///
    /// - Parameters:
    ///   - yaml: A step or a list of steps, without secrets.
    ///   - pause: The time since the end of the previous step, in nanoseconds.
    /// - Returns: The error of a command without an expectation: a finding of the session.
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
    /// Whether it has no expectation.
    fileprivate var isAsGiven: Bool {
        if case .command(let command) = action, case .succeeds = command.outcome { true } else { false }
    }
}
