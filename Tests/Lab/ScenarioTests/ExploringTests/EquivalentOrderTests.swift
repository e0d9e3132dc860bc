// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("Orders with the same effect, and deaths", .endsInTime)
struct EquivalentOrderTests {
    private typealias Level = OrderSearch.Level

    /// What a search has found.
    private struct Found {
        var orders: [[Turn]] = []
        var outcomes: Set<SharingProgram.Outcome> = []
        var levels: [Level] = []
    }

    /// Plays what a search hands out for a program.
    /// - Parameter atOnce: the number of executions under way at the same time.
    private func search(_ program: SharingProgram, within bound: Level, atOnce: Int = 1) -> Found {
        var search = OrderSearch(preemptions: bound.preemptions, deaths: bound.deaths)
        var found = Found()
        while true {
            var underWay: [OrderSearch.Beginning] = []
            while underWay.count < atOnce, let beginning = search.next() { underWay.append(beginning) }
            if underWay.isEmpty { break }
            for beginning in underWay {
                let (choices, outcome) = program.play(beginning.turns)
                let turns = choices.map(\.turn)
                #expect(OrderSearch.preemptions(in: choices) == beginning.preemptions)
                #expect(turns.count(where: \.dies) == beginning.deaths)
                found.orders.append(turns)
                found.outcomes.insert(outcome)
                found.levels.append(Level(preemptions: beginning.preemptions, deaths: beginning.deaths))
                search.record(choices, of: beginning)
            }
        }
        return found
    }

    /// All orders and their outcomes, found by trying every turn and every death everywhere.
    private func everything(_ program: SharingProgram, within bound: Level) -> Found {
        var found = Found()
        program.forEachOrder(within: bound) { order, outcome in
            found.orders.append(order)
            found.outcomes.insert(outcome)
        }
        return found
    }

    /// The program and the bound of a seed.
    private func drawn(_ seed: UInt64) -> (program: SharingProgram, bound: Level) {
        var generator = SeededGenerator(seed: seed)
        let program = SharingProgram.drawn(from: &generator)
        let preemptions = Int.random(in: 0...3, using: &generator)
        return (program, Level(preemptions: preemptions, deaths: Int.random(in: 0...1, using: &generator)))
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `Every outcome within the bound is found, whatever is left out`(seed: UInt64) {
        let (program, bound) = drawn(seed)
        let expected = everything(program, within: bound)
        for atOnce in [1, 3] {
            let found = search(program, within: bound, atOnce: atOnce)
            #expect(found.outcomes == expected.outcomes, "\(program) within \(bound)")
            #expect(Set(found.orders).count == found.orders.count, "an order is played twice: \(program)")
            #expect(Set(found.orders).isSubset(of: expected.orders))
        }
    }

    @Test func `The orders that are left out are many`() {
        let programs = (1...20).map { drawn(UInt64($0)) }
        let found = programs.map { search($0.program, within: $0.bound).orders.count }.reduce(0, +)
        let all = programs.map { everything($0.program, within: $0.bound).orders.count }.reduce(0, +)
        #expect(found * 5 < all * 4, "\(found) of \(all) orders were played")
    }

    @Test func `A turn that hides what it has written hides outcomes`() {
        let missed = (1...40).count { seed in
            let (honest, bound) = drawn(UInt64(seed))
            var program = honest
            program.reports = .allBut(.keychain)
            return search(program, within: bound).outcomes != everything(program, within: bound).outcomes
        }
        #expect(missed > 0, "the comparison of outcomes does not notice a wrong footprint")
    }

    @Test(arguments: 1...15 as ClosedRange<UInt64>)
    func `When turns may have touched anything, each order with its deaths is found once`(seed: UInt64) {
        let (honest, bound) = drawn(seed)
        var program = honest
        program.reports = .nothing
        let found = search(program, within: bound)
        let expected = everything(program, within: bound)
        #expect(found.orders.count == expected.orders.count)
        #expect(Set(found.orders) == Set(expected.orders))
    }

    @Test func `Of processes that share nothing, few orders are played`() {
        let program = SharingProgram(Array(repeating: Array(repeating: SharingProgram.Step(), count: 3), count: 3))
        let numbers = [1, 2, 20].map { preemptions in
            let bound = Level(preemptions: preemptions, deaths: 0)
            return [search(program, within: bound).orders.count, everything(program, within: bound).orders.count]
        }
        #expect(numbers == [[30, 42], [66, 192], [82, 1680]])
    }

    @Test func `A process dies at each of its places but the first, and the others continue`() {
        let step = SharingProgram.Step(writes: [.keychain])
        let program = SharingProgram([[step, step, step], [.init()]])
        let orders = search(program, within: Level(preemptions: 0, deaths: 1)).orders
        let texts = orders.map { order in
            order.map { "\($0.process) \($0.place)\($0.dies ? " dies" : "")" }.joined(separator: ", ")
        }
        #expect(
            Set(texts) == [
                "p0 start, p0 s1, p0 s2, p1 start", "p1 start, p0 start, p0 s1, p0 s2",
                "p0 start, p0 s1 dies, p1 start", "p0 start, p0 s1, p0 s2 dies, p1 start",
                "p1 start, p0 start, p0 s1 dies", "p1 start, p0 start, p0 s1, p0 s2 dies",
            ])
    }

    @Test(arguments: [[SharedThing.keychain], [.own], []])
    func `Behind a turn that has only read, a death would be the one before it`(writes: Set<SharedThing>) {
        let steps = [SharingProgram.Step(reads: [.keychain]), .init(writes: [.memory]), .init(writes: writes), .init()]
        let orders = search(SharingProgram([steps]), within: Level(preemptions: 0, deaths: 1)).orders
        let places = orders.compactMap(\.last).filter(\.dies).map(\.place).sorted()
        // Before the first place a process does not die, so the turn behind it counts whatever it did.
        #expect(places == (writes.isEmpty ? ["s1", "s2"] : ["s1", "s2", "s3"]))
    }

    @Test func `A death is no switch: the process of the turn before it can still be preempted`() {
        let (p0, p1, p2) = (turn("p0"), turn("p1"), turn("p2"))
        let death = Turn(process: "p1", place: "a", dies: true)
        func preemptions(_ choices: TurnChoice...) -> Int { OrderSearch.preemptions(in: choices) }
        let begin = [
            TurnChoice(enabled: [p0, p1, p2], chosen: 0), TurnChoice(enabled: [p0, p1, p2, death], chosen: 3),
        ]
        #expect(OrderSearch.preemptions(in: begin) == 0)
        #expect(OrderSearch.preemptions(in: begin + [TurnChoice(enabled: [p0, p2], chosen: 0)]) == 0)
        #expect(OrderSearch.preemptions(in: begin + [TurnChoice(enabled: [p0, p2], chosen: 1)]) == 1)
        let own = Turn(process: "p0", place: "a", dies: true)
        #expect(
            preemptions(
                TurnChoice(enabled: [p0, p1], chosen: 0), TurnChoice(enabled: [p0, p1, own], chosen: 2),
                TurnChoice(enabled: [p1], chosen: 0)) == 0)
    }

    private func turn(_ process: String) -> Turn { Turn(process: process, place: "a") }

    @Test func `Beginnings come by the sum of preemptions and deaths, then with fewer deaths`() {
        var program = SharingProgram(Array(repeating: Array(repeating: SharingProgram.Step(), count: 3), count: 2))
        program.reports = .nothing
        var levels = search(program, within: Level(preemptions: 2, deaths: 1)).levels
        #expect(levels == levels.sorted())
        levels = levels.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        #expect(
            levels
                == [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (2, 1)]
                .map { Level(preemptions: $0.0, deaths: $0.1) })
    }

    @Test func `What waits is listed in ascending order of its level`() throws {
        let program = SharingProgram([[.init(), .init()], [.init(), .init()]])
        var search = OrderSearch(preemptions: 1, deaths: 1)
        let next = search.next()
        let first = try #require(next)
        search.record(program.play(first.turns).choices, of: first)
        // p1 may begin, or come behind the first turn of p0; and each dies before its last turn.
        let waiting = search.waiting.map { "\($0.level.preemptions) \($0.level.deaths): \($0.count)" }
        #expect(waiting == ["0 0: 1", "1 0: 1", "0 1: 2"])
    }

    @Test func `The agent of a device dies at its places as an app does`() throws {
        let (main, phone) = (Turn(process: "main", place: "a"), Turn(process: "phone", place: "link.store"))
        var search = OrderSearch(preemptions: 0, deaths: 1)
        let next = search.next()
        let first = try #require(next)
        search.record(
            [
                TurnChoice(enabled: [main, phone], chosen: 0), TurnChoice(enabled: [phone], chosen: 0),
            ], of: first)
        var found: Set<[Turn]> = []
        while let beginning = search.next() { found.insert(beginning.turns) }
        let death = Turn(process: "phone", place: "link.store", dies: true)
        #expect(found == [[phone], [Turn(process: "main", place: "a", dies: true)], [death], [main, death]])
    }

    @Test func `A turn is encoded with its death only if it has one`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for (turn, text) in [
            (Turn(process: "main", place: "start"), #"{"place":"start","process":"main"}"#),
            (
                Turn(process: "main", place: "state.save", dies: true),
                #"{"dies":true,"place":"state.save","process":"main"}"#
            ),
        ] {
            let data = try encoder.encode(turn)
            #expect(String(decoding: data, as: UTF8.self) == text)
            #expect(try JSONDecoder().decode(Turn.self, from: data) == turn)
        }
    }
}

/// Processes that read and write shared things, take one lock and die, as those of a scenario do, in memory.
///
/// A process that asks for the lock while another one has it cannot go on; the turn that releases the lock, or the
/// death of its owner, also does what the next owner does when it has the lock.
private struct SharingProgram: Sendable, CustomStringConvertible {
    /// What a process does between two of its places.
    struct Step: Hashable, Sendable {
        enum Lock { case takes, releases }

        var lock: Lock?
        var reads: Set<SharedThing> = []
        var writes: Set<SharedThing> = []
    }

    /// What a turn says about what it has touched.
    enum Report: Hashable, Sendable {
        case all
        case allBut(SharedThing)
        /// Nothing is known.
        case nothing
    }

    /// All that an order decides.
    struct Outcome: Hashable, Sendable {
        /// The places of the writes with what their process had read, in their order, by thing.
        var writes: [SharedThing: [String]] = [:]
        /// The writes that each process saw, in the order of its reads. What a process has read dies with it.
        var seen: [String: [String]] = [:]
        /// The processes that died.
        var deaths: Set<String> = []
    }

    private let steps: [[Step]]
    private let names: [String]
    private var positions: [Int]
    private var owner: Int?
    private var waiting: [Int] = []
    private var outcome = Outcome()
    var reports = Report.all

    init(_ steps: [[Step]]) {
        self.steps = steps
        names = steps.indices.map { "p\($0)" }
        positions = steps.map { _ in 0 }
    }

    /// Two or three processes, of two to five turns, with one to three things and a lock that some take.
    static func drawn(from generator: inout SeededGenerator) -> SharingProgram {
        let count = Int.random(in: 2...3, using: &generator)
        let things = [SharedThing.keychain, .memory, .server].prefix(Int.random(in: 1...3, using: &generator))
        var programs: [[Step]] = []
        for _ in 0..<count {
            let length = Int.random(in: 2...(count == 2 ? 5 : 3), using: &generator)
            var program: [Step] = []
            for _ in 0..<length {
                var step = Step()
                for thing in things {
                    if generator.once(in: 4) { step.reads.insert(thing) }
                    if generator.once(in: 4) { step.writes.insert(thing) }
                }
                program.append(step)
            }
            if generator.once(in: 2) {
                let taken = Int.random(in: 0..<length - 1, using: &generator)
                program[taken].lock = .takes
                program[Int.random(in: taken + 1..<length, using: &generator)].lock = .releases
            }
            programs.append(program)
        }
        return SharingProgram(programs)
    }

    var description: String {
        func text(_ step: Step) -> String {
            let lock = step.lock.map { "\($0) " } ?? ""
            return "\(lock)r\(step.reads.map(\.rawValue).sorted())w\(step.writes.map(\.rawValue).sorted())"
        }
        return steps.map { $0.map(text).joined(separator: " ") }.joined(separator: " | ")
    }

    private var enabled: [Turn] {
        steps.indices.filter { positions[$0] < steps[$0].count && !waiting.contains($0) }
            .map { Turn(process: names[$0], place: place(of: $0)) }
    }

    private func place(of process: Int) -> String { positions[process] == 0 ? "start" : "s\(positions[process])" }

    /// Gives a turn.
    /// - Returns: What it says that it has touched.
    private mutating func give(_ turn: Turn) -> Footprint {
        guard let process = names.firstIndex(of: turn.process) else { return .everything }
        var footprint = Footprint()
        if turn.dies {
            outcome.deaths.insert(turn.process)
            outcome.seen[turn.process] = nil
            positions[process] = steps[process].count
            if owner == process { passLock(&footprint) }
            return .everything
        }
        let lock = steps[process][positions[process]].lock
        if lock != nil { footprint.write(.statusLock) }
        if lock == .takes, owner != nil {
            waiting.append(process)
        } else {
            if lock == .takes { owner = process }
            access(process, &footprint)
            if lock == .releases { passLock(&footprint) }
        }
        return report(footprint)
    }

    private mutating func access(_ process: Int, _ footprint: inout Footprint) {
        let step = steps[process][positions[process]]
        let place = "\(names[process]) \(place(of: process))"
        for thing in step.reads.sorted(by: { $0.rawValue < $1.rawValue }) {
            outcome.seen[names[process], default: []].append("\(thing) \(outcome.writes[thing]?.last ?? "")")
            footprint.read(thing)
        }
        for thing in step.writes {
            outcome.writes[thing, default: []].append("\(place) \(outcome.seen[names[process]] ?? [])")
            footprint.write(thing)
        }
        positions[process] += 1
    }

    private mutating func passLock(_ footprint: inout Footprint) {
        owner = waiting.isEmpty ? nil : waiting.removeFirst()
        if let owner { access(owner, &footprint) }
    }

    private func report(_ footprint: Footprint) -> Footprint {
        switch reports {
        case .all: return footprint
        case .nothing: return .everything
        case .allBut(let thing):
            var hidden = Footprint()
            hidden.read(thing)
            return Footprint(reads: footprint.reads & ~hidden.reads, writes: footprint.writes & ~hidden.reads)
        }
    }

    /// Plays the program from its start: the given turns, then the default rule. It ends early at a turn that cannot be
    /// given.
    func play(_ beginning: [Turn]) -> (choices: [TurnChoice], outcome: Outcome) {
        var state = self
        var choices: [TurnChoice] = []
        var previous: String?
        while case let enabled = state.enabled, !enabled.isEmpty {
            let turn =
                choices.count < beginning.count
                ? beginning[choices.count] : enabled.first { $0.process == previous } ?? enabled[0]
            guard enabled.contains(Turn(process: turn.process, place: turn.place)) else { break }
            let possible = turn.dies ? enabled + [turn] : enabled
            let footprint = state.give(turn)
            choices.append(
                TurnChoice(enabled: possible, chosen: possible.firstIndex(of: turn) ?? 0, footprint: footprint))
            if !turn.dies { previous = turn.process }
        }
        return (choices, state.outcome)
    }

    /// All orders within a bound, by trying every turn and every death everywhere.
    func forEachOrder(within bound: OrderSearch.Level, _ body: ([Turn], Outcome) -> Void) {
        forEachOrder(behind: [], previous: nil, left: bound, body)
    }

    private func forEachOrder(
        behind order: [Turn], previous: String?, left bound: OrderSearch.Level, _ body: ([Turn], Outcome) -> Void
    ) {
        let enabled = enabled
        guard !enabled.isEmpty else { return body(order, outcome) }
        let couldGoOn = enabled.contains { $0.process == previous }
        let mortal = enabled.filter { bound.deaths > 0 && $0.place != "start" }
        for turn in enabled + mortal.map({ Turn(process: $0.process, place: $0.place, dies: true) }) {
            var left = bound
            if turn.dies {
                left.deaths -= 1
            } else if couldGoOn, turn.process != previous {
                left.preemptions -= 1
            }
            guard left.preemptions >= 0 else { continue }
            var next = self
            _ = next.give(turn)
            next.forEachOrder(
                behind: order + [turn], previous: turn.dies ? previous : turn.process, left: left, body)
        }
    }
}
