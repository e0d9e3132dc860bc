// SPDX-License-Identifier: Apache-2.0

package import LabPoints
package import ScenarioLanguage

/// One turn of an order: a process continued from the place where it had been held, until its next one, its end, or a
/// lock that another process had; or it was killed there.
package struct Turn: Hashable, Codable, Sendable {
    /// The actor name of the process, e.g. `main`.
    package var process: String
    /// Where it had been held: the name of a fault point, or `start` before its first step.
    package var place: String
    /// Whether the process got SIGKILL at its place instead of continuing.
    package var dies: Bool

    private enum CodingKeys: String, CodingKey { case process, place, dies }

    /// Makes a turn.
    package init(process: String, place: String, dies: Bool = false) {
        (self.process, self.place, self.dies) = (process, place, dies)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        process = try container.decode(String.self, forKey: .process)
        place = try container.decode(String.self, forKey: .place)
        dies = try container.decodeIfPresent(Bool.self, forKey: .dies) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(process, forKey: .process)
        try container.encode(place, forKey: .place)
        if dies { try container.encode(dies, forKey: .dies) }
    }
}

/// What a scheduler saw when it gave a turn.
package struct TurnChoice: Hashable, Sendable {
    /// The processes that could go on, each once, with their places: apps in the order of the block, then agents; behind
    /// them the turn that was given, if it is a death, or the planned release of a lock that did not come. Never empty.
    package var enabled: [Turn]
    /// The one that went on, or the death: an index of ``enabled``.
    package var chosen: Int
    /// What was touched in the turn.
    package var footprint: Footprint

    /// Makes a choice.
    /// - Parameter footprint: What was touched in the turn; if that is not known, everything.
    package init(enabled: [Turn], chosen: Int, footprint: Footprint = .everything) {
        (self.enabled, self.chosen, self.footprint) = (enabled, chosen, footprint)
    }

    /// The turn that was given.
    package var turn: Turn { enabled[chosen] }

    /// The turns that could have been given, deaths left aside.
    fileprivate var possible: [Turn] { enabled.filter { !$0.dies } }

    /// What was spent after giving `turn` here.
    /// - Parameters:
    ///   - spent: What was spent before.
    ///   - previous: The process of the last turn that was not a death; nil before the first one.
    fileprivate func level(after spent: OrderSearch.Level, giving turn: Turn, previous: String?) -> OrderSearch.Level {
        var level = spent
        if turn.dies {
            level.deaths += 1
        } else if let previous, previous != turn.process, enabled.contains(where: { $0.process == previous }) {
            level.preemptions += 1
        }
        return level
    }
}

/// Finds the orders in which the processes of a block can pass their places and die there, up to numbers of preemptions
/// and deaths; of the orders that have the same effect it finds at least one.
///
/// Each order is one execution. The search plays none: it hands out the first turns of one (a beginning), and behind
/// these the execution follows the default rule, which preempts and kills no process: the process of the last turn that
/// was not a death continues while it is enabled, then the first one that is. From the choices of the execution the
/// search learns the turns that could have been given instead. It looks for them only behind the beginning, because the
/// alternatives within it belong to the execution that opened it, so each order is found once.
///
/// Two turns depend on each other if they move the same process or their footprints conflict. Orders that differ only
/// in the places of independent turns lead to the same state, so the search looks behind one of them only (``opened``).
/// This leaves out fewer orders than sleep sets or persistent sets would, but these are wrong with a bound on
/// preemptions: the order that they keep may need more preemptions than the one that they leave out (Coons, Musuvathi,
/// McKinley: Bounded partial-order reduction, 2013). Here the kept one has as few or fewer.
///
/// A process that dies after a turn in which it has only read leaves what it would have left before that turn, so deaths
/// are looked for behind turns that have written something.
///
/// All states are found if executions depend on nothing but their turns, and footprints lack nothing.
///
/// A value; its owner decides which thread uses it. Beginnings may be under way at the same time.
package struct OrderSearch: Sendable {
    /// What an order spends, and the bound on it.
    package struct Level: Hashable, Comparable, Sendable {
        /// The number of switches away from a process that could have gone on.
        package var preemptions: Int
        /// The number of turns in which a process dies.
        package var deaths: Int

        /// Makes a level.
        package init(preemptions: Int, deaths: Int) {
            (self.preemptions, self.deaths) = (preemptions, deaths)
        }

        /// Whether each shard plays the orders of the level.
        package var isCommon: Bool { preemptions == 0 && deaths == 0 }

        /// By the sum, then by deaths: the order in which beginnings are handed out.
        package static func < (left: Level, right: Level) -> Bool {
            (left.preemptions + left.deaths, left.deaths) < (right.preemptions + right.deaths, right.deaths)
        }
    }

    /// The first turns of an execution.
    package struct Beginning: Hashable, Sendable {
        /// The turns to give first, in their order. Empty for the first execution of a search.
        package let turns: [Turn]
        /// The number of preemptions in them, and so in the whole execution: the default rule adds none.
        package let preemptions: Int
        /// The number of deaths in them, and so in the whole execution.
        package let deaths: Int

        fileprivate var level: Level { Level(preemptions: preemptions, deaths: deaths) }
    }

    /// A beginning that waits. What one execution opens shares the memory of its turns, so a beginning of a thousand
    /// turns needs no more than one of ten.
    private struct Opening {
        let common: ArraySlice<Turn>
        /// The turn given instead of what the execution did next; nil for the first execution.
        let alternative: Turn?
    }

    /// What a search does next after a prefix, with what was known about the prefix. Two with the same value lead to
    /// the same executions, but for what they have spent.
    private struct Continuation: Hashable {
        /// The hash of the prefix, as ``TurnHistory`` makes it.
        let history: UInt64
        let turn: Turn
        /// After a death the process of the turn before it, which a turn of another one would preempt. After any other
        /// turn that is the turn's own process, so who came before it makes no difference: whether the turn itself
        /// preempted that one is in the numbers that are compared.
        let previous: String?
        /// The number of deaths, the alternative's included.
        let deaths: Int

        /// In place of the whole, because a search keeps millions. In a search with ten million the chance that two
        /// different ones have the same is less than one in a hundred thousand.
        var key: Int {
            var hasher = Hasher()
            hash(into: &hasher)
            return hasher.finalize()
        }
    }

    private let bound: Level
    /// What waits; no list is empty. The last of a list is its next: depth first, so that fewer wait.
    private var openings: [Level: [Opening]]
    /// The continuations that were opened, or that an execution had behind its beginning, by their keys, with the
    /// fewest preemptions of any.
    private var opened: [Int: Int] = [:]
    /// The numbers of the processes in clocks, as they were seen first.
    private var processes: [String: Int] = [:]

    /// The number of beginnings that were found and left out, because they have more preemptions than the bound. Each
    /// stands for at least one order.
    package private(set) var beyondBound = 0

    /// The part of the orders that is looked for; nil for all. Set before the first beginning is handed out.
    package var shard: Shard?
    /// What was dealt to the shards so far, to this one and to the others.
    package private(set) var dealt = DealtOrders()

    /// Makes a search that knows the empty beginning. Orders with as many or fewer preemptions and deaths are found.
    /// - Parameters:
    ///   - preemptions: The bound on preemptions, at least 0.
    ///   - deaths: The bound on deaths, at least 0.
    package init(preemptions: Int, deaths: Int = 0) {
        precondition(preemptions >= 0, "a bound of \(preemptions) preemptions has no orders; it must be at least 0")
        precondition(deaths >= 0, "a bound of \(deaths) deaths has no orders; it must be at least 0")
        bound = Level(preemptions: preemptions, deaths: deaths)
        openings = [Level(preemptions: 0, deaths: 0): [Opening(common: [], alternative: nil)]]
    }

    /// Hands out the next beginning to be played, one of the lowest level that waits.
    /// - Returns: Nil when all known ones are played or under way. What is under way may open more.
    package mutating func next() -> Beginning? {
        guard let level = openings.keys.min(), let opening = openings[level]?.popLast() else { return nil }
        if openings[level]?.isEmpty == true { openings[level] = nil }
        var turns = Array(opening.common)
        if let alternative = opening.alternative { turns.append(alternative) }
        return Beginning(turns: turns, preemptions: level.preemptions, deaths: level.deaths)
    }

    /// Takes the choices of an execution, and opens the beginnings that differ from it in one turn.
    ///
    /// An execution that ended early opens what its choices show. One that gave other turns than its beginning opens
    /// nothing: the rest of its choices belongs to an order that another beginning may have. A search is not complete
    /// after either: what they left out is not opened again for an equivalent beginning.
    /// - Parameters:
    ///   - choices: all choices of the execution, from its first turn.
    ///   - beginning: what ``next()`` handed out for it. Recorded once for each.
    package mutating func record(_ choices: [TurnChoice], of beginning: Beginning) {
        let turns = choices.map(\.turn)
        guard turns.starts(with: beginning.turns) else { return }
        var history = TurnHistory()
        var spent = Level(preemptions: 0, deaths: 0)
        var previous: String?
        // The processes whose last turn has only read.
        var readers: Set<String> = []
        for (index, choice) in choices.enumerated() {
            let after = choice.level(after: spent, giving: choice.turn, previous: previous)
            if index >= beginning.turns.count {
                // First its own turn, which opened no beginning: another execution must not open it again.
                _ = isNew(choice.turn, after: history, previous: previous, level: after)
                for turn in alternatives(to: choice, deaths: spent.deaths, readers: readers) {
                    let level = choice.level(after: spent, giving: turn, previous: previous)
                    // All shards play the orders without a preemption and a death, and each its own of what these open.
                    // What belongs to another shard is not entered: here no order behind it is played.
                    if beginning.level.isCommon, !level.isCommon {
                        let left = choice.possible.first { $0.process == previous }
                        guard isMine(turns[..<index] + [turn], leaving: left) else { continue }
                    }
                    let isFirst = isNew(turn, after: history, previous: previous, level: level)
                    open(Opening(common: turns[..<index], alternative: turn), level: level, isNew: isFirst)
                }
            }
            let moved = moved(by: choice, before: index + 1 < choices.count ? choices[index + 1] : nil)
            history.append(
                choice.turn, of: number(of: choice.turn.process), moving: moved.map { number(of: $0) },
                footprint: choice.turn.dies ? .everything : choice.footprint)
            readers.subtract(moved)
            // What comes before its first place is part of the first turn that it can die behind.
            if choice.footprint.writes == 0, choice.turn.place != TurnOrder.start {
                readers.insert(choice.turn.process)
            } else {
                readers.remove(choice.turn.process)
            }
            spent = after
            if !choice.turn.dies { previous = choice.turn.process }
        }
    }

    /// - Parameter left: The turn of the process that is preempted.
    private mutating func isMine(_ turns: ArraySlice<Turn>, leaving left: Turn?) -> Bool {
        guard let shard else { return true }
        dealt.insert(turns, leaving: left)
        return shard.contains(turns)
    }

    /// The turns that could be given instead of the one that was: those of other processes, then deaths. A process that
    /// has not begun does not die by itself: it would be as if its branch were missing.
    /// - Parameter readers: The processes whose deaths would be the same as earlier ones.
    private func alternatives(to choice: TurnChoice, deaths: Int, readers: Set<String>) -> [Turn] {
        let possible = choice.possible
        let others = possible.filter { $0 != choice.turn }
        guard deaths < bound.deaths else { return others }
        let mortal = possible.filter { $0.place != TurnOrder.start && !readers.contains($0.process) }
        let deadly = mortal.map { Turn(process: $0.process, place: $0.place, dies: true) }
        return others + deadly.filter { $0 != choice.turn }
    }

    /// Whether no continuation with the same effect was seen that has spent as little or less; enters this one if so.
    private mutating func isNew(
        _ turn: Turn, after history: TurnHistory, previous: String?, level: Level
    ) -> Bool {
        func key(deaths: Int) -> Int {
            Continuation(
                history: history.hash, turn: turn, previous: turn.dies ? previous : nil, deaths: deaths
            ).key
        }
        for deaths in 0...level.deaths {
            if let known = opened[key(deaths: deaths)], known <= level.preemptions { return false }
        }
        opened[key(deaths: level.deaths)] = level.preemptions
        return true
    }

    private mutating func open(_ opening: Opening, level: Level, isNew: Bool) {
        // One with the same effect has as few preemptions and deaths.
        guard isNew else { return }
        if level.preemptions <= bound.preemptions {
            openings[level, default: []].append(opening)
        } else {
            beyondBound += 1
        }
    }

    /// The other processes that a turn has moved. One that was given a lock continues within the turn of the one that
    /// released it, and one that waits for a lock is not enabled: its next turn depends on this one.
    /// - Parameter next: The choice after it, which shows that; nil for the last one.
    private func moved(by choice: TurnChoice, before next: TurnChoice?) -> Set<String> {
        guard let next else { return [] }
        let changed = Set(choice.possible).symmetricDifference(next.possible)
        return Set(changed.map(\.process)).subtracting([choice.turn.process])
    }

    private mutating func number(of process: String) -> Int {
        if let number = processes[process] { return number }
        processes[process] = processes.count
        return processes.count - 1
    }

    /// The numbers of beginnings that were found and not yet handed out, in ascending order of their levels; levels
    /// without any are left out.
    package var waiting: [(level: Level, count: Int)] {
        openings.sorted { $0.key < $1.key }.map { (level: $0.key, count: $0.value.count) }
    }
}
