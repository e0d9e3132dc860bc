// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ScenarioEngine

extension OrderSearch {
    /// The number of preemptions of an execution, counted in another way than the search does: switches away from a
    /// process that could have gone on.
    /// - Parameter choices: all choices of the execution, from its first turn.
    static func preemptions(in choices: [TurnChoice]) -> Int {
        let turns = choices.filter { !$0.turn.dies }
        return zip(turns, turns.dropFirst()).count { before, choice in
            let process = before.turn.process
            return choice.turn.process != process && choice.enabled.contains { $0.process == process }
        }
    }
}

@Suite("The search for orders of turns", .endsInTime)
struct OrderSearchTests {
    /// The orders of a program that a search finds, each as often as it was played.
    /// - Parameter atOnce: the number of executions under way at the same time.
    private func search(_ program: SimulatedProgram, preemptions: Int, atOnce: Int = 1) -> [[Turn]] {
        var search = OrderSearch(preemptions: preemptions)
        var orders: [[Turn]] = []
        while true {
            var underWay: [OrderSearch.Beginning] = []
            while underWay.count < atOnce, let beginning = search.next() { underWay.append(beginning) }
            guard !underWay.isEmpty else { return orders }
            for beginning in underWay {
                let choices = program.play(beginning.turns)
                #expect(choices.map(\.turn).starts(with: beginning.turns))
                #expect(OrderSearch.preemptions(in: choices) == beginning.preemptions)
                orders.append(choices.map(\.turn))
                search.record(choices, of: beginning)
            }
        }
    }

    /// How many beginnings wait, by their numbers of preemptions.
    private func waiting(_ search: OrderSearch) -> [String] {
        search.waiting.map { "\($0.level.preemptions): \($0.count)" }
    }

    /// The next beginning, which must exist.
    private func next(_ search: inout OrderSearch) throws -> OrderSearch.Beginning {
        let beginning = search.next()
        return try #require(beginning)
    }

    @Test(arguments: SimulatedProgram.samples, 0...3)
    func `All orders up to the bound are found, each once`(program: SimulatedProgram, preemptions: Int) {
        let expected = program.orders(preemptions: preemptions)
        let found = search(program, preemptions: preemptions)
        #expect(Set(found) == Set(expected))
        #expect(found.count == expected.count)
        #expect(Set(found).count == found.count)
    }

    @Test(arguments: SimulatedProgram.samples)
    func `Executions that are under way at the same time change nothing`(program: SimulatedProgram) {
        let found = search(program, preemptions: 2, atOnce: 3)
        #expect(Set(found) == Set(search(program, preemptions: 2)))
        #expect(Set(found).count == found.count)
    }

    @Test(arguments: [([4, 4], 70), ([3, 3, 3], 1680), ([2, 2, 2], 90), ([1, 5], 6)])
    func `A high bound is complete: every interleaving is found`(places: [Int], interleavings: Int) {
        let program = SimulatedProgram(places.map { (0..<$0).map { "p\($0)" } })
        let found = search(program, preemptions: places.reduce(0, +))
        #expect(found.count == interleavings)
        #expect(Set(found).count == interleavings)
    }

    @Test func `The numbers of orders of two processes with four places each`() {
        let program = SimulatedProgram([["a", "b", "c", "d"], ["a", "b", "c", "d"]])
        #expect((0...3).map { search(program, preemptions: $0).count } == [2, 8, 26, 44])
    }

    @Test func `A lock leaves fewer orders, and no process that waits for it is preempted`() throws {
        let free = SimulatedProgram([["take", "write", "give"], ["take", "write", "give"]])
        let locked = SimulatedProgram([["lock", "write", "unlock"], ["lock", "write", "unlock"]])
        #expect(search(locked, preemptions: 6).count < search(free, preemptions: 6).count)
        // p0 has the lock, p1 asks for it, which is a preemption; p0 has its turn back for nothing.
        let turns = ["p0 lock", "p1 lock", "p0 write", "p0 unlock", "p1 write", "p1 unlock"].map(Turn.init(text:))
        let order = try #require(search(locked, preemptions: 1).first { $0 == turns })
        #expect(OrderSearch.preemptions(in: locked.play(order)) == 1)
    }

    @Test func `A defect of depth three is not found with two preemptions, and is found with three`() {
        let program = SimulatedProgram([["a", "b", "c", "d"], ["x", "y"]])
        // The defect shows when p1 comes between a and b, and again between b and c: three times a process that could
        // go on does not, and then p1 has ended.
        func isBroken(_ order: [Turn]) -> Bool {
            let places = order.map(\.place)
            return places.starts(with: ["a", "x", "b", "y", "c"])
        }
        #expect(search(program, preemptions: 2).contains(where: isBroken) == false)
        #expect(search(program, preemptions: 3).count(where: isBroken) == 1)
    }

    @Test func `Beginnings with fewer preemptions come first`() {
        let program = SimulatedProgram.samples[0]
        var search = OrderSearch(preemptions: 3)
        var preemptions: [Int] = []
        while let beginning = search.next() {
            preemptions.append(beginning.preemptions)
            search.record(program.play(beginning.turns), of: beginning)
        }
        #expect(preemptions == preemptions.sorted())
        #expect(Set(preemptions) == [0, 1, 2, 3])
    }

    @Test func `What waits and what is beyond the bound is counted`() throws {
        let program = SimulatedProgram([["a", "b", "c"], ["a", "b", "c"]])
        var search = OrderSearch(preemptions: 1)
        #expect(waiting(search) == ["0: 1"])
        let first = try next(&search)
        #expect(first.turns.isEmpty)
        #expect(waiting(search).isEmpty)
        let underWay = search.next()
        #expect(underWay == nil, "the first execution is under way, nothing else is known")
        search.record(program.play(first.turns), of: first)
        // p1 may begin; or come behind a or b of p0, which is a preemption.
        #expect(waiting(search) == ["0: 1", "1: 2"])
        #expect(search.beyondBound == 0)
        let second = try next(&search)
        #expect(second.turns == [Turn(text: "p1 a")])
        #expect(waiting(search) == ["1: 2"])
        search.record(program.play(second.turns), of: second)
        #expect(waiting(search) == ["1: 4"])
        let third = try next(&search)
        #expect(third.turns.map(\.place) == ["a", "b", "a"], "depth first: the last turn that could be another one")
        search.record(program.play(third.turns), of: third)
        while let beginning = search.next() { search.record(program.play(beginning.turns), of: beginning) }
        #expect(waiting(search).isEmpty)
        // In each of the four orders with a preemption, the second process could be preempted too: at b, and at c.
        #expect(search.beyondBound == 8)
    }

    @Test func `A bound of zero drops every switch away from a process that could go on`() throws {
        let program = SimulatedProgram([["a", "b"], ["a", "b"]])
        var search = OrderSearch(preemptions: 0)
        while let beginning = search.next() { search.record(program.play(beginning.turns), of: beginning) }
        #expect(search.beyondBound == 2)
    }

    @Test func `An execution that gave other turns than its beginning opens nothing`() throws {
        let program = SimulatedProgram([["a", "b", "c"], ["a", "b", "c"]])
        var search = OrderSearch(preemptions: 1)
        let first = try next(&search)
        search.record(program.play(first.turns), of: first)
        let second = try next(&search)
        let before = waiting(search)
        search.record(program.play([]), of: second)
        #expect(waiting(search) == before)
        search.record([], of: second)
        #expect(waiting(search) == before)
        #expect(search.beyondBound == 0)
    }

    @Test func `An execution that ended early opens what its choices show`() throws {
        let program = SimulatedProgram([["a", "b", "c"], ["a", "b", "c"]])
        var search = OrderSearch(preemptions: 1)
        let first = try next(&search)
        search.record(Array(program.play(first.turns).prefix(2)), of: first)
        #expect(waiting(search) == ["0: 1", "1: 1"])
        let second = try next(&search)
        #expect(second.turns == [Turn(text: "p1 a")])
    }

    @Test func `A switch away from a process that has ended is no preemption`() {
        let p0 = Turn(text: "p0 a")
        let p1 = Turn(text: "p1 a")
        func preemptions(_ choices: TurnChoice...) -> Int { OrderSearch.preemptions(in: choices) }
        #expect(preemptions() == 0)
        #expect(preemptions(TurnChoice(enabled: [p0, p1], chosen: 1)) == 0)
        #expect(preemptions(TurnChoice(enabled: [p0, p1], chosen: 0), TurnChoice(enabled: [p1], chosen: 0)) == 0)
        #expect(preemptions(TurnChoice(enabled: [p0, p1], chosen: 0), TurnChoice(enabled: [p0, p1], chosen: 0)) == 0)
        #expect(preemptions(TurnChoice(enabled: [p0, p1], chosen: 0), TurnChoice(enabled: [p0, p1], chosen: 1)) == 1)
    }

    @Test func `An order is printed with a column for each process`() {
        let order = ["main start", "main queueLock.taken", "wallet start", "main state.save", "wallet state.save"]
        #expect(
            OrderText.columns(order.map(Turn.init(text:))) == [
                "turn  main             wallet",
                "   1  start",
                "   2  queueLock.taken",
                "   3                   start",
                "   4  state.save",
                "   5                   state.save",
            ])
    }

    @Test func `A column is as wide as the name of its process, and numbers may need more space than their heading`() {
        let lines = OrderText.columns(
            [Turn(text: "main a"), Turn(text: "background-refresh b"), Turn(text: "wallet c")])
        #expect(
            lines == [
                "turn  main  background-refresh  wallet",
                "   1  a",
                "   2        b",
                "   3                            c",
            ])
        let long = OrderText.columns(Array(repeating: Turn(text: "main a"), count: 10_000))
        #expect(long.first == " turn  main")
        #expect(long[1] == "    1  a")
        #expect(long.last == "10000  a")
    }

    @Test func `An order is written as a scenario has it`() {
        #expect(
            OrderText.yaml([
                Turn(text: "main start"), Turn(text: "wallet queueLock.taken"),
                Turn(process: "phone", place: "link.sent", dies: true),
            ]) == [
                "order:",
                "  - main: start",
                "  - wallet: queueLock.taken",
                "  - phone: { dies: link.sent }",
            ])
    }
}

/// Processes that pass places and take one lock, as those of a scenario do, in memory.
///
/// A turn at the place `lock` takes the lock, or waits for it: then the process cannot go on until a turn at the place
/// `unlock` has passed the lock to it. Turns at other places do nothing.
struct SimulatedProgram: Sendable, CustomStringConvertible {
    /// The places of each process, in their order. The processes are p0, p1, …
    private let places: [[String]]
    /// The place at which each process is held: an index of its places, their count when it has ended.
    private var positions: [Int]
    private var owner: Int?
    private var waiting: [Int] = []

    init(_ places: [[String]]) {
        self.places = places
        positions = places.map { _ in 0 }
    }

    static let samples = [
        SimulatedProgram([["start", "a", "b", "c"], ["start", "a", "b", "c"]]),
        SimulatedProgram([["start", "a"], ["start", "a", "b"], ["start", "a"]]),
        SimulatedProgram([["start", "lock", "write", "unlock", "end"], ["start", "lock", "write", "unlock", "end"]]),
        // The lock is taken twice, and one process never takes it.
        SimulatedProgram([["lock", "unlock", "lock", "unlock"], ["a", "lock", "b", "unlock"], ["a", "b"]]),
        SimulatedProgram([["lock", "unlock"], ["lock", "write", "unlock"], ["start", "lock", "unlock"]]),
    ]

    var description: String { places.map { $0.joined(separator: " ") }.joined(separator: " | ") }

    private var enabled: [Turn] {
        places.indices.filter { positions[$0] < places[$0].count && !waiting.contains($0) }
            .map { Turn(process: "p\($0)", place: places[$0][positions[$0]]) }
    }

    private mutating func grant(_ turn: Turn) {
        guard let process = places.indices.first(where: { "p\($0)" == turn.process }) else { return }
        switch turn.place {
        case "lock" where owner != nil: waiting.append(process)
        case "lock":
            owner = process
            positions[process] += 1
        case "unlock":
            positions[process] += 1
            owner = waiting.isEmpty ? nil : waiting.removeFirst()
            if let owner { positions[owner] += 1 }
        default: positions[process] += 1
        }
    }

    /// Plays the program from its start: the given turns, then the default rule. It ends early at a turn that cannot be
    /// given.
    func play(_ beginning: [Turn]) -> [TurnChoice] {
        var state = self
        var choices: [TurnChoice] = []
        while case let enabled = state.enabled, !enabled.isEmpty {
            let last = choices.last?.turn.process
            let chosen =
                choices.count < beginning.count
                ? enabled.firstIndex(of: beginning[choices.count])
                : enabled.firstIndex { $0.process == last } ?? 0
            guard let chosen else { break }
            choices.append(TurnChoice(enabled: enabled, chosen: chosen))
            state.grant(enabled[chosen])
        }
        return choices
    }

    /// All orders up to a number of preemptions, found by trying every turn everywhere.
    func orders(preemptions: Int) -> [[Turn]] { orders(after: nil, preemptions: preemptions) }

    private func orders(after last: String?, preemptions: Int) -> [[Turn]] {
        let enabled = enabled
        guard !enabled.isEmpty else { return [[]] }
        let couldGoOn = enabled.contains { $0.process == last }
        return enabled.flatMap { turn -> [[Turn]] in
            let left = preemptions - (couldGoOn && turn.process != last ? 1 : 0)
            guard left >= 0 else { return [] }
            var next = self
            next.grant(turn)
            return next.orders(after: turn.process, preemptions: left).map { [turn] + $0 }
        }
    }
}

extension Turn {
    /// A turn written as the process and the place: `main start`.
    fileprivate init(text: String) {
        let words = text.split(separator: " ").map(String.init)
        self.init(process: words[0], place: words[1])
    }
}
