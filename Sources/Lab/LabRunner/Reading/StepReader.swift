import Foundation
import LabFile
import LabKit

/// Reads a list of steps.
///
/// Not thread-safe: used by the one thread that reads the file.
struct StepReader {
    let actors: ActorTable
    let scope: Scope
    let collector: DiagnosticCollector
    let secrets: SecretTexts
    /// All files included so far.
    let files: IncludedFiles
    /// The directory that `include` is relative to.
    let directory: String
    /// Identities of the files being included around this list, to reject cycles.
    let including: [String]
    /// The step numbers around this list, ending in a point; empty at the top.
    let prefix: String

    var values: ValueReader { ValueReader(scope: scope, collector: collector, secrets: secrets) }
    var expectations: ExpectationReader { ExpectationReader(values: values) }
    var failures: FailureReader { FailureReader(expectations: expectations, ownErrors: actors.ownErrors) }

    /// Reads the steps of a list node.
    ///
    /// - Parameters:
    ///   - node: The list.
    ///   - what: Its name in diagnostics.
    func read(_ node: YAMLNode, what: String) -> [Step] {
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
    func readPhase(_ node: YAMLNode, what: String) -> Phase? {
        guard node.entries != nil else { return Phase(limit: Phase.usualLimit, steps: read(node, what: what)) }
        guard let reader = MappingReader(node, container: what, reporting: collector) else { return nil }
        let limit = reader.optional("within").flatMap { duration($0, what: "`within`") }
        let steps = reader.required("steps")
        reader.finish()
        return steps.map { Phase(limit: limit ?? Phase.usualLimit, steps: read($0, what: "`steps`")) }
    }

    func readStep(_ node: YAMLNode, path: String) -> Step? {
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
            collector.report(.wrongShape(what: "a step", expected: .mapping, actual: node.shape), at: node.place)
            return nil
        }
        if let when = entries.first(where: { $0.key == "when" }) { return readStep(node, under: when, path: path) }
        let siblings = ReservedWords.siblings + ["steps"]
        var commands = entries.filter { !siblings.contains($0.key) }
        if commands.isEmpty, let block = entries.first(where: { $0.key == "eventually" }) { commands = [block] }
        for entry in commands where ReservedWords.refused.contains(entry.key) {
            collector.report(.refusedWord(word: entry.key), at: entry.keyPlace)
            return nil
        }
        guard let command = commands.first else {
            let word = entries.first
            collector.report(
                .noCommand(actors: Array(actors.names.prefix(8))), at: word?.keyPlace ?? node.place)
            return nil
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
        return Step(
            action: action, note: node["note"]?.scalar?.text, place: node.place, includedAt: collector.currentChain,
            path: path)
    }

    private func reportSeveral(_ commands: [YAMLEntry], isKnown: (String) -> Bool) -> Step? {
        let known = commands.filter { isKnown($0.key) }
        if known.count >= 2 {
            collector.report(
                .severalCommands(first: known[0].key, second: known[1].key), at: known[1].keyPlace)
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
            collector.report(
                .pointless(word: entry.key, reason: "`\(word)` does not take it"), at: entry.keyPlace)
        }
    }

    /// A duration with a unit, not negative.
    func duration(_ node: YAMLNode, what: String) -> LabDuration? {
        guard let text = node.scalar?.text else {
            collector.report(.wrongShape(what: what, expected: .value, actual: node.shape), at: node.place)
            return nil
        }
        guard let duration = LabDuration(text) else {
            collector.report(.wrongType(what: what, expected: "a duration", actual: text), at: node.place)
            return nil
        }
        guard duration.nanoseconds >= 0 else {
            collector.report(.outOfRange(what: what, value: text, limit: "zero or more"), at: node.place)
            return nil
        }
        return duration
    }

    /// A reader of a nested list.
    func nested(in scope: Scope, path: String) -> StepReader {
        StepReader(
            actors: actors, scope: scope, collector: collector, secrets: secrets, files: files,
            directory: directory, including: including, prefix: "\(path).")
    }
}
