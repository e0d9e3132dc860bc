import LabKit

// Skipped steps.
extension StepRunner {
    /// The result of a step whose condition does not hold; nil if it holds, and the step is to be carried out.
    func end(of step: Step, under when: Step.When) -> Bool? {
        let mismatches: [Mismatch]
        do {
            mismatches = try self.mismatches(
                Condition(value: .reference(when.reference), expectation: when.expectation))
        } catch {
            return lacks(error.reference, step)
        }
        if mismatches.isEmpty { return nil }
        let reasons = mismatches.map { mismatch in
            let path = when.reference.text
            let subject = mismatch.path.isEmpty ? path : "\(path).\(mismatch.path)"
            return "`${\(subject)}` is \(mismatch.actual?.description ?? "nothing"), expected \(mismatch.expected)"
        }
        run.skip(step, because: reasons.joined(separator: "; "))
        return true
    }

    /// A value for the step is missing. A tear-down skips the step: the scenario ended before the value existed.
    func lacks(_ reference: Reference, _ step: Step) -> Bool {
        guard isTearDown else { return fail(step, "`${\(reference.text)}` has no value", verdict: .failed) }
        let reason = "\(reference.text) has no value, because the scenario ended before"
        run.history.record(.stepSkipped(.init(reason: reason)), step: step.path)
        return true
    }
}
