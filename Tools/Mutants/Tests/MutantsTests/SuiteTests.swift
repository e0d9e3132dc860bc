// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import mutants

@Suite("Suites of the test program")
struct SuiteTests {
    @Test func `A suite is found once, in its group or without one`() {
        let list = """
            ArchitectureTests.HouseRuleTests/noTabs()
            EndToEndTests.EndToEnd/EndlessTest/waits()
            EndToEndTests.EndToEnd/Peers/WatchTests/lost()
            EndToEndTests.EndToEnd/Peers/WatchTests/Rows/row(number:)
            EndToEndTests.freeTest()
            LabCoreTests.ClockTests/Long/day()
            LabCoreTests.ClockTests/minute()

            """
        #expect(
            Suite.suites(ofTests: list).map(\.name) == [
                "EndToEndTests.EndToEnd/EndlessTest", "EndToEndTests.EndToEnd/Peers/WatchTests",
                "EndToEndTests.freeTest()", "LabCoreTests.ClockTests",
            ])
    }

    @Test func `A scenario counts as a suite that launches processes`() {
        let scenario = Suite(name: "Scenarios/watch/messages.yaml")
        #expect(scenario.isScenario && scenario.isEndToEnd && scenario.module == "Scenarios")
        #expect(!Suite(name: "LabCoreTests.ClockTests").isScenario)
    }
}
