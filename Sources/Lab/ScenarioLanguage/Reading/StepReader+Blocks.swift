// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
package import LabFile
import LabPoints
import LabSystem

// Steps that are words of the language.
extension StepReader {
    package func advance(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "advance", allowed: ["note"])
        return duration(entry.value, what: "`advance`").map(Step.Action.advance)
    }

    package func waitFor(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
        closeKeys(of: node, word: "waitFor", allowed: ["note"])
        guard let reader = MappingReader(entry.value, container: "`waitFor`", reporting: collector) else {
            return nil
        }
        let pattern = event(reader)
        let within = reader.optional("within").flatMap { duration($0, what: "`within`") }
        reader.finish()
        return pattern.map { .waitFor($0, within: within ?? Self.patience) }
    }

    package func order(_ node: YAMLNode, _ entry: YAMLEntry) -> Step.Action? {
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

    package func same(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "same", allowed: ["note"])
        guard let elements = severalElements(of: entry) else { return nil }
        let reader = nested(in: scope, path: path)
        let steps = elements.enumerated().compactMap { index, element -> Step? in
            guard let step = reader.readStep(element, path: "\(path).\(index + 1)") else { return nil }
            if step.when == nil, let command = step.command, command.command.result != .nothing {
                switch command.outcome {
                case .succeeds, .result: return step
                case .failure, .either: break
                }
            }
            return collector.refuse(
                .misfit(
                    what: "a step of `same`",
                    reason: "it takes commands that succeed and answer something, without `when`"),
                at: element.place)
        }
        return steps.count == elements.count ? .same(steps) : nil
    }

    /// The event of a block; the caller reads the other keys.
    private func event(_ reader: MappingReader) -> EventPattern? {
        let event = reader.choice("event", of: TraceEventName.allCases.map(\.rawValue), required: true)
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

    package func never(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: "never", allowed: ["note", "steps"])
        guard let stepsNode = node["steps"] else {
            return collector.refuse(.missingKey(key: "steps", container: "`never`"), at: entry.keyPlace)
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
        guard step.when == nil, let command = step.command, command.capture == nil else {
            return collector.refuse(
                .misfit(
                    what: "`never`",
                    reason: "it takes an event, or a command with `expect` or `fails` and neither `as` nor `when`"),
                at: node.place)
        }
        return .answer(step)
    }

    package func stays(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let (limitNode, stepsNode) = block(node, entry, limit: "for", others: []) else { return nil }
        guard let limit = limitNode.flatMap({ duration($0, what: "`stays`") }) else {
            if limitNode == nil {
                collector.report(.missingKey(key: "for", container: "`stays`"), at: entry.keyPlace)
            }
            return nil
        }
        guard limit.nanoseconds > 0 else {
            return collector.refuse(
                .outOfRange(what: "`stays`", value: "\(limit)", limit: "more than zero"), at: entry.value.place)
        }
        let inner = Scope(parent: scope)
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        refuseOrders(in: steps)
        scope.hide(inner, reason: "it has another value each time `stays` looks")
        return .stays(limit, steps: steps)
    }

    /// How long `eventually` and `waitFor` try by default.
    package static let patience = LabDuration.seconds(5).stretched

    package func eventually(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let (limitNode, stepsNode) = block(node, entry, limit: "for", others: []) else { return nil }
        let limit = limitNode.map { duration($0, what: "`eventually`") } ?? Self.patience
        let inner = Scope(parent: scope)
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        refuseOrders(in: steps)
        scope.adopt(inner, reporting: collector)
        guard let limit else { return nil }
        return .eventually(limit: limit, steps: steps)
    }

    package func repeated(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        guard let (timesNode, stepsNode) = block(node, entry, limit: "times", others: ["as"]) else { return nil }
        guard let timesNode else {
            return collector.refuse(.missingKey(key: "times", container: "`repeat`"), at: entry.keyPlace)
        }
        let inner = Scope(parent: scope)
        let counter = (entry.value["as"] ?? node["as"]).flatMap { variable($0, .integer, in: inner) }
        let steps = nested(in: inner, path: path).read(stepsNode, what: "`steps`")
        refuseOrders(in: steps)
        scope.hide(inner, reason: "it has another value in each round of `repeat`")
        guard let times = values.read(timesNode, as: .integer, what: "`repeat`") else { return nil }
        if case .literal(let value) = times, !(value.integerValue.map(Step.rounds.contains) ?? false) {
            let limit = "from \(Step.rounds.lowerBound) to \(Step.rounds.upperBound)"
            return collector.refuse(
                .outOfRange(what: "`repeat`", value: value.description, limit: limit), at: timesNode.place)
        }
        return .repeated(times: times, counter: counter, steps: steps)
    }

    package func each(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
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
        refuseOrders(in: steps)
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
            return collector.refuse(.missingKey(key: "steps", container: "`\(entry.key)`"), at: entry.keyPlace)
        }
        return (entry.value, steps)
    }

    /// Defines the variable a node names.
    package func variable(_ node: YAMLNode, _ type: FieldType, in scope: Scope) -> String? {
        guard let name = node.scalar?.text else {
            return collector.refuse(.wrongShape(what: "`as`", expected: .value, actual: node.shape), at: node.place)
        }
        guard let first = name.first, first.isLetter, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
        else {
            return collector.refuse(.malformedName(what: "a variable", value: name), at: node.place)
        }
        return scope.capture(name, type, at: node.place, reporting: collector)
    }

    // MARK: Lists of steps that run at the same time

    package func parallel(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: entry.key, allowed: ["note", "order", "orders"])
        guard let (branches, scopes) = branches(entry, path: path) else { return nil }
        for inner in scopes { scope.adopt(inner, reporting: collector) }
        return .parallel(branches)
    }

    package func race(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: entry.key, allowed: ["note", "order", "orders", "winners", "others", "as"])
        guard let (branches, scopes) = branches(entry, path: path) else { return nil }
        guard let winners = node["winners"] else {
            for key in ["others", "as"] where node[key] != nil {
                return collector.refuse(
                    .missingKey(key: "winners", container: "`race` with `\(key)`"), at: entry.keyPlace)
            }
            for inner in scopes { scope.adopt(inner, reporting: collector) }
            return .race(Race(branches: branches, outcome: nil))
        }
        for inner in scopes {
            scope.hide(inner, reason: "only a branch that wins has it; `as` of the race keeps the winner's answer")
        }
        let before = collector.count
        let count = expectations.read(winners, of: .integer, what: "the number of winners")
        let others = node["others"].flatMap { failures.read($0) }
        let capture = node["as"].flatMap { winner($0, of: branches) }
        guard let count, collector.count == before else { return nil }
        return .race(Race(branches: branches, outcome: Race.Outcome(winners: count, others: others, capture: capture)))
    }

    /// Defines the variable that keeps the winner. If each branch begins with an actor, it is an actor's name, too.
    private func winner(_ node: YAMLNode, of branches: [Branch]) -> String? {
        if let name = node.scalar?.text, actors[name] != nil {
            return collector.refuse(.misfit(what: "`as: \(name)`", reason: "an actor has this name"), at: node.place)
        }
        guard let key = variable(node, RaceWinner.fieldType, in: scope) else { return nil }
        let actors = branches.compactMap(\.actors.first)
        if actors.count == branches.count, let name = node.scalar?.text { scope.define(name, oneOf: actors) }
        return key
    }

    /// The elements of a list that needs at least two.
    func severalElements(of entry: YAMLEntry) -> [YAMLNode]? {
        guard let elements = entry.value.elements else {
            return collector.refuse(
                .wrongShape(what: "`\(entry.key)`", expected: .list, actual: entry.value.shape), at: entry.value.place)
        }
        guard elements.count >= 2 else {
            return collector.refuse(.tooFewBranches(word: entry.key), at: entry.keyPlace)
        }
        return elements
    }

    /// The branches, and the captures of each.
    private func branches(_ entry: YAMLEntry, path: String) -> ([Branch], [Scope])? {
        guard let elements = severalElements(of: entry) else { return nil }
        var scopes: [Scope] = []
        var branches: [Branch] = []
        for (index, element) in elements.enumerated() {
            let inner = Scope(parent: scope)
            for other in scopes { inner.hide(other, reason: "that branch runs at the same time as this one") }
            let list = element.elements == nil ? YAMLNode(.sequence([element]), at: element.place) : element
            let reader = nested(in: inner, path: "\(path).\(index + 1)")
            let steps = reader.read(list, what: "a branch")
            refuseOrders(in: steps)
            branches.append(Branch(steps: steps, place: element.place))
            scopes.append(inner)
        }
        return (branches, scopes)
    }
}
