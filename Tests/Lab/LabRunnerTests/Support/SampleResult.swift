@testable import LabRunner

extension ScenarioResult {
    /// A result in which every member has a value, with texts that need escaping.
    static func sample(
        _ verdict: Verdict, id: String = "a/b.yaml", name: String = "A <b> & \"c\" \u{1}", quarantine: String? = nil
    ) -> ScenarioResult {
        var result = ScenarioResult(
            id: id, name: name, tags: ["fast", "x,y"], file: "a/b.yaml", topology: "default",
            verdict: verdict, quarantine: quarantine, remark: nil, round: 1, seed: 7, seconds: 1.5, commands: 2,
            failures: [],
            overheads: [200_000, 400_000], launches: ["main": 20_000_000], replay: "lab run b.yaml --seed 7",
            directory: "/d")
        if verdict != .passed {
            let difference = Difference(
                path: "state", expected: "\"ACTIVE\"", actual: "\"BLOCKED\"", place: "a/b.yaml:4:21",
                hint: "an empty text", excerpt: " 4 | expect: { state: ACTIVE }\n   |                  ^~~~~~")
            result.failures = [
                StepFailure(
                    verdict: verdict, step: "1", title: "main: x", place: "a/b.yaml:3:5", source: "> 3 | - main: x",
                    reason: "it failed with <x> & ]]>\u{1B}[0m", differences: [difference],
                    trace: ["main state.saved"], replay: "lab run b.yaml --seed 7")
            ]
        }
        return result
    }
}
