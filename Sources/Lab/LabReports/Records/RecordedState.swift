// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
package import ScenarioEngine
import ScenarioLanguage

/// The device states recorded when a scenario failed.
package struct RecordedState<State: InspectedState>: Sendable {
    /// The directory of the run.
    package let run: String
    /// The scenario, with the round that failed.
    package let scenario: String
    /// The recorded states.
    package let state: State
}

extension RecordedRuns {
    /// The state at a moment of a recorded scenario, derived from its record.
    /// - Parameters:
    ///   - path: the scenario's file, or a row as in `login.yaml[wrong-pin]`.
    ///   - place: the number of a step, meaning the moment after it, or the time since the scenario began, such as
    ///     `150ms`; nil means after the first step that failed, or else after the last one.
    ///   - run: identifier of the run; nil searches all runs, newest first.
    /// - Throws: ``BadUsage`` if nothing is recorded of it, or the step does not exist.
    public func moment(of path: String, at place: String?, run: String?) throws -> StateAtStep {
        for run in try all().filter({ run == nil || $0.id == run }) {
            for result in run.report.results where concerns(result.scenario, path: path) {
                guard Files.isDirectory(result.directory) else { continue }
                try RecordChecksums.verify(run.directory)
                guard let steps = StepEnds(in: result.directory) else { continue }
                let moment = try steps.moment(at: place)
                var recorded = StateAtStep(
                    try TraceReader.readAll("\(result.directory)/traces"), steps.history, until: moment.time)
                recorded.run = run.id
                recorded.scenario = result.id
                recorded.step = moment.step
                recorded.milliseconds = Double(moment.time - steps.begin) / 1_000_000
                return recorded
            }
        }
        throw BadUsage(
            sentence: run.map { "the run \($0) has recorded nothing of \(path)" }
                ?? "no kept run has recorded anything of \(path)")
    }

    /// The state of the devices when a scenario last failed.
    /// - Parameters:
    ///   - path: the scenario's file, or a row as in `login.yaml[wrong-pin]`.
    ///   - run: identifier of the run; nil searches all runs, newest first.
    /// - Throws: ``BadUsage`` if nothing is recorded of it.
    package func state<State: InspectedState>(
        atFailureOf path: String, run: String?
    ) throws -> RecordedState<State> {
        let runs = try all().filter { run == nil || $0.id == run }
        for run in runs {
            for result in run.report.results where concerns(result.scenario, path: path) {
                guard let data = try? Files.read("\(result.directory)/\(State.fileName)") else { continue }
                try RecordChecksums.verify(run.directory)
                return RecordedState(run: run.id, scenario: result.id, state: try State(reading: data))
            }
        }
        throw BadUsage(
            sentence: run.map { "the run \($0) has recorded no failure of \(path) with \(State.subject)" }
                ?? "no kept run has recorded a failure of \(path) with \(State.subject)")
    }
}
