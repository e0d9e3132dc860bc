// SPDX-License-Identifier: Apache-2.0

package import LabControl
import LabCore
import LabFile
import LabSystem
package import ScenarioLanguage
import Synchronization

/// The failures of a run: each is explained from the traces, and recorded in the history at once.
///
/// Thread rule: any thread; blocks for as long as the devices take to report their state.
package final class RunFailures: Sendable {
    /// The command that repeats the run.
    package let replay: String
    private let scenario: Scenario
    private let labOption: String?
    private let known: Bindings
    private let history: History
    private let traces: String
    private let times: StepTimes
    private let armedFaults: ArmedFaults
    private let added = Mutex<[StepFailure]>([])
    /// Records the state that devices report when something fails; nil before the instance is ready.
    private let pictures = Mutex<FailureRecords?>(nil)

    /// - Parameter traces: Absolute path of the directory of the processes' traces.
    init(
        of scenario: Scenario, seed: UInt64, labOption: String?, known: Bindings, history: History, traces: String,
        times: StepTimes, armedFaults: ArmedFaults
    ) {
        self.scenario = scenario
        self.labOption = labOption
        self.known = known
        self.history = history
        self.traces = traces
        self.times = times
        self.armedFaults = armedFaults
        replay = scenario.replay(seed: seed, labOption: labOption)
    }

    /// From here on a failure records what the devices of an instance report.
    func observe(_ instance: InstanceConnection, recordingIn directory: String) {
        let pictures = FailureRecords(of: instance, directory: directory, redactor: history.redactor)
        self.pictures.withLock { $0 = pictures }
    }

    /// All failures so far, without secrets. They are masked here, and not when a failure is added, because the run may
    /// learn a secret after the failure that shows it.
    package var all: [StepFailure] { added.withLock { $0 }.map { $0.withTexts(history.redactor.redact) } }

    /// Whether nothing has failed so far.
    package var isEmpty: Bool { added.withLock { $0.isEmpty } }

    /// Explains a failed step.
    /// - Parameters:
    ///   - peer: The actor of the step, or the process of the awaited event.
    ///   - waitingSince: When the first attempt began, for a step that is retried until it holds.
    package func explain(
        _ step: Step, _ reason: String, verdict: Verdict, mismatches: [Mismatch] = [], peer: String? = nil,
        error: ControlError? = nil, awaited: String? = nil, waitingSince: UInt64? = nil
    ) -> StepFailure {
        let facts = FailureCircumstances(
            step: step.path, begin: times.begin(of: step), actor: peer, error: error, awaited: awaited,
            command: step.command?.command.name, mismatches: mismatches, waitingSince: waitingSince,
            // Read from the files: their followers may lag behind.
            events: (try? TraceReader.readAll(traces)) ?? [], topology: scenario.topology,
            stepAt: times.step(at:by:), armedBy: armedFaults.step(that:))
        return StepExplainer(
            renderer: DiagnosticRenderer(secrets: scenario.secrets), facts: facts, known: known, replay: replay
        ).failure(step, reason, verdict: verdict)
    }

    /// Adds a failure for every step that was waiting when the scenario was stopped.
    /// - Parameter reason: The beginning of the sentence, "interrupted".
    package func stopped(because reason: String, verdict: Verdict) {
        let waiting = times.waiting
        if waiting.isEmpty { fail("\(reason) between two steps", verdict: verdict) }
        for (step, sentence) in waiting {
            add(explain(step, "\(reason): \(sentence)", verdict: verdict, peer: step.actors.first))
        }
    }

    /// Adds a failure of the scenario as a whole.
    /// - Parameter trace: The events that show it, a line each.
    package func fail(_ reason: String, verdict: Verdict, trace: [String] = []) {
        add(StepFailure(verdict: verdict, reason: reason, trace: trace, replay: replay))
    }

    /// Adds a failure.
    package func add(_ failure: StepFailure) {
        var failure = failure
        // Before anything ends because of it, but only once it counts: a failure that is retried, or that a race
        // allows, does not.
        let suspects = pictures.withLock { $0 }?.suspects(preferring: failure.actor)
        if !failure.step.isEmpty {
            failure.sharing = suspects?.sharing.map { scenario.inspection("sharing \($0)", labOption: labOption) }
            failure.link = suspects?.link.map { scenario.inspection("link \($0)", labOption: labOption) }
        }
        failure.row = scenario.rowText
        added.withLock { $0.append(failure) }
        history.record(.failure(failure.verdict, .init(failure)), step: failure.step)
    }
}

/// When steps were last carried out, on the monotonic clock: shows what a stopped run was waiting for, and in which
/// step an event occurred.
///
/// Thread rule: any thread.
final class StepTimes: Sendable {
    private struct Entry {
        let step: Step
        let begin: UInt64
        /// Nil during the step.
        var end: UInt64?

        func contains(_ time: UInt64) -> Bool { time >= begin && end.map { time <= $0 } ?? true }
    }

    private let entries = Mutex<[String: Entry]>([:])

    /// A step, or its next attempt, begins.
    package func begin(_ step: Step) {
        entries.withLock { $0[step.path] = Entry(step: step, begin: MonotonicClock.nanoseconds()) }
    }

    /// A step has ended.
    package func end(_ step: Step) {
        let now = MonotonicClock.nanoseconds()
        entries.withLock { $0[step.path]?.end = now }
    }

    /// When a step, or its last attempt, began.
    package func begin(of step: Step) -> UInt64 { entries.withLock { $0[step.path]?.begin } ?? 0 }

    /// The number of the innermost step that was running at a time.
    /// - Parameter actor: The actor of the step, if branches had several running.
    package func step(at time: UInt64, by actor: String) -> String? {
        entries.withLock { entries in
            entries.filter { $0.value.contains(time) }.max { left, right in
                let isOwn = (left.value.step.isCommand(to: actor), right.value.step.isCommand(to: actor))
                return isOwn.0 == isOwn.1 ? left.key.count < right.key.count : isOwn.1
            }?.key
        }
    }

    /// The innermost running steps, one per branch, with a sentence about what each is waiting for.
    package var waiting: [(step: Step, sentence: String)] {
        let entries = entries.withLock { $0.values.filter { $0.end == nil } }
        let innermost = entries.filter { entry in
            !entries.contains { $0.step.path.hasPrefix(entry.step.path + ".") }
        }
        return innermost.sorted { $0.begin < $1.begin }.map { entry in
            let seconds = Double(MonotonicClock.nanoseconds() - entry.begin) / 1e9
            return (entry.step, "this step had waited \(FailureText.seconds(seconds)) for \(entry.step.awaited)")
        }
    }
}

extension Step {
    /// Whether the step itself, and not one inside it, is a command to an actor.
    fileprivate func isCommand(to actor: String) -> Bool {
        command?.targets.contains { $0.actor == actor } ?? false
    }

    /// What the thread that carries out the step is waiting for.
    fileprivate var awaited: String {
        switch action {
        case .command(let command) where command.eventually != nil:
            "`\(command.target.actor)` to answer as expected"
        case .command(let command): "the answer of `\(command.target.actor)`"
        case .waitFor(let event, _): event.title
        case .advance: "the lab's clock"
        case .eventually: "its steps to hold"
        default: "its steps"
        }
    }
}
