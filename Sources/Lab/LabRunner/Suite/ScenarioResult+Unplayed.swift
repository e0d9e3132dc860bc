import LabFile
import LabKit

// Results of scenarios that were not played.
extension ScenarioResult {
    /// The result of a scenario that could not be started.
    init(
        unstarted scenario: Scenario, because reason: String, seed: UInt64, labOption: String?, directory: String
    ) {
        self.init(notRun: scenario, id: scenario.id, round: 1, seed: seed, labOption: labOption)
        verdict = .inconclusive
        failures = [
            StepFailure(
                verdict: .inconclusive, step: "", title: "", place: "", source: "", reason: reason, differences: [],
                trace: [], replay: replay)
        ]
        self.directory = directory
    }

    /// The result of a scenario that was not reached.
    init(notRun scenario: Scenario, id: String, round: Int, seed: UInt64, labOption: String?) {
        self.init(
            id: id, name: scenario.name, tags: scenario.tags, file: scenario.file.path,
            topology: scenario.topology.name, verdict: .notRun, quarantine: scenario.standing.quarantine,
            remark: scenario.obstacle, round: round,
            seed: seed, seconds: 0, commands: 0, failures: [], overheads: [], launches: [:],
            replay: scenario.replay(seed: seed, labOption: labOption), directory: "")
    }
}
