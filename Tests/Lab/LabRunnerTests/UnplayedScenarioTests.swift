import TestSupport
import Testing

@testable import LabRunner

@Suite("Scenarios that are not selected or not started", .endsInTime)
struct UnplayedScenarioTests {
    private let scenarios: [Scenario]

    init() throws {
        let workspace = try SuiteWorkspace(["a.yaml": "name: A\ntags: [fast]\nsteps:\n  - main: kill\n"])
        scenarios = SuiteReader(labPath: nil, environment: [:]).read([workspace.directory.path]).scenarios
    }

    @Test("A tag of an expression that no scenario has is an error, also behind `not`")
    func unknownTag() throws {
        #expect(try TagExpression("a and not b or !c").tags == ["a", "b", "c"])
        for expression in ["fast and not fsat", "fsat or fast"] {
            #expect(
                try Selection(filter: nil, tags: [expression]).complaint(about: scenarios)
                    == "error: no scenario has the tag `fsat`; did you mean `fast`?")
        }
        #expect(try Selection(filter: nil, tags: ["fast or not fast"]).complaint(about: scenarios) == nil)
    }

    @Test("A scenario that could not be started is inconclusive for the reason, and can be run again")
    func unstarted() throws {
        let scenario = try #require(scenarios.first)
        let result = ScenarioResult(
            unstarted: scenario, because: "there is no room", seed: 7, labOption: nil, directory: "/d")
        #expect(result.verdict == .inconclusive && result.id == "a.yaml" && result.tags == ["fast"])
        #expect(result.seed == 7 && result.round == 1 && result.directory == "/d" && result.commands == 0)
        #expect(result.failures.map(\.reason) == ["there is no room"])
        #expect(result.failures.map(\.verdict) == [.inconclusive])
        #expect(result.failures.map(\.replay) == [result.replay] && result.replay.contains("--seed 7"))
    }
}
