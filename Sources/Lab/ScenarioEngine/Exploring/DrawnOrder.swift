// SPDX-License-Identifier: Apache-2.0

import LabCore

/// An order of turns that is drawn at random, with the probabilistic concurrency testing of Burckhardt, Kothari,
/// Musuvathi and Nagarakatte (2010).
///
/// A defect that needs `d` constraints on the order of turns has the depth `d`. One draw of that depth among `n` processes
/// and `k` turns finds it with a probability of at least 1 / (n · k^(d-1)), however many orders there are.
package struct DrawnOrder: Hashable, Sendable {
    /// The same seed draws the same turns if the processes come to the same places.
    package let seed: UInt64
    /// The depth of the defects that are looked for, at least 1: one more than the number of turns after which a process
    /// falls behind the others.
    package let depth: Int
    /// The number of turns among which those are drawn, at least 1. Of a longer order only the beginning has any.
    package let length: Int

    /// A draw.
    /// - Parameters:
    ///   - depth: The depth of the defects that are looked for, at least 1.
    ///   - length: The number of turns that the order is expected to have, at least 1.
    package init(seed: UInt64, depth: Int, length: Int) {
        precondition(
            depth >= 1 && length >= 1,
            "a depth of \(depth) and a length of \(length) draw no order; both must be at least 1")
        self.seed = seed
        self.depth = depth
        self.length = length
    }
}

/// The turns of a drawn order: each process has a priority, and the one with the highest gets the turn.
///
/// A value; its owner decides which thread uses it.
struct DrawnTurns: Sendable {
    /// Before the first turn from 1; each process has another one.
    private var priorities: [String: Int]
    /// The numbers of the turns after which their process falls, each with the priority that it has then: at most 0, and
    /// each another one. A later fall may be the higher one, as the probability of ``DrawnOrder`` requires.
    private let falls: [Int: Int]
    private var given = 0

    /// - Parameter processes: All processes of the block, each once.
    init(_ order: DrawnOrder, of processes: [String]) {
        var stream = SeedStream(seed: order.seed, "drawn order")
        priorities = [:]
        for (rank, process) in processes.shuffled(using: &stream).enumerated() { priorities[process] = rank + 1 }
        let turns = (1...order.length).shuffled(using: &stream).prefix(order.depth - 1)
        falls = Dictionary(uniqueKeysWithValues: turns.enumerated().map { ($0.element, -$0.offset) })
    }

    /// Gives the next turn.
    /// - Parameter enabled: The processes that can go on, at least one.
    /// - Returns: The index of the one with the highest priority.
    mutating func next(among enabled: [String]) -> Int {
        given += 1
        let priorities = self.priorities
        let highest = enabled.indices.max {
            priorities[enabled[$0], default: 0] < priorities[enabled[$1], default: 0]
        }
        guard let highest else { return 0 }
        if let priority = falls[given] { self.priorities[enabled[highest]] = priority }
        return highest
    }
}
