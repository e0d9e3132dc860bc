// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabFile
import LabPoints

// The order in which the processes of a block take turns.
extension StepReader {
    /// Reads `order` beside the word of a block whose branches are complete.
    func turnOrder(_ entry: YAMLEntry, of branches: [Branch]) -> TurnOrder? {
        let processes: [String]
        switch schedulableProcesses(of: branches, among: actors) {
        case .success(let names): processes = names + actors.linkedDevices
        case .failure(let usage):
            return collector.refuse(.misfit(what: "`order`", reason: usage.description), at: entry.keyPlace)
        }
        guard let elements = entry.value.elements else {
            return collector.refuse(
                .wrongShape(what: "`order`", expected: .list, actual: entry.value.shape), at: entry.value.place)
        }
        if elements.isEmpty { return collector.refuse(.emptyList(what: "`order`"), at: entry.value.place) }
        let turns = elements.compactMap { turn($0, of: processes) }
        return turns.count == elements.count ? TurnOrder(turns: turns, place: entry.keyPlace) : nil
    }

    private func turn(_ node: YAMLNode, of processes: [String]) -> TurnOrder.Turn? {
        let what = "a turn of `order`"
        guard let entries = node.entries else {
            return collector.refuse(.wrongShape(what: what, expected: .mapping, actual: node.shape), at: node.place)
        }
        guard let entry = entries.first, entries.count == 1 else {
            return collector.refuse(
                .misfit(what: what, reason: "it is one process and the place from which it continues: `main: start`"),
                at: node.place)
        }
        guard processes.contains(entry.key) else {
            return collector.refuse(
                .unknownName(what: "process of the block", name: entry.key, known: processes), at: entry.keyPlace)
        }
        guard let (value, dies) = placeOrDeath(entry.value) else { return nil }
        guard let place = value.scalar?.text, !value.isNull else {
            return collector.refuse(
                .wrongShape(what: "the place of a turn", expected: .value, actual: value.shape), at: value.place)
        }
        let isAgent = actors.owner(entry.key) == .device
        if let refusal = refusal(ofPlace: place, for: entry.key, isAgent: isAgent) {
            return collector.refuse(refusal, at: value.place)
        }
        return TurnOrder.Turn(process: entry.key, place: place, dies: dies)
    }

    /// The value that names the place of a turn, and whether its process dies there: `state.saved`, or
    /// `{ dies: state.saved }`.
    private func placeOrDeath(_ node: YAMLNode) -> (value: YAMLNode, dies: Bool)? {
        guard let entries = node.entries else { return (node, false) }
        guard let entry = entries.first, entries.count == 1 else {
            let reason = "the process continues from one place, or is killed at one: `{ dies: state.saved }`"
            return collector.refuse(.misfit(what: "the place of a turn", reason: reason), at: node.place)
        }
        guard entry.key == TurnOrder.dies else {
            return collector.refuse(
                .unknownKey(key: entry.key, container: "the place of a turn", known: [TurnOrder.dies]),
                at: entry.keyPlace)
        }
        return (entry.value, true)
    }

    /// Why a process is never held at a place; nil if it can be.
    private func refusal(ofPlace place: String, for process: String, isAgent: Bool) -> DiagnosticKind? {
        let known = TurnOrder.places.map(\.name)
        if let point = FaultPoint(rawValue: place) {
            let isPassed = isAgent ? point.owners.contains(.device) : point.owners != [.device]
            let reason =
                isAgent
                ? "agents of devices do not pass it, and `\(process)` is a device"
                : "only agents of devices pass it, and `\(process)` is an app"
            return isPassed ? nil : .misfit(what: "`\(place)`", reason: reason)
        }
        if known.contains(place) || Checkpoint(place: place) != nil {
            guard isAgent else { return nil }
            return .misfit(what: "`\(place)`", reason: "only apps come to it, and `\(process)` is a device")
        }
        if place.hasPrefix(Checkpoint.prefix) {
            return .misfit(what: "`\(place)`", reason: "the name of a checkpoint has \(Checkpoint.rule)")
        }
        return .unknownName(what: "place", name: place, known: known)
    }

    /// Reports each `order` in a block that may carry its steps out again, or carries out others beside them: then the
    /// turns would not be those of the order alone.
    func refuseOrders(in steps: [Step]) {
        for step in steps {
            if let order = step.order {
                collector.report(
                    .misplacedWord(
                        word: "order",
                        belongs:
                            "a block inside `each`, `eventually`, `parallel`, `race`, `repeat` or `stays` cannot have one, because it may be carried out again or beside other steps"
                    ), at: order.place)
            }
            refuseOrders(in: step.inner)
        }
    }
}

/// The processes whose turns a scheduler can give in a block: one app for each branch, in the order of the branches.
/// The agents of linked devices take turns beside them.
///
/// Commands to others than apps are allowed: a branch waits while the agent that answers them is held.
/// - Returns: A sentence instead, when a branch has none or several apps, or two branches have the same one.
package func schedulableProcesses(of branches: [Branch], topology: Topology) -> Result<[String], BadUsage> {
    schedulableProcesses(of: branches, among: ActorTable(topology))
}

func schedulableProcesses(of branches: [Branch], among actors: ActorTable) -> Result<[String], BadUsage> {
    func refusal(_ reason: String) -> Result<[String], BadUsage> {
        .failure(BadUsage(sentence: "each branch of an explored block needs one app of its own, but \(reason)"))
    }
    let most = max(0, TurnPage.slotCount - actors.linkedDevices.count)
    guard branches.count <= most else {
        return refusal("here are \(branches.count) branches; \(most) are possible")
    }
    var processes: [String] = []
    for (index, branch) in branches.enumerated() {
        let apps = Set(branch.steps.flatMap(\.commandActors)).filter { actors.owner($0) == .app }.sorted()
        guard let app = apps.first else { return refusal("branch \(index + 1) has no command of an app") }
        guard apps.count == 1 else {
            return refusal("branch \(index + 1) has commands of \(listed(apps.map { "`\($0)`" }, by: "and"))")
        }
        if let other = processes.firstIndex(of: app) {
            return refusal("branches \(other + 1) and \(index + 1) both have commands of `\(app)`")
        }
        processes.append(app)
    }
    return .success(processes)
}

extension Step {
    /// The actors of all commands of the step and those inside it.
    fileprivate var commandActors: [String] {
        command.map { $0.targets.map(\.actor) } ?? inner.flatMap(\.commandActors)
    }
}
