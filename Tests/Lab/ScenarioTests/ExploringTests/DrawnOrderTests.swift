// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("Orders drawn at random", .endsInTime)
struct DrawnOrderTests {
    /// The processes of the turns of a drawn order, when each process has a number of turns and never waits.
    private static func draw(_ order: DrawnOrder, _ counts: [Int]) -> [String] {
        let processes = counts.indices.map { "p\($0)" }
        var turns = DrawnTurns(order, of: processes)
        var left = counts
        var drawn: [String] = []
        while case let enabled = processes.indices.filter({ left[$0] > 0 }), !enabled.isEmpty {
            let next = enabled[turns.next(among: enabled.map { processes[$0] })]
            left[next] -= 1
            drawn.append(processes[next])
        }
        return drawn
    }

    /// The orders of many draws.
    private static func draws(_ counts: [Int], depth: Int) -> Set<[String]> {
        let length = counts.reduce(0, +)
        return Set((0..<2000).map { draw(DrawnOrder(seed: UInt64($0), depth: depth, length: length), counts) })
    }

    /// Number of switches away from a process that had further turns.
    private static func preemptions(_ order: [String]) -> Int {
        order.indices.dropFirst().count { index in
            order[index] != order[index - 1] && order[index...].contains(order[index - 1])
        }
    }

    @Test func `A seed draws the same order each time, and others draw others`() {
        let orders = (0..<50).map { Self.draw(DrawnOrder(seed: $0, depth: 4, length: 20), [10, 10]) }
        #expect(orders == (0..<50).map { Self.draw(DrawnOrder(seed: $0, depth: 4, length: 20), [10, 10]) })
        #expect(Set(orders).count > 25)
    }

    @Test(arguments: [([2, 2], 6), ([1, 3], 4), ([1, 1, 1], 6)])
    func `Each order of a small program is drawn`(counts: [Int], orders: Int) {
        #expect(Self.draws(counts, depth: 3).count == orders)
    }

    @Test(arguments: 1...4) func `A draw of depth d has at most d - 1 preemptions, and some have as many`(depth: Int) {
        let preemptions = Self.draws([6, 6], depth: depth).map(Self.preemptions)
        #expect(preemptions.max() == depth - 1)
    }

    @Test func `Of depth one each process has all of its turns at once, in every order of the processes`() {
        #expect(Self.draws([2, 2], depth: 1) == [["p0", "p0", "p1", "p1"], ["p1", "p1", "p0", "p0"]])
        #expect(Self.draws([1, 1, 1], depth: 1).count == 6)
    }

    @Test func `The turns after which a process falls are among the first of a longer order`() {
        let orders = (0..<200).map { Self.draw(DrawnOrder(seed: $0, depth: 3, length: 2), [5, 5]) }
        var lower: Set<Bool> = []
        for order in orders {
            let first = order[0]
            let other = first == "p0" ? "p1" : "p0"
            // Both fall, each after its first turn. Which of them falls lower is drawn.
            let rests = [first, other].map { Array(repeating: $0, count: 4) }
            let isOtherLower = order == [first, other] + rests[0] + rests[1]
            #expect(isOtherLower || order == [first, other] + rests[1] + rests[0])
            lower.insert(isOtherLower)
        }
        #expect(lower == [true, false])
    }

    @Test func `More falls than turns are as many as there are turns`() {
        #expect(Self.draw(DrawnOrder(seed: 1, depth: 10, length: 1), [1, 1]).count == 2)
    }

    @Test func `A process that cannot go on gets no turn, and has its priority when it can`() {
        let processes = ["p0", "p1"]
        var turns = DrawnTurns(DrawnOrder(seed: 3, depth: 1, length: 9), of: processes)
        let first = turns.next(among: processes)
        let other = turns.next(among: [processes[1 - first]])
        let again = turns.next(among: processes)
        #expect(other == 0, "the only one that can go on")
        #expect(again == first)
    }
}
