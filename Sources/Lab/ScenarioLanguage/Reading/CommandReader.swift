// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabVocabulary

/// Reads a step that is a command to an actor.
///
/// Not thread-safe: used by the one thread that reads the file.
struct CommandReader {
    package let steps: StepReader

    private var collector: DiagnosticCollector { steps.collector }

    /// - Parameter candidates: The ways to address each actor that may carry it out: one, or several if a race decides.
    package func read(_ node: YAMLNode, _ entry: YAMLEntry, candidates: [[Target]]) -> CommandStep? {
        guard let name = name(of: entry) else { return nil }
        var found: [Target] = []
        var declarations: [CommandDeclaration] = []
        for targets in candidates {
            guard let (target, command) = find(name, targets: targets, at: entry.value.place) else { return nil }
            found.append(target)
            declarations.append(command)
        }
        guard let command = declarations.first else { return nil }
        let with = steps.arguments(node["with"])
        let arguments = with.flatMap { readArguments($0, of: command, at: entry.value.place) }
        if let with { checkFault(with, of: command, arguments ?? [], at: entry.value.place) }
        let answered = answering(command, with?.node)
        let outcome = readOutcome(node, of: answered)
        let within = node["within"].flatMap { steps.duration($0, what: "`within`") }
        let eventually = node["eventually"].flatMap { steps.duration($0, what: "`eventually`") }
        steps.closeKeys(of: node, word: entry.key, allowed: Set(ReservedWords.commandSiblings))
        let capture = readCapture(node, of: answered)
        guard let arguments, let outcome else { return nil }
        return CommandStep(
            targets: found, alias: found.count > 1 ? alias(entry.key) : nil, command: command, arguments: arguments,
            outcome: outcome, capture: capture, within: within, eventually: eventually)
    }

    /// The command's name, also as a value of the file, such as `${row.command}`: the command of a step is known before
    /// the run.
    private func name(of entry: YAMLEntry) -> String? {
        let what = "the command of `\(entry.key)`"
        guard let text = entry.value.scalar?.text, !entry.value.isNull else {
            return collector.refuse(
                .wrongShape(what: what, expected: .value, actual: entry.value.shape), at: entry.value.place)
        }
        guard text.contains("${") else { return text }
        switch steps.values.read(entry.value, as: .text, what: what) {
        case nil: return nil
        case .literal(.string(let name)): return name
        default:
            return collector.refuse(
                .misfit(
                    what: what,
                    reason: "it must be known before the run; a column of `rows` or one of `values` can give it"),
                at: entry.value.place)
        }
    }

    private func alias(_ name: String) -> Reference? {
        steps.scope.use(name).map { Reference(name: name, path: [], key: $0.key) }
    }

    private func find(_ name: String, targets: [Target], at place: SourcePlace) -> (Target, CommandDeclaration)? {
        for target in targets {
            if let command = target.command(named: name) { return (target, command) }
        }
        guard let first = targets.first else { return nil }
        // A command that the actor's own program omits is unknown.
        let kinds = targets.map(\.kind)
        let elsewhere = Vocabulary.lab.commands.filter { $0.name == name && $0.actors.isDisjoint(with: kinds) }
        let others = steps.actors.names(understanding: name)
        if elsewhere.isEmpty, !others.isEmpty {
            collector.report(
                .misplacedCommand(
                    command: name, actor: first.actor, actorIs: "another app", belongsTo: others.map { "`\($0)`" },
                    example: others.first.map { "\($0): \(name)" }), at: place)
        } else if elsewhere.isEmpty {
            let known = targets.flatMap(\.commands).map { $0.name }
            collector.report(.unknownCommand(command: name, actor: first.actor, known: known), at: place)
        } else {
            let owners = Set(elsewhere.flatMap { $0.actors }).sorted { $0.rawValue < $1.rawValue }
            let example = others.first.map { "\($0): \(name)" }
            collector.report(
                .misplacedCommand(
                    command: name, actor: first.actor, actorIs: first.kind.title, belongsTo: owners.map(\.title),
                    example: example), at: place)
        }
        return nil
    }

    private func readArguments(
        _ with: StepReader.Arguments, of command: CommandDeclaration, at place: SourcePlace
    ) -> [CommandStep.Argument]? {
        let node = with.node
        let entries = node?.entries ?? []
        let before = collector.count
        let known = command.fields.map { $0.name }
        var misspelled: [String] = []
        for entry in entries where !known.contains(entry.key) {
            if let meant = nearest(entry.key, among: known) {
                misspelled.append(meant)
                // A misspelled password must not be printed in the diagnostic.
                if command.fields.contains(where: { $0.name == meant && $0.isSecret }) {
                    collector.hide(entry.value.place)
                }
            }
            collector.report(
                .unknownParameter(parameter: entry.key, command: command.name, known: known), at: entry.keyPlace,
                related: with.related)
        }
        let resource = command.name == CallResource.name ? readResource(node) : nil
        var arguments: [CommandStep.Argument] = []
        for field in command.fields {
            if let value = node?[field.name] {
                let type = type(of: field, resource: resource)
                if let template = with.values.read(value, as: type, what: "`\(field.name)`") {
                    checkLimit(of: field, template, writtenAs: value, readBy: with.values)
                    arguments.append(CommandStep.Argument(field: field, value: template))
                }
            } else if field.isRequired, !misspelled.contains(field.name) {
                collector.report(
                    .missingParameter(parameter: field.name, command: command.name, meaning: field.meaning),
                    at: with.usedAt == nil ? place : node?.place ?? place, related: with.related)
            }
        }
        return collector.count == before ? arguments : nil
    }

    /// Values that the lab would reject in the run are rejected before it, if they are known.
    private func checkLimit(
        of field: FieldDeclaration, _ template: Template, writtenAs node: YAMLNode, readBy values: ValueReader
    ) {
        guard let limit = field.limit, case .literal(let value) = template, !limit.admits(value) else { return }
        let shown = field.isSecret ? Secret.mask : value.stringValue ?? value.description
        let source = values.source(of: node)
        collector.report(
            .outOfRange(what: "`\(field.name)`", value: shown, limit: "\(limit)"), at: (source ?? node).place,
            related: source == nil ? nil : RelatedPlace("used at", node.place))
    }

    private func path(in node: YAMLNode?) -> (text: String, node: YAMLNode)? {
        guard let value = node?["path"], let path = value.scalar?.text, !path.contains("${") else { return nil }
        return (path, value)
    }

    /// The command; `call` with the answer of its resource, if the path is known before the run.
    private func answering(_ command: CommandDeclaration, _ node: YAMLNode?) -> CommandDeclaration {
        guard command.name == CallResource.name, let path = path(in: node)?.text,
            let resource = ServerResource.at(path)
        else { return command }
        return command.answering(resource.answer)
    }

    /// The resource of the server that `call` names, if the path is known before the run.
    private func readResource(_ node: YAMLNode?) -> ServerResource? {
        guard let (path, value) = path(in: node) else { return nil }
        guard let resource = ServerResource.at(path) else {
            return collector.refuse(
                .unknownName(what: "resource of the server", name: path, known: ServerResource.all.map(\.path.text)),
                at: value.place)
        }
        let method = node?["method"]?.scalar?.text ?? ResourceMethod.post.rawValue
        if !resource.methods.contains(method), ResourceMethod(rawValue: method) != nil {
            collector.report(
                .notAChoice(what: "the method of `\(resource.path.text)`", value: method, choices: resource.methods),
                at: node?["method"]?.place ?? value.place)
        }
        return resource
    }

    /// The type of a parameter; the request of a resource has the fields that the server decodes.
    private func type(of field: FieldDeclaration, resource: ServerResource?) -> FieldType {
        guard let resource, field.name == "request" else { return field.type }
        return .optional(resource.request)
    }

    /// Faults that could not be armed are rejected before the run, if the values are known.
    private func checkFault(
        _ with: StepReader.Arguments, of command: CommandDeclaration, _ arguments: [CommandStep.Argument],
        at place: SourcePlace
    ) {
        guard command.actors == [.faults] else { return }
        // A value that exists only in the run is checked there; here it counts as given.
        var known: [String: JSONValue] = [:]
        for argument in arguments {
            known[argument.field.name] = if case .literal(let value) = argument.value { value } else { .bool(true) }
        }
        for complaint in FaultCheck(actors: steps.actors).complaints(about: known) {
            collector.report(
                complaint.kind, at: with.node?[complaint.parameter]?.place ?? place, related: with.related)
        }
    }

    private static let success = "without `expect` it must succeed"
    private static let wayOfSuccess = "a way without `expect` and `fails`, such as `- name: done`, is that it succeeds"

    /// - Parameter isWay: whether the node is one of the alternatives of `either`.
    private func readOutcome(
        _ node: YAMLNode, of command: CommandDeclaration, isWay: Bool = false
    ) -> CommandStep.Outcome? {
        let expect = node.entries?.first { $0.key == "expect" }
        let fails = node.entries?.first { $0.key == "fails" }
        if let either = node.entries?.first(where: { $0.key == "either" }) {
            if let other = expect ?? fails {
                return collector.refuse(
                    .contradictingKeys(
                        first: "either", second: other.key, reason: "each way of `either` says what it expects"),
                    at: max(either.keyPlace, other.keyPlace))
            }
            return readWays(either.value, of: command).map(CommandStep.Outcome.either)
        }
        if let expect, let fails {
            return collector.refuse(
                .contradictingKeys(
                    first: "expect", second: "fails", reason: "a command succeeds with a result or fails"),
                at: max(expect.keyPlace, fails.keyPlace))
        }
        if let expect {
            if case .nothing = command.result {
                return collector.refuse(
                    .pointless(
                        word: "expect",
                        reason: "`\(command.name)` answers nothing; \(isWay ? Self.wayOfSuccess : Self.success)"),
                    at: expect.keyPlace)
            }
            return steps.expectations.read(
                expect.value, of: command.result, what: "the result of `\(command.name)`"
            ).map(CommandStep.Outcome.result)
        }
        if let fails { return steps.failures.read(fails.value).map { .failure($0) } }
        return .succeeds
    }

    /// The possible results of a command.
    private func readWays(_ node: YAMLNode, of command: CommandDeclaration) -> [CommandStep.Way]? {
        guard let elements = node.elements else {
            return collector.refuse(.wrongShape(what: "`either`", expected: .list, actual: node.shape), at: node.place)
        }
        guard elements.count >= 2 else {
            return collector.refuse(.tooFewBranches(word: "either"), at: node.place)
        }
        let ways = elements.enumerated().compactMap { index, element -> CommandStep.Way? in
            guard let reader = MappingReader(element, container: "a way of `either`", reporting: collector) else {
                return nil
            }
            let name = reader.text("name") ?? String(index + 1)
            reader.declare("expect")
            reader.declare("fails")
            reader.finish()
            return readOutcome(element, of: command, isWay: true).map { CommandStep.Way(name: name, outcome: $0) }
        }
        return ways.count == elements.count ? ways : nil
    }

    private func max(_ left: SourcePlace, _ right: SourcePlace) -> SourcePlace {
        left.range.start < right.range.start ? right : left
    }

    private func readCapture(_ node: YAMLNode, of command: CommandDeclaration) -> String? {
        guard let entry = node.entries?.first(where: { $0.key == "as" }) else { return nil }
        if node["fails"] != nil { return steps.variable(entry.value, FailureReader.type, in: steps.scope) }
        if node["either"] != nil { return steps.variable(entry.value, WayTaken.fieldType, in: steps.scope) }
        if case .nothing = command.result {
            collector.report(
                .pointless(word: "as", reason: "`\(command.name)` answers nothing that could be kept"),
                at: entry.keyPlace)
            entry.value.scalar.map { steps.scope.assume($0.text, at: entry.value.place) }
            return nil
        }
        return steps.variable(entry.value, command.result, in: steps.scope)
    }
}
