// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Orders that several machines share", .endsInTime)
struct OrderShardTests {
    /// What a shard plays of a program.
    private struct Played {
        var orders: [[Turn]] = []
        /// How many of them have no preemption.
        var common = 0
        var dealt = DealtOrders()
    }

    private func play(_ program: SimulatedProgram, preemptions: Int, shard: Shard?) -> Played {
        var search = OrderSearch(preemptions: preemptions)
        search.shard = shard
        var played = Played()
        while let beginning = search.next() {
            let choices = program.play(beginning.turns)
            played.orders.append(choices.map(\.turn))
            if beginning.preemptions == 0 { played.common += 1 }
            search.record(choices, of: beginning)
        }
        played.dealt = search.dealt
        return played
    }

    private static func shards(_ count: Int) throws -> [Shard] {
        try (1...count).map { try Shard("\($0)/\(count)", environment: [:]) }
    }

    @Test(arguments: SimulatedProgram.samples, 1...4)
    func `Each order with a preemption is played by exactly one shard, and the others by all`(
        program: SimulatedProgram, count: Int
    ) throws {
        let whole = play(program, preemptions: 2, shard: nil)
        let parts = try Self.shards(count).map { play(program, preemptions: 2, shard: $0) }
        #expect(Set(parts.flatMap(\.orders)) == Set(whole.orders))
        #expect(parts.allSatisfy { $0.common == whole.common })
        let shared = parts.map { $0.orders.count - $0.common }.reduce(0, +)
        #expect(shared == whole.orders.count - whole.common)
        #expect(Set(parts.map(\.dealt.fingerprint)).count == 1)
    }

    @Test func `The work is divided, and not only the first turn of it`() throws {
        let places = ["start"] + (1...20).map { "p\($0)" }
        let program = SimulatedProgram([places, places])
        let parts = try Self.shards(4).map { play(program, preemptions: 2, shard: $0).orders.count }
        let whole = play(program, preemptions: 2, shard: nil).orders.count
        for part in parts { #expect((whole / 10...whole / 2).contains(part), "\(parts) of \(whole)") }
    }

    @Test func `Without a preemption all orders are common, and nothing is dealt`() throws {
        let program = SimulatedProgram.samples[0]
        let parts = try Self.shards(3).map { play(program, preemptions: 0, shard: $0) }
        #expect(parts.allSatisfy { $0.orders.count == 2 && $0.common == 2 })
    }

    private func turns(_ texts: String...) -> [Turn] {
        texts.map { text in
            let words = text.split(separator: " ").map(String.init)
            return Turn(process: words[0], place: words[1])
        }
    }

    @Test func `The release of a lock, which may be missing, changes no shard`() throws {
        let with = turns("main start", "main queueLock.released", "wallet start", "main state.save")
        let without = turns("main start", "wallet start", "main state.save")
        for shard in try Self.shards(5) { #expect(shard.contains(with) == shard.contains(without)) }
        var (left, right) = (DealtOrders(), DealtOrders())
        left.insert(with, leaving: nil)
        right.insert(without, leaving: nil)
        #expect(left.fingerprint == right.fingerprint)
        right.insert(turns("main start", "wallet statusLock.released"), leaving: nil)
        #expect(left.fingerprint == right.fingerprint, "its last turn is one")
        right.insert(turns("main start", "wallet start"), leaving: turns("main statusLock.released").first)
        #expect(left.fingerprint == right.fingerprint, "the process that it leaves may have ended")
        right.insert(turns("main start", "wallet start"), leaving: turns("main state.save").first)
        #expect(left.fingerprint != right.fingerprint)
    }

    @Test func `The shard of an order never changes: machines with different builds of the lab agree`() throws {
        let openings = (1...12).map { turns("main start", "wallet p\($0)") }
        let third = try Shard("3/3", environment: [:])
        let names = openings.map { DealtOrders.name(of: $0) }
        #expect(names.first == "main: start, wallet: p1")
        #expect(openings.map { third.contains($0) } == names.map { third.contains($0) })
    }
}

@Suite("Orders as texts", .endsInTime)
struct OrderLineTests {
    private static let turns = [
        Turn(process: "main", place: "start"), Turn(process: "wallet", place: "start"),
        Turn(process: "main", place: "keychain.read"),
    ]

    @Test func `An order on one line is read as it was written`() throws {
        let line = OrderText.line(Self.turns)
        #expect(line == "main: start, wallet: start, main: keychain.read")
        #expect(try OrderText.turns(inLine: line) == Self.turns)
        #expect(try OrderText.turns(inLine: " main:start ,wallet : start,\n main: keychain.read") == Self.turns)
    }

    @Test func `A death on one line is read as it was written`() throws {
        let turns = Self.turns + [Turn(process: "main", place: "state.save", dies: true)]
        let line = OrderText.line(turns)
        #expect(line.hasSuffix(", main: dies state.save"))
        #expect(try OrderText.turns(inLine: line) == turns)
        #expect(try OrderText.turns(inLine: line.replacing("dies ", with: "dies  ")) == turns)
    }

    @Test(
        arguments: [
            ("", "turn 1 of the order is ``"), ("main: start,", "turn 2 of the order is ``"),
            ("main start", "turn 1 of the order is `main start`"), ("main:", "turn 1 of the order is `main:`"),
            ("main: a: b", "turn 1 of the order is `main: a: b`"),
        ])
    func `What is no turn is refused with its number`(line: String, complaint: String) throws {
        let mistake = try #require(thrown { _ = try OrderText.turns(inLine: line) } as? BadUsage)
        #expect(mistake.description.hasPrefix(complaint), "\(mistake)")
    }

    @Test func `An order is written on one line of YAML`() {
        #expect(
            OrderText.flow(Self.turns) == "order: [{ main: start }, { wallet: start }, { main: keychain.read }]")
    }
}

@Suite("Explorations played by something else than a scenario", .endsInTime)
struct ExplorationTests {
    /// Plays a simulated program, whose orders fail by a rule.
    private struct Player: PlaysOrders {
        let interruption = Interruption()
        let seed: UInt64 = 1
        let program: SimulatedProgram
        var isBroken: @Sendable ([Turn]) -> Bool = { _ in false }
        /// The orders that do not come to their block, by their numbers.
        var unreached: Set<Int> = []

        func play(_ source: OrderSource, number: Int) -> PlayedOrder {
            var first: [Turn] = []
            if case .search(let beginning) = source { first = beginning.turns }
            guard !unreached.contains(number) else {
                return PlayedOrder(number: number, source: source, choices: [], end: .unreached(.sample(.failed)))
            }
            let choices = program.play(first)
            let turns = choices.map(\.turn)
            let end: PlayedOrder.End =
                isBroken(turns) ? .failed(OrderFinding(turns: turns, result: .sample(.failed))) : .passed
            return PlayedOrder(number: number, source: source, choices: choices, end: end)
        }
    }

    private static let program = SimulatedProgram([["a", "b", "c", "d"], ["a", "b", "c", "d"]])

    @Test func `All orders are played, and counted by their preemptions`() async throws {
        try await onThread {
            var exploration = Exploration(
                Player(program: Self.program), bounds: ExplorationBounds(preemptions: 2, jobs: 2))
            #expect(exploration.perform() == .complete)
            #expect(exploration.played == 26)
            #expect(exploration.levels.map { $0.level?.preemptions } == [0, 1, 2])
            #expect(exploration.levels.map(\.played) == [2, 6, 18])
            #expect(exploration.levels.allSatisfy { !$0.hasFailed && $0.left == 0 })
        }
    }

    @Test func `An order that does not come to the block, as others do, is inconclusive, and the search continues`()
        async throws
    {
        try await onThread {
            var player = Player(program: Self.program)
            player.unreached = [3]
            var exploration = Exploration(player, bounds: ExplorationBounds(preemptions: 1, jobs: 1))
            #expect(exploration.perform() == .complete)
            #expect(exploration.inconclusive == 1 && exploration.firstInconclusive?.number == 3)
            #expect(exploration.coverage(.complete).contains(", 1 of them inconclusive; "))
            player.unreached = [1]
            exploration = Exploration(player, bounds: ExplorationBounds(preemptions: 1, jobs: 1))
            #expect(exploration.perform() == .unreached)
        }
    }

    @Test func `The first order that fails ends the search`() async throws {
        try await onThread {
            let player = Player(program: Self.program) { $0.prefix(2).map(\.process) == ["p1", "p0"] }
            var exploration = Exploration(player, bounds: ExplorationBounds(preemptions: 2, jobs: 1))
            #expect(exploration.perform() == .found)
            #expect(exploration.levels.map(\.hasFailed) == [false, true])
            let finding = try #require(exploration.finding)
            #expect(finding.finding.turns.prefix(2).map(\.process) == ["p1", "p0"])
        }
    }

    @Test func `Shards say together what one exploration says`() async throws {
        try await onThread {
            var records: [(path: String, record: ExplorationMergeTests.Part)] = []
            for number in 1...3 {
                let bounds = ExplorationBounds(
                    preemptions: 2, jobs: 1, shard: try Shard("\(number)/3", environment: [:]))
                var exploration = Exploration(Player(program: Self.program), bounds: bounds)
                let end = exploration.perform()
                var record = ExplorationMergeTests.part(number)
                record.note(exploration, endedBy: end, written: nil)
                records.append(("part-\(number)", record))
            }
            let merged = try ExplorationMergeTests.merge(records)
            #expect(merged.levels.map(\.played) == [2, 6, 18])
            #expect(merged.outcome == .passed)
            #expect(merged.coverage.hasPrefix("complete for 2 preemptions: 26 orders; at least "), "\(merged.coverage)")
        }
    }
}
