internal import LabKit

extension ScenarioRun {
    /// Explains what is wrong with a step.
    ///
    /// - Parameters:
    ///   - peer: Who was to carry the step out, or whose event was awaited.
    ///   - error: The error that was not expected.
    ///   - awaited: The event that did not come.
    ///   - waitingSince: When the first attempt began, of a step that is tried until it holds.
    func explain(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil,
        error: ControlError? = nil, awaited: String? = nil, waitingSince: UInt64? = nil
    ) -> StepFailure {
        let facts = FailureCircumstances(
            step: step.path, begin: times.begin(of: step), actor: peer, error: error, awaited: awaited,
            command: step.commandName, mismatches: mismatches, waitingSince: waitingSince,
            // From the files: what follows them may be a moment behind.
            events: (try? TraceReader.readAll(traces)) ?? [], topology: scenario.topology,
            stepAt: times.step(at:by:), armedBy: self.step(that:))
        return StepExplainer(renderer: renderer, facts: facts, known: known, replay: replay)
            .failure(step, reason, verdict: verdict, mismatches: mismatches)
    }
}

extension Step {
    /// The command, when the step is one.
    fileprivate var commandName: String? {
        if case .command(let command) = action { command.command.name } else { nil }
    }
}
