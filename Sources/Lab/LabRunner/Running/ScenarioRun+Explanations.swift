import LabKit

extension ScenarioRun {
    /// Explains a failed step.
    ///
    /// - Parameters:
    ///   - peer: The actor of the step, or the process of the awaited event.
    ///   - error: The unexpected error.
    ///   - awaited: The event that did not occur.
    ///   - waitingSince: When the first attempt began, for a step that is retried until it holds.
    func explain(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil,
        error: ControlError? = nil, awaited: String? = nil, waitingSince: UInt64? = nil
    ) -> StepFailure {
        let facts = FailureCircumstances(
            step: step.path, begin: times.begin(of: step), actor: peer, error: error, awaited: awaited,
            command: step.commandName, mismatches: mismatches, waitingSince: waitingSince,
            // Read from the files: their followers may lag behind.
            events: (try? TraceReader.readAll(traces)) ?? [], topology: scenario.topology,
            stepAt: times.step(at:by:), armedBy: self.step(that:))
        return StepExplainer(renderer: renderer, facts: facts, known: known, replay: replay)
            .failure(step, reason, verdict: verdict, mismatches: mismatches)
    }
}

extension Step {
    /// The command, if the step is one.
    fileprivate var commandName: String? {
        if case .command(let command) = action { command.command.name } else { nil }
    }
}
