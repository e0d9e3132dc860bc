import LabFile
import Synchronization

/// The steps that a run has skipped because their `when` did not hold, each once.
///
/// Thread rule: any thread.
final class SkippedSteps: Sendable {
    private let steps = Mutex<[SkippedStep]>([])

    /// Nil for no steps.
    var all: [SkippedStep]? { steps.withLock { $0.isEmpty ? nil : $0 } }

    fileprivate func add(_ step: Step, because reason: String) {
        steps.withLock { steps in
            if let index = steps.firstIndex(where: { $0.step == step.path }) {
                steps[index].times += 1
            } else {
                steps.append(
                    SkippedStep(step: step.path, title: step.title, place: step.place.label, reason: reason, times: 1))
            }
        }
    }
}

extension ScenarioRun {
    /// Records a step that is skipped because its `when` does not hold.
    func skip(_ step: Step, because reason: String) {
        let reason = redactor.redact(reason)
        history.record(.stepSkipped(.init(reason: reason)), step: step.path)
        skippedSteps.add(step, because: reason)
    }
}
