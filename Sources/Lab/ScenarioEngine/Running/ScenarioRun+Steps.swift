// SPDX-License-Identifier: Apache-2.0

import LabFile
package import ScenarioLanguage
import Synchronization

// What the history of a run says of its steps.
extension ScenarioRun {
    /// A step begins; from here on its waits are registered.
    package func began(_ step: Step) {
        times.begin(step)
        record.withLock { _ = $0.begun.insert(step.path) }
        let lines = recordSource(of: step)
        history.record(.stepStarted(start(of: step), lines), step: step.path)
    }

    private func start(of step: Step) -> HistoryEvent.StepStart {
        .init(title: step.title, sentence: step.sentence(knowing: known))
    }

    /// Records the content of a step's file once, secrets masked.
    /// - Returns: The step's lines in that content.
    func recordSource(of step: Step) -> HistoryEvent.SourceLines {
        let (file, range) = (step.place.file, step.place.range)
        if record.withLock({ $0.sources.insert(file.path).inserted }) {
            let lines = (1...max(1, file.lines.count)).map { scenario.secrets.masked(line: $0, of: file) }
            history.record(.source(.init(file: file.path, text: lines.joined(separator: "\n"))))
        }
        return HistoryEvent.SourceLines(
            file: file.path, line: range.start.line, column: range.start.column, lastLine: range.end.line,
            includedAt: step.includedAt.isEmpty ? nil : step.includedAt.map(\.label))
    }

    /// Records a step that is skipped because its `when` does not hold.
    package func skip(_ step: Step, because reason: String) {
        history.record(.stepSkipped(.init(reason: reason)), step: step.path)
        record.withLock { record in
            if let index = record.skipped.firstIndex(where: { $0.step == step.path }) {
                record.skipped[index].times += 1
            } else {
                record.skipped.append(
                    SkippedStep(
                        step: step.path, title: step.title, place: ReportedPlace(step.place), reason: reason, times: 1))
            }
        }
    }

    /// A step has ended.
    package func ended(_ step: Step, isFine: Bool) {
        // The waits of a stopped step are reported after all threads have left their steps.
        if !interruption.isSet { times.end(step) }
        history.record(.stepFinished(isFine: isFine), step: step.path)
    }

    /// Records the steps that have not begun before the tear-down; of a block, only the block.
    /// - Parameter extent: The phases that were carried out.
    func recordNotRun(_ extent: Extent) {
        let (begun, skipped) = record.withLock { ($0.begun, Set($0.skipped.map(\.step))) }
        func note(_ steps: [Step]) {
            for step in steps where !skipped.contains(step.path) {
                if begun.contains(step.path) {
                    note(step.inner)
                } else {
                    history.record(.stepNotRun(start(of: step)), step: step.path)
                }
            }
        }
        switch extent {
        case .all, .setup: note(scenario.setup?.steps ?? [])
        // Another run has carried the set-up out.
        case .rest: break
        }
        note(scenario.steps)
    }
}
