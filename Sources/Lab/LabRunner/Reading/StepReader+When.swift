import LabFile
import LabKit

// `when`: a step that is carried out only under a condition.
extension StepReader {
    /// Reads a step with `when`. It may be skipped, so its captures are not visible to other steps.
    func readStep(_ node: YAMLNode, under entry: YAMLEntry, path: String) -> Step? {
        let when = readWhen(entry)
        let entries = (node.entries ?? []).filter { $0.key != entry.key }
        let inner = Scope(parent: scope)
        let unconditional = YAMLNode(.mapping(entries), at: node.place)
        let step = nested(in: inner, path: path).readStep(unconditional, path: path)
        // The `as` of `repeat` names its round.
        if let kept = entries.first(where: { $0.key == "as" }), node["repeat"] == nil {
            collector.report(
                .contradictingKeys(
                    first: "when", second: "as",
                    reason:
                        "a step that is skipped keeps nothing; put it and those that read its answer into a file, and `when` beside the `include`"
                ), at: kept.keyPlace)
            // Each mistake is reported once: steps that read the value get no diagnostic.
            scope.adopt(inner, reporting: collector)
        } else {
            scope.hide(inner, reason: "the step that keeps it may be skipped (`when`)")
        }
        guard var step, let when else { return nil }
        for nested in step.nestedConditions {
            collector.report(
                .misplacedWord(word: "when", belongs: "the step around it has one; two scenarios are clearer"),
                at: nested.place)
        }
        step.when = when
        return step
    }

    private func readWhen(_ entry: YAMLEntry) -> Step.When? {
        guard let reader = MappingReader(entry.value, container: "`when`", reporting: collector) else { return nil }
        let value = reader.required("check")
        let expect = reader.required("expect")
        reader.finish()
        guard let value, let expect,
            let condition = condition(value: value, expect: expect, of: "`when`", at: entry.keyPlace)
        else { return nil }
        guard case .reference(let reference) = condition.value, scope.captures.contains(reference) else {
            collector.report(
                .misfit(
                    what: "`check` of `when`",
                    reason:
                        "it takes a value that a step has kept, such as `${status.state}`; what is known before the run makes two scenarios, or `rows`"
                ), at: value.place)
            return nil
        }
        return Step.When(reference: reference, expectation: condition.expectation, place: entry.keyPlace)
    }
}

extension Step {
    /// The conditions of the steps inside that are in the same file: an included one is a function.
    fileprivate var nestedConditions: [When] {
        if case .included = action { return [] }
        return inner.flatMap { $0.when.map { [$0] } ?? $0.nestedConditions }
    }
}
