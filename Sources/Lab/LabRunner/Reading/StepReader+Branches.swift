import LabFile
import LabKit

// Lists of steps that run at the same time.
extension StepReader {
    func parallel(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: entry.key, allowed: ["note"])
        guard let (branches, scopes) = branches(entry, path: path) else { return nil }
        for inner in scopes { scope.adopt(inner, reporting: collector) }
        return .parallel(branches)
    }

    func race(_ node: YAMLNode, _ entry: YAMLEntry, path: String) -> Step.Action? {
        closeKeys(of: node, word: entry.key, allowed: ["note", "winners", "others", "as"])
        guard let (branches, scopes) = branches(entry, path: path) else { return nil }
        guard let winners = node["winners"] else {
            for key in ["others", "as"] where node[key] != nil {
                collector.report(
                    .missingKey(key: "winners", container: "`race` with `\(key)`"), at: entry.keyPlace)
                return nil
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
        return .race(
            Race(branches: branches, outcome: Race.Outcome(winners: count, others: others, capture: capture)))
    }

    /// Defines the variable that keeps the winner. If each branch begins with an actor, it is an actor's name, too.
    private func winner(_ node: YAMLNode, of branches: [Branch]) -> String? {
        if let name = node.scalar?.text, actors[name] != nil {
            collector.report(.misfit(what: "`as: \(name)`", reason: "an actor has this name"), at: node.place)
            return nil
        }
        guard let key = variable(node, RaceWinner.fieldType, in: scope) else { return nil }
        let actors = branches.compactMap(\.actors.first)
        if actors.count == branches.count, let name = node.scalar?.text { scope.define(name, oneOf: actors) }
        return key
    }

    /// The elements of a list that needs at least two.
    func severalElements(of entry: YAMLEntry) -> [YAMLNode]? {
        guard let elements = entry.value.elements else {
            collector.report(
                .wrongShape(what: "`\(entry.key)`", expected: .list, actual: entry.value.shape), at: entry.value.place)
            return nil
        }
        guard elements.count >= 2 else {
            collector.report(.tooFewBranches(word: entry.key), at: entry.keyPlace)
            return nil
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
            branches.append(Branch(steps: reader.read(list, what: "a branch"), place: element.place))
            scopes.append(inner)
        }
        return (branches, scopes)
    }
}
