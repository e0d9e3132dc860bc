// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
package import LabFile

/// Reads a list of steps.
///
/// Not thread-safe: used by the one thread that reads the file.
package struct StepReader {
    package let actors: ActorTable
    package let scope: Scope
    package let collector: DiagnosticCollector
    package let secrets: SecretTexts
    /// All files included so far.
    package let files: IncludedFiles
    /// The directory that `include` is relative to.
    package let directory: String
    /// Identities of the files being included around this list, to reject cycles.
    package let including: [String]
    /// The step numbers around this list, ending in a point; empty at the top.
    package let prefix: String

    package init(
        actors: ActorTable, scope: Scope, collector: DiagnosticCollector, secrets: SecretTexts, files: IncludedFiles,
        directory: String, including: [String], prefix: String
    ) {
        self.actors = actors
        self.scope = scope
        self.collector = collector
        self.secrets = secrets
        self.files = files
        self.directory = directory
        self.including = including
        self.prefix = prefix
    }

    package var values: ValueReader { ValueReader(scope: scope, collector: collector, secrets: secrets) }
    package var expectations: ExpectationReader { ExpectationReader(values: values) }
    package var failures: FailureReader { FailureReader(expectations: expectations, ownErrors: actors.ownErrors) }

    /// Reads the steps of a list, whose name in diagnostics is `what`.
    package func read(_ node: YAMLNode, what: String) -> [Step] {
        guard let elements = node.elements else {
            collector.report(.wrongShape(what: what, expected: .list, actual: node.shape), at: node.place)
            return []
        }
        if elements.isEmpty { collector.report(.emptyList(what: what), at: node.place) }
        return elements.enumerated().compactMap { index, element in
            readStep(element, path: "\(prefix)\(index + 1)")
        }
    }

    /// Reads the steps before or after those of the scenario: a list, or `{ within: 10s, steps: […] }`.
    /// - Parameter mayBeShared: Whether the object can have `shared`.
    func readPhase(_ node: YAMLNode, what: String, mayBeShared: Bool = false) -> Phase? {
        guard node.entries != nil else { return Phase(limit: Phase.usualLimit, steps: read(node, what: what)) }
        guard let reader = MappingReader(node, container: what, reporting: collector) else { return nil }
        let limit = reader.optional("within").flatMap { duration($0, what: "`within`") }
        let isShared = mayBeShared && reader.boolean(Self.shared) ?? false
        let steps = reader.required("steps")
        reader.finish()
        return steps.map {
            Phase(limit: limit ?? Phase.usualLimit, steps: read($0, what: "`steps`"), isShared: isShared)
        }
    }

    /// The key of a set-up that all rows of a table share.
    static let shared = "shared"

    package func readStep(_ node: YAMLNode, path: String) -> Step? {
        let step = readWhole(node, path: path)
        if step == nil { assumeCaptures(in: node) }
        return step
    }

    /// The captures of a step with an error are treated as defined, so that their uses are not reported.
    private func assumeCaptures(in node: YAMLNode) {
        for element in node.elements ?? [] { assumeCaptures(in: element) }
        for entry in node.entries ?? [] {
            switch entry.key {
            case "as":
                let names = entry.value.entries?.map(\.value) ?? [entry.value]
                for name in names { name.scalar.map { scope.assume($0.text, at: name.place) } }
            case "include": scope.assumeMore()
            case "with", "expect", "fails": break
            default: assumeCaptures(in: entry.value)
            }
        }
    }

    private func readWhole(_ node: YAMLNode, path: String) -> Step? {
        guard let entries = node.entries else {
            return collector.refuse(.wrongShape(what: "a step", expected: .mapping, actual: node.shape), at: node.place)
        }
        if let when = entries.first(where: { $0.key == "when" }) { return readStep(node, under: when, path: path) }
        let siblings = ReservedWords.siblings + ["steps"]
        let before = collector.count
        var commands = entries.filter { !siblings.contains($0.key) }
        // Beside a block of branches it is the order of their turns, and no step.
        if commands.contains(where: { ["parallel", "race"].contains($0.key) }) {
            commands.removeAll { $0.key == "order" }
        }
        if commands.isEmpty, let block = entries.first(where: { $0.key == "eventually" }) { commands = [block] }
        for entry in commands where ReservedWords.refused.contains(entry.key) {
            return collector.refuse(.refusedWord(word: entry.key), at: entry.keyPlace)
        }
        guard let command = commands.first else {
            let word = entries.first
            return collector.refuse(.noCommand(actors: Array(actors.names.prefix(8))), at: word?.keyPlace ?? node.place)
        }
        let isKnown = { (key: String) in
            actors[key] != nil || scope.alias(key) != nil || ReservedWords.stepWords.contains(key)
        }
        if commands.count > 1 { return reportSeveral(commands, isKnown: isKnown) }
        let action: Step.Action?
        switch command.key {
        case "advance": action = advance(node, command)
        case "check": action = check(node, command, path: path)
        case "during": action = during(node, command, path: path)
        case "each": action = each(node, command, path: path)
        case "eventually": action = eventually(node, command, path: path)
        case "include": action = include(node, command, path: path)
        case "never": action = never(node, command, path: path)
        case "order": action = order(node, command)
        case "parallel": action = parallel(node, command, path: path)
        case "race": action = race(node, command, path: path)
        case "repeat": action = repeated(node, command, path: path)
        case "same": action = same(node, command, path: path)
        case "stays": action = stays(node, command, path: path)
        case "waitFor": action = waitFor(node, command)
        default:
            let alias = actors[command.key] == nil ? scope.alias(command.key) : nil
            let candidates = (alias ?? [command.key]).compactMap { actors[$0] }
            guard !candidates.isEmpty else {
                reportUnknownActor(command)
                return nil
            }
            action = CommandReader(steps: self).read(node, command, candidates: candidates).map(Step.Action.command)
        }
        guard let action else { return nil }
        var step = Step(
            action: action, note: node["note"]?.scalar?.text, place: node.place, includedAt: collector.currentChain,
            path: path)
        // A mistake may have removed a step of a branch; complaints about the order would be consequences.
        if let branches = step.branches, collector.count == before,
            let order = entries.first(where: { $0.key == "order" })
        {
            step.order = turnOrder(order, of: branches)
        }
        if let branches = step.branches, collector.count == before,
            let orders = entries.first(where: { $0.key == "orders" })
        {
            step.orders = exploredOrders(orders, of: branches, beside: node["order"])
        }
        return step
    }

    private func reportSeveral(_ commands: [YAMLEntry], isKnown: (String) -> Bool) -> Step? {
        let known = commands.filter { isKnown($0.key) }
        if known.count >= 2 {
            collector.report(.severalCommands(first: known[0].key, second: known[1].key), at: known[1].keyPlace)
        }
        for entry in commands where !isKnown(entry.key) {
            if known.isEmpty {
                reportUnknownActor(entry)
            } else {
                collector.report(
                    .unknownKey(key: entry.key, container: "a step", known: ReservedWords.siblings),
                    at: entry.keyPlace)
            }
        }
        return nil
    }

    private func reportUnknownActor(_ entry: YAMLEntry) {
        if scope.isAssumed(entry.key) { return }
        if ReservedWords.structure.contains(entry.key) {
            collector.report(
                .misplacedWord(word: entry.key, belongs: "it is a key of the file or of a block, not a step"),
                at: entry.keyPlace)
        } else {
            collector.report(
                .unknownActor(name: entry.key, known: actors.names + ReservedWords.stepWords), at: entry.keyPlace)
        }
    }

    /// Reports keys that a word cannot have beside it.
    func closeKeys(of node: YAMLNode, word: String, allowed: Set<String>) {
        for entry in node.entries ?? [] where entry.key != word && !allowed.contains(entry.key) {
            collector.report(.pointless(word: entry.key, reason: "`\(word)` does not take it"), at: entry.keyPlace)
        }
    }

    /// A duration with a unit, not negative.
    package func duration(_ node: YAMLNode, what: String) -> LabDuration? {
        guard let text = node.scalar?.text else {
            return collector.refuse(.wrongShape(what: what, expected: .value, actual: node.shape), at: node.place)
        }
        guard let duration = LabDuration(text) else {
            return collector.refuse(.wrongType(what: what, expected: "a duration", actual: text), at: node.place)
        }
        guard duration.nanoseconds >= 0 else {
            return collector.refuse(.outOfRange(what: what, value: text, limit: "zero or more"), at: node.place)
        }
        return duration
    }

    package func nested(in scope: Scope, path: String) -> StepReader {
        StepReader(
            actors: actors, scope: scope, collector: collector, secrets: secrets, files: files,
            directory: directory, including: including, prefix: "\(path).")
    }

    // MARK: `check`: an expectation of a captured value, or steps that are all carried out

    package func check(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let elements = entry.value.elements else { return value(node, entry) }
        guard let expect = node.entries?.first(where: { $0.key == "expect" }) else {
            return postConditions(elements, node, entry, path: path)
        }
        guard !elements.contains(where: isStep) else {
            return collector.refuse(
                .pointless(word: "expect", reason: "each step in the list of `check` says what it expects"),
                at: expect.keyPlace)
        }
        return value(node, entry)
    }

    private func value(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "check", allowed: ["note", "expect"])
        return condition(
            value: entry.value, expect: node["expect"], of: "`check`", at: entry.keyPlace
        ).map { .check($0) }
    }

    package func condition(
        value node: YAMLNode, expect: YAMLNode?, of container: String, at place: SourcePlace
    ) -> Condition? {
        guard let value = values.read(node, as: .any, what: "`check`") else { return nil }
        guard let expect else {
            return collector.refuse(.missingKey(key: "expect", container: container), at: place)
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

    // MARK: `when`: a step that is carried out only under a condition

    /// Reads a step with `when`. It may be skipped, so its captures are not visible to other steps.
    package func readStep(_ node: YAMLNode, under entry: YAMLEntry, path: String) -> Step? {
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
        var reference = rowReference(value)
        if case .reference(let captured) = condition.value, scope.captures.contains(captured) { reference = captured }
        guard let reference else {
            return collector.refuse(
                .misfit(
                    what: "`check` of `when`",
                    reason:
                        "it takes a value that a step has kept, such as `${status.state}`, or one of `row`; what is known before the run makes two scenarios, or `rows`"
                ), at: value.place)
        }
        return Step.When(
            reference: reference, value: condition.value, expectation: condition.expectation, place: entry.keyPlace)
    }

    /// The reference that a node consists of, if it is to a value of the row: another row may have another one.
    private func rowReference(_ node: YAMLNode) -> Reference? {
        guard let text = node.scalar?.text, let parts = try? ReferenceParser.parts(of: text), parts.count == 1,
            case .reference(let reference) = parts[0], reference.name == "row", values.source(of: node) != nil
        else { return nil }
        return reference
    }
}

extension Step {
    /// The conditions of the steps inside that are in the same file: an included one is a function.
    fileprivate var nestedConditions: [When] {
        if case .included = action { return [] }
        return inner.flatMap { $0.when.map { [$0] } ?? $0.nestedConditions }
    }
}
