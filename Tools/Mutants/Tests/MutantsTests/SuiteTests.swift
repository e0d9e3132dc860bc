import Testing

@testable import mutants

@Suite("Suites of the test program")
struct SuiteTests {
    @Test("A suite is found once, in its group or without one")
    func names() {
        let list = """
            ArchitectureTests.HouseRuleTests/noTabs()
            EndToEndTests.EndToEnd/EndlessTest/waits()
            EndToEndTests.EndToEnd/Peers/WatchTests/lost()
            EndToEndTests.EndToEnd/Peers/WatchTests/Rows/row(number:)
            EndToEndTests.freeTest()
            LabKitTests.ClockTests/Long/day()
            LabKitTests.ClockTests/minute()

            """
        #expect(
            Suite.suites(ofTests: list).map(\.name) == [
                "EndToEndTests.EndToEnd/EndlessTest", "EndToEndTests.EndToEnd/Peers/WatchTests",
                "EndToEndTests.freeTest()", "LabKitTests.ClockTests",
            ])
    }

    @Test("A scenario counts as a suite that launches processes")
    func scenarios() {
        let scenario = Suite(name: "Scenarios/watch/messages.yaml")
        #expect(scenario.isScenario && scenario.isEndToEnd && scenario.module == "Scenarios")
        #expect(!Suite(name: "LabKitTests.ClockTests").isScenario)
    }
}
