import Foundation
import LabFile
import LabKit
import LabSystem

// Steps that are words of the language.
extension StepReader {
    func advance(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "advance", allowed: ["note"])
        return duration(entry.value, what: "`advance`").map(Step.Action.advance)
    }

    func waitFor(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "waitFor", allowed: ["note"])
        guard let reader = MappingReader(entry.value, container: "`waitFor`", reporting: collector) else {
            return nil
        }
        let pattern = event(reader)
        let within = reader.optional("within").flatMap { duration($0, what: "`within`") }
        reader.finish()
        return pattern.map { .waitFor($0, within: within ?? Self.patience) }
    }

    func order(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "order", allowed: ["note"])
        guard let elements = severalElements(of: entry) else { return nil }
        let events = elements.compactMap { element -> EventPattern? in
            guard let reader = MappingReader(element, container: "an event of `order`", reporting: collector) else {
                return nil
            }
            let pattern = event(reader)
            reader.finish()
            return pattern
        }
        return events.count == elements.count ? .order(events) : nil
    }

    func same(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "same", allowed: ["note"])
        guard let elements = severalElements(of: entry) else { return nil }
        let reader = nested(in: scope, path: path)
        let steps = elements.enumerated().compactMap { index, element -> Step? in
            guard let step = reader.readStep(element, path: "\(path).\(index + 1)") else { return nil }
            if step.when == nil, case .command(let command) = step.action, command.command.result != .nothing {
                switch command.outcome {
                case .succeeds, .result: return step
                case .failure, .either: break
                }
            }
            collector.report(
                .misfit(
                    what: "a step of `same`",
                    reason: "it takes commands that succeed and answer something, without `when`"),
                at: element.place)
            return nil
        }
        return steps.count == elements.count ? .same(steps) : nil
    }

    /// The event of a block; the caller reads the other keys.
    private func event(_ reader: MappingReader) -> EventPattern? {
        let event = reader.choice("event", of: TraceEventName.all.map(\.rawValue), required: true)
        let peer = reader.text("peer")
        if let peer, !actors.processes.contains(peer), let place = reader.node["peer"]?.place {
            collector.report(.unknownName(what: "process", name: peer, known: actors.processes), at: place)
        }
        let type = event.flatMap(TraceEventName.init(rawValue:))?.type ?? .map
        let fields = reader.optional("where").flatMap {
            expectations.read($0, of: type, what: event.map { "the event `\($0)`" } ?? "the event")
        }
        return event.map { EventPattern(event: $0, peer: peer, fields: fields) }
    }

    func never(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "never", allowed: ["note", "steps"])
        guard let stepsNode = node["steps"] else {
            collector.report(.missingKey(key: "steps", container: "`never`"), at: entry.keyPlace)
            return nil
        }
        guard let absence = absence(entry.value, path: path) else { return nil }
        let steps = nested(in: scope, path: path).read(stepsNode, what: "`steps`")
        return .never(absence, steps: steps)
    }

    private func absence(_ node: YAMLNode, path: String) -> Absence? {
        guard node["event"] == nil else {
            guard let reader = MappingReader(node, container: "`never`", reporting: collector) else { return nil }
            let pattern = event(reader)
            reader.finish()
            return pattern.map(Absence.event)
        }
        // A capture would have a value in each round, so it is not allowed.
        guard let step = readStep(node, path: "\(path).0") else { return nil }
        guard step.when == nil, case .command(let command) = step.action, command.capture == nil else {
            collector.report(
                .misfit(
                    what: "`never`",
                    reason: "it takes an event, or a command with `expect` or `fails` and neither `as` nor `when`"),
                at: node.place)
            return nil
        }
        return .answer(step)
    }

    func stays(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let (limitNode, stepsNode) = block(node, entry, limit: "for", others: []) else { return nil }
        guard let limit = limitNode.flatMap({ duration($0, what: "`stays`") }) else {
            if limitNode == nil {
                collector.report(.missingKey(key: "for", container: "`stays`"), at: entry.keyPlace)
            }
            return nil
        }
        guard limit.nanoseconds > 0 else {
            collector.report(
                .outOfRange(what: "`stays`", value: "\(limit)", limit: "more than zero"), at: entry.value.place)
            return nil
        }
        let inner = Scope(parent: scope)
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        scope.hide(inner, reason: "it has another value each time `stays` looks")
        return .stays(limit, steps: steps)
    }

    /// How long `eventually` and `waitFor` try by default.
    static let patience = LabDuration.seconds(5).stretched

    func eventually(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let (limitNode, stepsNode) = block(node, entry, limit: "for", others: []) else { return nil }
        let limit = limitNode.map { duration($0, what: "`eventually`") } ?? Self.patience
        let inner = Scope(parent: scope)
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        scope.adopt(inner, reporting: collector)
        guard let limit else { return nil }
        return .eventually(limit: limit, steps: steps)
    }

    func repeated(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let (timesNode, stepsNode) = block(node, entry, limit: "times", others: ["as"]) else { return nil }
        guard let timesNode else {
            collector.report(.missingKey(key: "times", container: "`repeat`"), at: entry.keyPlace)
            return nil
        }
        let inner = Scope(parent: scope)
        let counter = (entry.value["as"] ?? node["as"]).flatMap { variable($0, .integer, in: inner) }
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        scope.hide(inner, reason: "it has another value in each round of `repeat`")
        guard let times = values.read(timesNode, as: .integer, what: "`repeat`") else { return nil }
        if case .literal(let value) = times, !(value.integerValue.map(Step.rounds.contains) ?? false) {
            let limit = "from \(Step.rounds.lowerBound) to \(Step.rounds.upperBound)"
            collector.report(
                .outOfRange(what: "`repeat`", value: value.description, limit: limit), at: timesNode.place)
            return nil
        }
        return .repeated(times: times, counter: counter, steps: steps)
    }

    func each(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "each", allowed: ["note"])
        guard let reader = MappingReader(entry.value, container: "`each`", reporting: collector) else { return nil }
        let list = reader.required("in")
        let name = reader.required("as")
        let stepsNode = reader.required("steps")
        reader.finish()
        guard let list, let name, let stepsNode, let elements = values.read(list, as: .list(.any), what: "`in`")
        else { return nil }
        // Steps that run zero times would show nothing and pass.
        if case .list(let written) = elements, written.isEmpty {
            collector.report(.emptyList(what: "`in` of `each`"), at: list.place)
        }
        let inner = Scope(parent: scope)
        let kept = values.typeOfReference(list)?.unwrapped
        let type: FieldType = if case .list(let element)? = kept { element } else { .any }
        guard let variable = variable(name, type, in: inner) else { return nil }
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        scope.hide(inner, reason: "it has another value in each round of `each`")
        return .each(values: elements, name: variable, steps: steps)
    }

    /// Both spellings of a block: `word: { limit: …, steps: […] }`, and `word: …` with `steps` beside it.
    private func block(
        _ node: YAMLNode, _ entry: YAMLEntry, limit: String, others: Set<String>
    ) -> (limit: YAMLNode?, steps: YAMLNode)? {
        if entry.value.entries != nil {
            closeKeys(of: node, word: entry.key, allowed: ["note"])
            guard let reader = MappingReader(entry.value, container: "`\(entry.key)`", reporting: collector) else {
                return nil
            }
            let limitNode = reader.optional(limit)
            let steps = reader.required("steps")
            for key in others { reader.declare(key) }
            reader.finish()
            return steps.map { (limitNode, $0) }
        }
        closeKeys(of: node, word: entry.key, allowed: others.union(["note", "steps"]))
        guard let steps = node["steps"] else {
            collector.report(.missingKey(key: "steps", container: "`\(entry.key)`"), at: entry.keyPlace)
            return nil
        }
        return (entry.value, steps)
    }

    /// Defines the variable a node names.
    func variable(_ node: YAMLNode, _ type: FieldType, in scope: Scope) -> String? {
        guard let name = node.scalar?.text else {
            collector.report(.wrongShape(what: "`as`", expected: .value, actual: node.shape), at: node.place)
            return nil
        }
        guard let first = name.first, first.isLetter, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else {
            collector.report(.malformedName(what: "a variable", value: name), at: node.place)
            return nil
        }
        return scope.capture(name, type, at: node.place, reporting: collector)
    }
}
