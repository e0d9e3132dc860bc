// SPDX-License-Identifier: Apache-2.0

import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// A scenario as `lab run` plays it: once, or in every order of its block that has `orders`.
///
/// The orders are played one after the other; other scenarios use the other jobs. Of their records only those of one order
/// are left: of the one that fails, that could not be judged, or of the first.
///
/// Thread rule: `perform` is called once, on a thread that may block.
struct ScenarioPerformance {
    let scenario: Scenario
    let seed: UInt64
    /// Absolute path of the directory for the records.
    let directory: String
    let setting: ScenarioRun.Setting
    /// Ends the scenario.
    let interruption: Interruption
    /// Absolute path of the lab file, beside which an order that fails is written.
    let labFile: String
    /// Environment variables and values of `--set`, for reading the written scenario.
    let environment: [String: String]
    let settings: [String: String]

    /// Plays the scenario.
    /// - Returns: Its result, whose directory is that of the scenario.
    func perform() -> ScenarioResult {
        do {
            guard Step.explorable(in: scenario.steps).contains(where: { $0.orders != nil }) else {
                return try ScenarioRun(
                    scenario, seed: seed, directory: directory, setting: setting, interruption: interruption
                ).perform()
            }
            guard setting.gate == nil else {
                throw LabFailure(
                    "Its block has `orders`, and each order would pause anew. Run it without pauses, and pause in the scenario that is written for an order that fails."
                )
            }
            return try explore(ExploredScenario(scenario))
        } catch {
            return ScenarioResult(
                unstarted: scenario, because: "\(error)", seed: seed, labOption: setting.labOption,
                directory: directory)
        }
    }

    private func explore(_ explored: ExploredScenario) throws -> ScenarioResult {
        let begin = MonotonicClock.nanoseconds()
        let orders = explored.block.orders ?? .all(at: explored.block.place)
        let limit = setting.limits.scenario
        let time = [orders.budget, limit].compactMap(\.self).min()
        try Files.createDirectory(directory)
        var setting = setting
        // The instance of an order that fails is not kept: the order is played again, and a scenario repeats it.
        setting.afterFailure = nil
        let player = OrderPlayer(
            explored: explored, seed: seed, setting: setting, directory: directory, keepsFirst: true,
            interruption: interruption)
        let bounds = ExplorationBounds(
            preemptions: orders.preemptions, deaths: orders.deaths, jobs: 1, time: time)
        // Orders are played one after the other, so they end in the order of their numbers.
        var first: ScenarioResult?
        var unjudged: ScenarioResult?
        var exploration = Exploration(player, bounds: bounds) { event in
            guard case .ended(let order) = event, let result = order.result else { return }
            if first == nil { first = result }
            if case .inconclusive = order.end, unjudged == nil { unjudged = result }
        }
        let end = exploration.perform()
        let judge = ExplorationVerdict(
            explored: explored, labOption: setting.labOption, end: end, coverage: exploration.coverage(end),
            isAccepted: exploration.played > 0 && orders.budget != nil && orders.budget == time)
        var result: ScenarioResult
        if let (number, finding) = exploration.finding {
            result = judge.failed(finding, number: number, repeatedBy: written(finding, number: number, of: explored))
        } else if let unreached = exploration.unreached {
            result = judge.unreached(unreached)
        } else if let order = exploration.firstInconclusive, let unjudged {
            result = judge.inconclusive(unjudged, order: order.number, because: order.reason)
        } else if let first {
            result = judge.played(first)
        } else {
            throw LabFailure("No order was played: \(exploration.coverage(end)).")
        }
        result.seconds = Double(MonotonicClock.nanoseconds() - begin) / 1e9
        return kept(result)
    }

    /// Writes the scenario that repeats an order.
    private func written(
        _ finding: OrderFinding, number: Int, of explored: ExploredScenario
    ) -> Result<Scenario, any Error> {
        Result {
            let place = try ExploredPlace(
                name: ExploredPlace.name(of: scenario), below: Files.directory(of: labFile), environment: environment,
                settings: settings, labOption: setting.labOption)
            defer { place.removeIfEmpty() }
            return try place.write(finding, number: number, of: explored, seed: seed)
        }
    }

    /// Leaves the records of one order, in the directory of the scenario, where every command looks for them.
    private func kept(_ result: ScenarioResult) -> ScenarioResult {
        let order = result.directory
        do {
            for name in try Files.list(order) { try Files.rename("\(order)/\(name)", to: "\(directory)/\(name)") }
            for name in try Files.list(directory) where name.hasPrefix("order-") {
                try Files.removeTree("\(directory)/\(name)")
            }
        } catch {
            // The result counts more than the place of its records.
            return result
        }
        var result = result
        result.directory = directory
        // Texts may name files of the record.
        result.failures = result.failures.map { $0.withTexts { $0.replacing(order, with: directory) } }
        return result
    }
}
