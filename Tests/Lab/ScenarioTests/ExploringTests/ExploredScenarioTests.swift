// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabReports
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("A scenario whose block is explored", .endsInTime)
struct ExploredScenarioTests {
    private static let turns = [
        Turn(process: "main", place: "start"), Turn(process: "wallet", place: "start"),
        Turn(process: "main", place: "keychain.read"), Turn(process: "wallet", place: "state.save", dies: true),
    ]

    /// The same on one line.
    private static let order =
        "order: [{ main: start }, { wallet: start }, { main: keychain.read }, { wallet: { dies: state.save } }]"

    /// The scenario of a text, with files beside it.
    private static func read(_ text: String, beside files: [String: String] = [:]) throws -> Scenario {
        let outcome = try ScenarioFolder(text, beside: files).read()
        #expect(outcome.diagnostics.map(\.kind.sentence) == [])
        return try #require(outcome.scenarios.first)
    }

    /// The text with the order, for a file below the folder of the scenario.
    private static func ordered(_ scenario: Scenario) throws -> String {
        try ExploredScenario(scenario).text(
            inOrder: turns, remark: "Found.", below: Files.directory(of: scenario.file.path))
    }

    @Test func `An order continues apps from points of the server and from checkpoints, too`() throws {
        let scenario = try Self.read(
            """
            name: Both
            steps:
              - race:
                  - main: hasValidActivation
                  - wallet: hasValidActivation
                order:
                  - main: start
                  - main: server.requestReceived
                  - wallet: checkpoint.balance-read
                  - main: server.responseSent

            """)
        let places = ["start", "server.requestReceived", "checkpoint.balance-read", "server.responseSent"]
        #expect(scenario.steps.first?.order?.turns.map(\.place) == places)
    }

    @Test func `The order is written before the word of the block, and everything else stays`() throws {
        let head = """
            name: Both   # a comment
            steps:
              - clock: freeze
              - note: At once

            """
        let block = """
                race:
                  - main: hasValidActivation
                  - - wallet: hasValidActivation
                    - server: initActivation
              - clock: read

            """
        let order = """
                order:
                  - main: start
                  - wallet: start
                  - main: keychain.read
                  - wallet: { dies: state.save }

            """
        let scenario = try Self.read(head + block)
        #expect(try Self.ordered(scenario) == "# Found.\n" + head + order + block)
    }

    @Test(
        arguments: [
            "  - race:\n      - main: hasValidActivation\n      - wallet: hasValidActivation\n",
            "  - { parallel: [ { main: hasValidActivation }, { wallet: hasValidActivation } ], note: Both }\n",
            "  -\n    parallel:\n    - main: hasValidActivation\n    - wallet: hasValidActivation\n    note: Both\n",
            """
              - during:
                  - faults: arm
                    with: { point: keychain.read, peer: main, action: delay, delay: 1ms }
                steps:
                  - race:
                      - main: hasValidActivation
                      - wallet: hasValidActivation

            """,
        ])
    func `The written scenario is read with the order in its block`(steps: String) throws {
        let scenario = try Self.read("name: Both\nsteps:\n  - clock: freeze\n" + steps)
        let written = try Self.read(try Self.ordered(scenario))
        let blocks = written.steps.flatMap { $0.branches == nil ? $0.inner : [$0] }.filter { $0.branches != nil }
        let order = try #require(blocks.first?.order)
        #expect(order.turns.map { Turn(process: $0.process, place: $0.place, dies: $0.dies) } == Self.turns)
    }

    @Test(
        arguments: [
            ("orders: all   # each", "\(Self.order)   # each"),
            ("orders: { preemptions: 1, budget: 5s }", Self.order),
            ("orders:\n          preemptions: 1\n          budget: 5s", Self.order),
        ])
    func `The order takes the place of orders`(orders: String, order: String) throws {
        func text(_ more: String) -> String {
            """
            name: Both
            steps:
              - race: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]
              - during:
                  - faults: arm
                    with: { point: keychain.read, peer: main, action: delay, delay: 1ms }
                steps:
                  - parallel: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]
                    \(more)
                    note: Both

            """
        }
        let scenario = try Self.read(text(orders))
        #expect(try ExploredScenario(scenario).word == "parallel block", "the block with `orders`, not the first")
        let ordered = try Self.ordered(scenario)
        #expect(ordered == "# Found.\n" + text(order))
        _ = try Self.read(ordered)
    }

    @Test func `The order takes the place of orders in a block on one line`() throws {
        let block = "{ race: [ { main: hasValidActivation }, { wallet: hasValidActivation } ], "
        let head = "name: Both\nsteps:\n  - \(block)"
        let scenario = try Self.read(head + "orders: { deaths: 1 }, note: Both }\n")
        let order = "\(Self.order), note: Both }\n"
        let ordered = try Self.ordered(scenario)
        #expect(ordered == "# Found.\n" + head + order)
    }

    @Test func `The bounds of a block are read, and what is left out has its default`() throws {
        func orders(_ text: String) throws -> ExploredOrders {
            let scenario = try Self.read("name: Both\nsteps:\n  \(Self.race)\n    orders: \(text)\n")
            return try #require(scenario.steps.first?.orders)
        }
        let all = try orders("all")
        #expect(all.preemptions == 2 && all.deaths == 0 && all.budget == nil)
        let some = try orders("{ preemptions: 1, deaths: \"3\", budget: 30s }")
        #expect(some.preemptions == 1 && some.deaths == 3 && some.budget == LabDuration.seconds(30))
        let time = try orders("{ budget: 500ms }")
        #expect(time.preemptions == 2 && time.deaths == 0 && time.budget == LabDuration.milliseconds(500))
    }

    @Test(.verifies("size", "ExploredOrders.preemptionCounts", "ExploredOrders.deathCounts"))
    func `A block takes 0 to 100 preemptions and 0 to 10 deaths`() throws {
        func problems(_ bounds: String) throws -> [String] {
            let text = "name: Both\nsteps:\n  \(Self.race)\n    orders: { \(bounds) }\n"
            return try ScenarioFolder(text).read().diagnostics.map(\.kind.sentence)
        }
        for fine in ["preemptions: 0", "preemptions: 100", "deaths: 0", "deaths: 10"] {
            #expect(try problems(fine) == [], "\(fine)")
        }
        for preemptions in [-1, 101] {
            let sentence = "`preemptions` is \(preemptions), but must be from 0 to 100"
            #expect(try problems("preemptions: \(preemptions)") == [sentence])
        }
        for deaths in [-1, 11] {
            #expect(try problems("deaths: \(deaths)") == ["`deaths` is \(deaths), but must be from 0 to 10"])
        }
    }

    @Test func `Names of included files and of a table are relative to the written file, and arguments stay`() throws {
        let scenario = try Self.read(
            """
            name: Rows
            rows: table.csv
            setup:
              - include: "freeze.yaml"
            steps:
              - include: freeze.yaml
              - parallel:
                  - main: hasValidActivation
                  - wallet: hasValidActivation
              - check: { include: freeze.yaml }
                expect: { include: freeze.yaml }
            """, beside: ["freeze.yaml": "steps:\n  - clock: freeze\n", "table.csv": "id,pin\none,1\n"])
        let text = try Self.ordered(scenario)
        #expect(text.contains("\nrows: \"../../table.csv\"\n"), "\(text)")
        #expect(text.components(separatedBy: "- include: \"../../freeze.yaml\"\n").count == 3, "\(text)")
        #expect(text.contains("    expect: { include: freeze.yaml }"), "\(text)")
    }

    private static let race = "- race: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]"

    @Test(
        arguments: [
            ("- clock: freeze", "3:5: the steps have no `race` and no `parallel`"),
            ("- repeat: 2\n    steps:\n      \(race)", "3:5: the steps have no `race` and no `parallel`"),
            ("\(race)\n    order: [ { main: start } ]", "4:5: the block has an `order` already"),
            (
                "- race: [ { main: hasValidActivation }, { main: hasValidActivation } ]",
                "3:5: each branch of an explored block needs one app of its own"
            ),
        ])
    func `A scenario without a block whose turns can be given is refused with a place`(step: String, complaint: String)
        throws
    {
        let scenario = try Self.read("name: None\nsteps:\n  \(step)\n")
        let mistake = try #require(thrown { _ = try ExploredScenario(scenario) } as? BadUsage)
        #expect(mistake.description.hasPrefix("\(scenario.file.path):\(complaint)"), "\(mistake)")
    }

    @Test func `The first block of the steps is explored`() throws {
        let scenario = try Self.read(
            """
            name: Two
            setup:
              - race: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]
            steps:
              - parallel: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]
              - race: [ { main: hasValidActivation }, { wallet: hasValidActivation } ]
            """)
        let explored = try ExploredScenario(scenario)
        #expect(explored.block.path == "1")
        #expect(explored.word == "parallel block")
        #expect(explored.label == "\(scenario.file.path):5")
    }
}

@Suite("What an exploration says about its orders", .endsInTime)
struct ExplorationTextTests {
    /// An end of an exploration, with its sentence.
    struct Coverage: Sendable {
        let end: Exploration.End
        let played: Int
        var inconclusive = 0
        var left = 0
        var beyond = 0
        var deaths = 0
        var drawn = 0
        var drawnInconclusive = 0
        let sentence: String
    }

    @Test(
        arguments: [
            Coverage(
                end: .complete, played: 57, beyond: 12,
                sentence: "complete for 2 preemptions: 57 orders; at least 12 more with more preemptions"),
            Coverage(
                end: .complete, played: 1,
                sentence: "complete for 2 preemptions: 1 order; there are no others with another effect"),
            Coverage(
                end: .complete, played: 57, inconclusive: 3,
                sentence:
                    "complete for 2 preemptions: 57 orders, 3 of them inconclusive; there are no others with another effect"
            ),
            Coverage(
                end: .limit, played: 40, left: 17, beyond: 9,
                sentence: "stopped after 40 orders; at least 17 more with up to 2 preemptions"),
            Coverage(
                end: .time, played: 1, inconclusive: 1, left: 2,
                sentence: "stopped after 1 order, 1 of them inconclusive; at least 2 more with up to 2 preemptions"),
            Coverage(end: .found, played: 7, sentence: "stopped after 7 orders"),
            Coverage(
                end: .interrupted, played: 0, left: 2,
                sentence: "interrupted after 0 orders; at least 2 more with up to 2 preemptions"),
            Coverage(end: .unreached, played: 1, sentence: "nothing was explored"),
            Coverage(
                end: .complete, played: 90, beyond: 12, deaths: 1,
                sentence: "complete for 2 preemptions and 1 death: 90 orders; at least 12 more with more preemptions"),
            Coverage(
                end: .complete, played: 9, deaths: 2, drawn: 200, drawnInconclusive: 3,
                sentence:
                    "complete for 2 preemptions and 2 deaths: 9 orders; there are no others with another effect and as few deaths; "
                    + "200 more were drawn, 3 of them inconclusive"),
            Coverage(
                end: .limit, played: 40, left: 17, deaths: 1, drawn: 5,
                sentence: "stopped after 40 orders; at least 17 more with up to 2 preemptions and 1 death; "
                    + "5 more were drawn"),
            Coverage(end: .found, played: 57, drawn: 8, sentence: "stopped after 57 orders; 8 more were drawn"),
        ])
    func `What was covered is said, and what is known to be left`(coverage: Coverage) {
        let sentence = Exploration.coverage(
            coverage.end, bounds: ExplorationBounds(preemptions: 2, deaths: coverage.deaths, jobs: 1),
            played: coverage.played, inconclusive: coverage.inconclusive, left: coverage.left, beyond: coverage.beyond,
            drawn: coverage.drawn, drawnInconclusive: coverage.drawnInconclusive)
        #expect(sentence == coverage.sentence)
    }

    @Test func `Only a number of preemptions whose orders all passed has the mark of success`() {
        func line(_ preemptions: Int, _ change: (inout BoundTally) -> Void) -> String {
            var tally = BoundTally(level: OrderSearch.Level(preemptions: preemptions, deaths: 0))
            change(&tally)
            return tally.line(seconds: 2.5, report: TerminalReport(isColoured: false))
        }
        #expect(line(0) { $0.played = 2 } == "  0 preemptions      2 orders  ✓  2.50 s")
        #expect(line(1) { $0.played = 38 } == "  1 preemption      38 orders  ✓  2.50 s")
        #expect(
            line(2) {
                $0.played = 141
                $0.left = 9
            } == "  2 preemptions    141 of at least 150 orders  -  2.50 s")
        #expect(
            line(2) {
                $0.played = 5
                $0.left = 1
                $0.hasFailed = true
            } == "  2 preemptions      5 of at least 6 orders  ✗ after 5  2.50 s")
        #expect(
            line(1) {
                $0.played = 3
                $0.inconclusive = 1
            } == "  1 preemption       3 orders  ? 1 inconclusive  2.50 s")
    }

    @Test func `A line names the deaths of its level, and drawn orders have a line of their own`() {
        func line(_ deaths: Int?) -> String {
            var tally = BoundTally(level: deaths.map { OrderSearch.Level(preemptions: 1, deaths: $0) })
            tally.played = 38
            let report = TerminalReport(isColoured: false)
            return tally.line(seconds: 2.5, report: report, width: BoundTally.widthWithDeaths)
        }
        #expect(line(0) == "  1 preemption                 38 orders  ✓  2.50 s")
        #expect(line(1) == "  1 preemption, 1 death        38 orders  ✓  2.50 s")
        #expect(line(2) == "  1 preemption, 2 deaths       38 orders  ✓  2.50 s")
        #expect(line(nil) == "  drawn                        38 orders  ✓  2.50 s")
    }

    @Test func `The turn of a process that dies is marked, and the mark explained`() {
        let turns = [
            Turn(process: "main", place: "start"), Turn(process: "wallet", place: "start"),
            Turn(process: "main", place: "state.save", dies: true), Turn(process: "wallet", place: "state.save"),
        ]
        #expect(
            OrderText.columns(turns) == [
                "turn  main          wallet",
                "   1  start",
                "   2                start",
                "   3  state.save †",
                "   4                state.save",
                "† the process is killed there",
            ])
        #expect(OrderText.yaml(turns)[3] == "  - main: { dies: state.save }")
    }

    @Test func `The bound of deaths is 0 to 10`() throws {
        for deaths in [0, 10] {
            #expect(try ExploreOptions(path: "a.yaml", deaths: deaths).deaths == deaths)
        }
        for deaths in [-1, 11] {
            let mistake = thrown { _ = try ExploreOptions(path: "a.yaml", deaths: deaths) } as? BadUsage
            #expect(mistake?.description == "--deaths takes 0 to 10, not \(deaths)")
        }
    }

    @Test(.verifies("size", "ExploreOptions.drawnCounts"))
    func `The number of drawn orders is 0 to 1,000,000`() throws {
        #expect(try ExploreOptions(path: "a.yaml").random == nil)
        for random in [0, 1_000_000] {
            #expect(try ExploreOptions(path: "a.yaml", random: random).random == random)
        }
        for random in [-1, 1_000_001] {
            let mistake = thrown { _ = try ExploreOptions(path: "a.yaml", random: random) } as? BadUsage
            #expect(mistake?.description == "--random takes 0 to 1000000, not \(random)")
        }
    }

    @Test func `The bound of preemptions is 0 to 100`() throws {
        for preemptions in [0, 100] {
            #expect(try ExploreOptions(path: "a.yaml", preemptions: preemptions).preemptions == preemptions)
        }
        for preemptions in [-1, 101] {
            let mistake = thrown { _ = try ExploreOptions(path: "a.yaml", preemptions: preemptions) } as? BadUsage
            #expect(mistake?.description == "--preemptions takes 0 to 100, not \(preemptions)")
        }
    }
}
