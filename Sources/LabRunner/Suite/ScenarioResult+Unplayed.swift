// Results of scenarios that were not played.
extension ScenarioResult {
    /// The result of a scenario that could not even be tried.
    init(unstarted scenario: Scenario, because reason: String, seed: UInt64, directory: String) {
        self.init(notRun: scenario, id: scenario.id, round: 1, seed: seed)
        verdict = .inconclusive
        failures = [
            StepFailure(
                verdict: .inconclusive, step: "", title: "", place: "", source: "", reason: reason, differences: [],
                trace: [], replay: "")
        ]
        self.directory = directory
    }

    /// The result of a scenario whose turn never came.
    init(notRun scenario: Scenario, id: String, round: Int, seed: UInt64) {
        self.init(
            id: id, name: scenario.name, tags: scenario.tags, verdict: .notRun, quarantine: scenario.quarantine,
            round: round, seed: seed, seconds: 0, commands: 0, failures: [], overheads: [], launches: [:], directory: ""
        )
    }
}
