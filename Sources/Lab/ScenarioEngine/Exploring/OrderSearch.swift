// SPDX-License-Identifier: Apache-2.0

/// One turn of an order: a process continued from the place where it had been held, until its next one, its end, or a
/// lock that another process had.
package struct Turn: Hashable, Codable, Sendable {
    /// The actor name of the process, e.g. `main`.
    package var process: String
    /// Where it had been held: the name of a fault point, or `start` before its first step.
    package var place: String

    /// Makes a turn.
    package init(process: String, place: String) {
        self.process = process
        self.place = place
    }
}

/// What a scheduler saw when it gave a turn.
package struct TurnChoice: Hashable, Sendable {
    /// The processes that could go on, each once, with their places, in the order of the block. Never empty.
    package var enabled: [Turn]
    /// The one that went on: an index of ``enabled``.
    package var chosen: Int

    /// The turn that was given.
    package var turn: Turn { enabled[chosen] }

    /// Whether giving `turn` here is a preemption: the process of the previous turn could have gone on, and does not.
    fileprivate func isPreemption(_ turn: Turn, after previous: Turn?) -> Bool {
        guard let previous, previous.process != turn.process else { return false }
        return enabled.contains { $0.process == previous.process }
    }
}

/// Finds the orders in which the processes of a block can pass their places, up to a number of preemptions.
///
/// Each order is one execution. The search plays none: it hands out the first turns of one (a beginning), and behind
/// these the execution follows the default rule, which preempts no process: the process of the last turn continues
/// while it is enabled, then the first one that is. From the choices of the execution the search learns the turns that could
/// have been given instead. It looks for them only behind the beginning, because the alternatives within it belong to
/// the execution that opened it, so each order is found once. All orders are found if executions depend on nothing but
/// their turns.
///
/// A value; its owner decides which thread uses it. Beginnings may be under way at the same time.
package struct OrderSearch: Sendable {
    /// The first turns of an execution.
    package struct Beginning: Hashable, Sendable {
        /// The turns to give first, in their order. Empty for the first execution of a search.
        package let turns: [Turn]
        /// The number of preemptions in them, and so in the whole execution: the default rule adds none.
        package let preemptions: Int
    }

    /// A beginning that waits. What one execution opens shares the memory of its turns, so a beginning of a thousand
    /// turns needs no more than one of ten.
    private struct Opening {
        let common: ArraySlice<Turn>
        /// The turn given instead of what the execution did next; nil for the first execution.
        let alternative: Turn?
    }

    /// What waits, by its number of preemptions. The last is the next: depth first, so that fewer wait.
    private var openings: [[Opening]]

    /// The number of beginnings that were found and left out, because they have more preemptions than the bound. Each
    /// stands for at least one order.
    package private(set) var beyondBound = 0

    /// Makes a search that knows the empty beginning.
    /// - Parameter preemptions: the bound, at least 0: orders with as many or fewer preemptions are found.
    package init(preemptions: Int) {
        precondition(preemptions >= 0, "a bound of \(preemptions) preemptions has no orders; it must be at least 0")
        openings = Array(repeating: [], count: preemptions + 1)
        openings[0] = [Opening(common: [], alternative: nil)]
    }

    /// Hands out the next beginning to be played, one with the fewest preemptions.
    /// - Returns: Nil when all known ones are played or under way. What is under way may open more.
    package mutating func next() -> Beginning? {
        guard let preemptions = openings.firstIndex(where: { !$0.isEmpty }) else { return nil }
        let opening = openings[preemptions].removeLast()
        var turns = Array(opening.common)
        if let alternative = opening.alternative { turns.append(alternative) }
        return Beginning(turns: turns, preemptions: preemptions)
    }

    /// Takes the choices of an execution, and opens the beginnings that differ from it in one turn.
    ///
    /// An execution that ended early opens what its choices show. One that gave other turns than its beginning opens
    /// nothing: the rest of its choices belongs to an order that another beginning may have.
    /// - Parameters:
    ///   - choices: all choices of the execution, from its first turn.
    ///   - beginning: what ``next()`` handed out for it. Recorded once for each.
    package mutating func record(_ choices: [TurnChoice], of beginning: Beginning) {
        let turns = choices.map(\.turn)
        guard turns.starts(with: beginning.turns) else { return }
        var preemptions = 0
        var previous: Turn?
        for (index, choice) in choices.enumerated() {
            if index >= beginning.turns.count {
                for (other, alternative) in choice.enabled.enumerated() where other != choice.chosen {
                    let isPreemption = choice.isPreemption(alternative, after: previous)
                    open(
                        Opening(common: turns[..<index], alternative: alternative),
                        preemptions: preemptions + (isPreemption ? 1 : 0))
                }
            }
            if choice.isPreemption(choice.turn, after: previous) { preemptions += 1 }
            previous = choice.turn
        }
    }

    private mutating func open(_ opening: Opening, preemptions: Int) {
        if openings.indices.contains(preemptions) {
            openings[preemptions].append(opening)
        } else {
            beyondBound += 1
        }
    }

    /// The numbers of beginnings that were found and not yet handed out, by their number of preemptions (the index,
    /// from 0 to the bound).
    package var waiting: [Int] { openings.map(\.count) }

    /// The number of preemptions of an execution: switches away from a process that could have gone on.
    /// - Parameter choices: all choices of the execution, from its first turn.
    package static func preemptions(in choices: [TurnChoice]) -> Int {
        zip(choices.dropFirst(), choices).count { choice, previous in
            choice.isPreemption(choice.turn, after: previous.turn)
        }
    }
}
