// SPDX-License-Identifier: Apache-2.0

import LabFile
package import ScenarioLanguage

/// The result of a scenario whose block was explored.
///
/// A value. Thread rule: any thread.
package struct ExplorationVerdict {
    package let explored: ExploredScenario
    /// The value of `--lab`, which a replay needs again.
    private let labOption: String?
    private let end: Exploration.End
    /// What was covered, in a sentence without its end.
    private let coverage: String
    /// Whether the author of the scenario accepts that its time ends the exploration, and an order was played.
    private let isAccepted: Bool

    /// The verdict on an exploration that has ended.
    package init(
        explored: ExploredScenario, labOption: String?, end: Exploration.End, coverage: String, isAccepted: Bool
    ) {
        self.explored = explored
        self.labOption = labOption
        self.end = end
        self.coverage = coverage
        self.isAccepted = isAccepted
    }

    /// The result of an order that fails, with its turns and how to repeat it.
    package func failed(
        _ finding: OrderFinding, number: Int, repeatedBy scenario: Result<Scenario, any Error>
    ) -> ScenarioResult {
        var result = noted(finding.result)
        var lines = ["order \(number) of the \(explored.word) at \(explored.label):"]
        lines += OrderText.columns(finding.turns).map { "  \($0)" }
        switch scenario {
        case .success(let scenario):
            lines.append("written: \(scenario.file.path)")
            let replay = scenario.replay(seed: result.seed, labOption: labOption)
            result.replay = replay
            for index in result.failures.indices { result.failures[index].replay = replay }
        case .failure(let error): lines.append("the order was not written as a scenario: \(error)")
        }
        if let index = result.leadingFailureIndex { result.failures[index].details += lines }
        return result
    }

    /// The result of a scenario that ended without its block.
    package func unreached(_ result: ScenarioResult) -> ScenarioResult {
        var result = result
        if result.verdict == .passed {
            add("not explored: the \(explored.word) was not carried out, because its `when` did not hold", to: &result)
        }
        return result
    }

    /// The result when no order failed, and one could not be judged.
    /// - Parameters:
    ///   - result: That of the order, which may have failed once and not when it was played again.
    ///   - reason: Why it could not be judged, in a sentence.
    package func inconclusive(_ result: ScenarioResult, order number: Int, because reason: String) -> ScenarioResult {
        inconclusive(result, because: "order \(number) could not be judged: \(reason)")
    }

    private func inconclusive(_ result: ScenarioResult, because reason: String) -> ScenarioResult {
        var result = noted(result)
        result.verdict = .inconclusive
        for index in result.failures.indices { result.failures[index].verdict = .inconclusive }
        result.failures.insert(
            StepFailure(
                verdict: .inconclusive, place: ReportedPlace(explored.block.place), reason: reason,
                replay: result.replay),
            at: 0)
        return result
    }

    /// The result when no order failed and all that were played could be judged.
    /// - Parameter result: That of the first order.
    package func played(_ result: ScenarioResult) -> ScenarioResult {
        switch end {
        case .complete: noted(result)
        case .time where isAccepted: noted(result)
        case .time:
            inconclusive(
                result,
                because:
                    "the exploration takes longer than the limit of the scenario (--scenario-timeout): \(coverage); give `orders` smaller bounds, or a `budget` to accept what is played within it"
            )
        case .interrupted, .limit, .found, .unreached:
            inconclusive(result, because: "the exploration did not come to its end: \(coverage)")
        }
    }

    private func noted(_ result: ScenarioResult) -> ScenarioResult {
        var result = result
        add(coverage, to: &result)
        return result
    }

    private func add(_ note: String, to result: inout ScenarioResult) {
        result.remark = [result.remark, note].compactMap(\.self).joined(separator: "; ")
    }
}
