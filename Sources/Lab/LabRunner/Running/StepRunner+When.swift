internal import LabKit

// Steps that are passed over.
extension StepRunner {
    /// What becomes of a step whose condition does not hold; nil when it holds, and the step is carried out.
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

    /// A value that the step needs is missing. In a tear-down the step is passed over: the scenario has ended before.
    func lacks(_ reference: Reference, _ step: Step) -> Bool {
        guard isTearDown else { return fail(step, "`${\(reference.text)}` has no value", verdict: .failed) }
        run.history.record(
            "step.skipped", step: step.path,
            ["reason": .string("\(reference.text) has no value, because the scenario ended before")])
        return true
    }
}
