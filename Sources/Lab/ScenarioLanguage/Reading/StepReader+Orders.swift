// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile

// The orders in which a run plays a block.
extension StepReader {
    /// Reads `orders` beside the word of a block whose branches are complete: `all`, or its bounds.
    /// - Parameter order: The value of `order` beside it.
    func exploredOrders(_ entry: YAMLEntry, of branches: [Branch], beside order: YAMLNode?) -> ExploredOrders? {
        guard order == nil else {
            return collector.refuse(
                .contradictingKeys(
                    first: "order", second: "orders", reason: "`order` is one of the orders that `orders` plays"),
                at: entry.keyPlace)
        }
        if case .failure(let usage) = schedulableProcesses(of: branches, among: actors) {
            return collector.refuse(.misfit(what: "`orders`", reason: usage.description), at: entry.keyPlace)
        }
        let all = ExploredOrders.all(at: entry.keyPlace)
        guard let scalar = entry.value.scalar else { return bounds(entry.value, otherwise: all) }
        guard scalar.text == "all" else {
            return collector.refuse(
                .misfit(
                    what: "`orders`",
                    reason: "it is `all`, or bounds such as `{ preemptions: 2, deaths: 1, budget: 30s }`"),
                at: entry.value.place)
        }
        return all
    }

    private func bounds(_ node: YAMLNode, otherwise all: ExploredOrders) -> ExploredOrders? {
        guard let reader = MappingReader(node, container: "`orders`", reporting: collector) else { return nil }
        let before = collector.count
        func count(_ key: String, in limits: ClosedRange<Int>) -> Int? {
            reader.integer(key, in: Int64(limits.lowerBound)...Int64(limits.upperBound)).map { Int($0) }
        }
        var orders = all
        orders.preemptions = count("preemptions", in: ExploredOrders.preemptionCounts) ?? all.preemptions
        orders.deaths = count("deaths", in: ExploredOrders.deathCounts) ?? all.deaths
        if let budget = reader.optional("budget") {
            orders.budget = duration(budget, what: "`budget`")
            if orders.budget == .zero {
                collector.report(
                    .outOfRange(what: "`budget`", value: budget.scalar?.text ?? "", limit: "more than zero"),
                    at: budget.place)
            }
        }
        reader.finish()
        return collector.count == before ? orders : nil
    }

    /// Reports each `orders` that no run explores: of all blocks of a scenario one is, and only one that can be.
    /// - Parameters:
    ///   - steps: The steps of a scenario; one block of ``Step/explorable(in:)`` can have `orders`.
    ///   - others: Steps whose blocks cannot have `orders`.
    package func checkExploring(_ steps: [Step], beside others: [Step] = []) {
        let explored = Step.explorable(in: steps).filter { $0.orders != nil }
        for second in explored.dropFirst() {
            guard let orders = second.orders else { continue }
            collector.report(
                .misplacedWord(word: "orders", belongs: "another block has it, and a run explores one"),
                at: orders.place)
        }
        refuseExploring(in: steps + others, but: Set(explored.map(\.path)))
    }

    private func refuseExploring(in steps: [Step], but explored: Set<String>) {
        for step in steps {
            if let orders = step.orders, !explored.contains(step.path) {
                collector.report(
                    .misplacedWord(
                        word: "orders",
                        belongs:
                            "a block among the `steps` of a scenario's own file, also inside `during`, can have it, because it is carried out exactly once"
                    ), at: orders.place)
            }
            refuseExploring(in: step.inner, but: explored)
        }
    }
}
