// SPDX-License-Identifier: Apache-2.0

import LabSystem
import ScenarioLanguage

/// Plays the orders of a block, each in an instance of its own.
///
/// Thread rule: any thread; `play` blocks, and is called by as many threads at once as the search has jobs.
package protocol PlaysOrders: Sendable {
    /// Ends the order that is played, and the search.
    var interruption: Interruption { get }

    /// The seed of each order, and of those that are drawn.
    var seed: UInt64 { get }

    /// Plays an order; one that fails is played a second time.
    /// - Parameter number: From 1, in the order in which they begin.
    func play(_ source: OrderSource, number: Int) -> PlayedOrder
}

/// Plays the orders of a scenario's block, each in a run of the scenario.
package struct OrderPlayer: PlaysOrders {
    package let explored: ExploredScenario
    /// The seed of each order: all of them have the same generated values.
    package let seed: UInt64
    let setting: ScenarioRun.Setting
    /// Absolute path of the directory for the records of orders.
    let directory: String
    /// Whether the records of the first order are kept when it has passed.
    let keepsFirst: Bool
    package let interruption: Interruption

    /// A player.
    /// - Parameters:
    ///   - seed: The seed of each order: all of them have the same generated values.
    ///   - directory: Absolute path of the directory for the records of orders.
    ///   - keepsFirst: Whether the records of the first order are kept when it has passed.
    ///   - interruption: Ends the order that is played.
    package init(
        explored: ExploredScenario, seed: UInt64, setting: ScenarioRun.Setting, directory: String,
        keepsFirst: Bool = false, interruption: Interruption
    ) {
        self.explored = explored
        self.seed = seed
        self.setting = setting
        self.directory = directory
        self.keepsFirst = keepsFirst
        self.interruption = interruption
    }

    /// Plays an order; one that fails is played a second time.
    ///
    /// The records of an order that passed are removed, but those of the first one if they are to be kept.
    /// - Parameter number: From 1, for its directory.
    package func play(_ source: OrderSource, number: Int) -> PlayedOrder {
        let name = "order-\(number)"
        let played = run(source.plan, in: name)
        let end = judged(played, name: name)
        if case .passed = end, number > 1 || !keepsFirst { remove(name) }
        return PlayedOrder(
            number: number, source: source, choices: played.block.choices, end: end, result: played.result)
    }

    private typealias Execution = (result: ScenarioResult, block: ExploredBlock)

    private func run(_ plan: TurnScheduler.Plan, in name: String) -> Execution {
        let block = ExploredBlock(step: explored.block.path, plan: plan)
        var setting = self.setting
        setting.explored = block
        let place = "\(directory)/\(name)"
        do {
            let run = try ScenarioRun(
                explored.scenario, seed: seed, directory: place, setting: setting, interruption: interruption)
            return (run.perform(), block)
        } catch {
            let result = ScenarioResult(
                unstarted: explored.scenario, because: "\(error)", seed: seed, labOption: setting.labOption,
                directory: place)
            return (result, block)
        }
    }

    private func judged(_ played: Execution, name: String) -> PlayedOrder.End {
        guard !interruption.isSet else { return .interrupted }
        let turns = played.block.choices.map(\.turn)
        if let problem = played.block.problem { return .inconclusive("turn \(turns.count + 1): \(problem)") }
        guard !turns.isEmpty else { return .unreached(played.result) }
        switch played.result.verdict {
        case .passed: return .passed
        case .failed: return confirmed(played.result, turns, name: "\(name)-again")
        case .inconclusive, .notRun: return .inconclusive(played.result.failures.first?.headline ?? "it was not played")
        }
    }

    /// Plays a failing order again, with all of its turns.
    private func confirmed(_ result: ScenarioResult, _ turns: [Turn], name: String) -> PlayedOrder.End {
        let again = run(.exact(turns), in: name)
        defer { remove(name) }
        guard !interruption.isSet else { return .interrupted }
        guard again.block.problem == nil, again.result.verdict == .failed else {
            let reason = result.failures.first?.headline ?? "it failed"
            let difference =
                again.block.problem.map { "turn \(again.block.choices.count + 1) was another one: \($0)" }
                ?? "all \(turns.count) turns were the same"
            return .inconclusive(
                "it failed (\(reason)) and did not when it was played again, so something outside the lab's control decided; "
                    + difference)
        }
        return .failed(OrderFinding(turns: turns, result: result))
    }

    /// What cannot be removed now only takes room.
    private func remove(_ name: String) { try? Files.removeTree("\(directory)/\(name)") }
}

/// Where an order comes from.
package enum OrderSource: Sendable {
    /// The search: the one that a beginning leads to.
    case search(OrderSearch.Beginning)
    /// A draw.
    case drawn(DrawnOrder)

    /// The turns to give.
    package var plan: TurnScheduler.Plan {
        switch self {
        case .search(let beginning): .beginning(beginning.turns)
        case .drawn(let order): .drawn(order)
        }
    }
}

/// An order that was played.
package struct PlayedOrder: Sendable {
    /// How it ended.
    package enum End: Sendable {
        case passed
        /// It failed twice.
        case failed(OrderFinding)
        /// It could not be judged; the reason in a sentence.
        case inconclusive(String)
        /// The scenario ended without its block, so there was no order.
        case unreached(ScenarioResult)
        case interrupted
    }

    /// From 1, in the order in which they began.
    package let number: Int
    package let source: OrderSource
    package let choices: [TurnChoice]
    package let end: End
    /// The result of the scenario in this order; nil if no scenario was played.
    package let result: ScenarioResult?

    /// An order that was played.
    package init(
        number: Int, source: OrderSource, choices: [TurnChoice], end: End, result: ScenarioResult? = nil
    ) {
        self.number = number
        self.source = source
        self.choices = choices
        self.end = end
        self.result = result
    }
}

/// An order that fails whenever it is played.
package struct OrderFinding: Sendable {
    /// All turns of the block.
    package let turns: [Turn]
    package let result: ScenarioResult
    /// Its first failure, in a sentence without its end.
    package var reason: String { result.failures.first?.headline ?? "it does not pass" }

    /// An order that fails, and the result of it.
    package init(turns: [Turn], result: ScenarioResult) {
        self.turns = turns
        self.result = result
    }
}
