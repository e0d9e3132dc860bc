// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A block of a scenario whose processes get their turns from outside of the scenario: the plan for one run, and what
/// came of it.
///
/// Thread rule: any thread; used for one run.
package final class ExploredBlock: Sendable {
    /// The number of the step that is the block, `Step.path`.
    package let step: String
    package let plan: TurnScheduler.Plan
    private let state = Mutex(State())

    private struct State {
        var hasBegun = false
        var choices: [TurnChoice] = []
        var problem: TurnScheduler.Problem?
    }

    /// A block whose turns follow a plan.
    /// - Parameter step: The number of the step that is the block, `Step.path`.
    package init(step: String, plan: TurnScheduler.Plan) {
        self.step = step
        self.plan = plan
    }

    /// All choices of the run, after it; empty if the run did not come to the block.
    package var choices: [TurnChoice] { state.withLock { $0.choices } }
    /// Why the turns ended early, after the run; nil if they did not.
    package var problem: TurnScheduler.Problem? { state.withLock { $0.problem } }

    /// Whether the block is carried out for the first time: in later rounds its branches run at the same time.
    package func begin() -> Bool {
        state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
    }

    /// Takes what came of the plan.
    package func record(_ choices: [TurnChoice], _ problem: TurnScheduler.Problem?) {
        state.withLock { ($0.choices, $0.problem) = (choices, problem) }
    }
}
