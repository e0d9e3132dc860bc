import LabFile
import LabKit

// `check`: an expectation of a captured value, or steps that are all carried out.
extension StepReader {
    func check(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let elements = entry.value.elements else { return value(node, entry) }
        guard let expect = node.entries?.first(where: { $0.key == "expect" }) else {
            return postConditions(elements, node, entry, path: path)
        }
        guard !elements.contains(where: isStep) else {
            collector.report(
                .pointless(word: "expect", reason: "each step in the list of `check` says what it expects"),
                at: expect.keyPlace)
            return nil
        }
        return value(node, entry)
    }

    private func value(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "check", allowed: ["note", "expect"])
        return condition(
            value: entry.value, expect: node["expect"], of: "`check`", at: entry.keyPlace
        ).map { .check($0) }
    }

    /// A value and its expectation.
    func condition(
        value node: YAMLNode, expect: YAMLNode?, of container: String, at place: SourcePlace
    ) -> Condition? {
        guard let value = values.read(node, as: .any, what: "`check`") else { return nil }
        guard let expect else {
            collector.report(.missingKey(key: "expect", container: container), at: place)
            return nil
        }
        let type = values.typeOfReference(node) ?? .any
        let what = node.scalar.map { "`\($0.text)`" } ?? "the value"
        return expectations.read(expect, of: type, what: what).map { Condition(value: value, expectation: $0) }
    }

    /// Independent steps: each can be carried out after another one has failed.
    private func postConditions(
        _ elements: [YAMLNode], _ node: YAMLNode, _ entry: YAMLEntry, path: String
    ) -> Step.Action? {
        closeKeys(of: node, word: "check", allowed: ["note"])
        if elements.isEmpty { collector.report(.emptyList(what: "`check`"), at: entry.value.place) }
        var scopes: [Scope] = []
        let steps = elements.enumerated().compactMap { index, element -> Step? in
            let inner = Scope(parent: scope)
            for other in scopes {
                inner.hide(
                    other,
                    reason: "the step of `check` that keeps it may fail, and this one is carried out all the same")
            }
            scopes.append(inner)
            return nested(in: inner, path: path).readStep(element, path: "\(path).\(index + 1)")
        }
        for inner in scopes {
            scope.hide(inner, reason: "only one step of `check` sees it; keep it in a step before `check`")
        }
        return .postConditions(steps)
    }

    private func isStep(_ node: YAMLNode) -> Bool {
        (node.entries ?? []).contains { actors[$0.key] != nil || ReservedWords.stepWords.contains($0.key) }
    }
}
