// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabSystem
package import ScenarioLanguage

/// How far an exploration goes.
package struct ExplorationBounds: Sendable {
    /// The greatest number of preemptions of an order: switches away from an app that could have gone on.
    package var preemptions: Int
    /// The greatest number of deaths of an order: apps that are killed at one of their places.
    package var deaths: Int
    /// Number of orders that are played at the same time, at least 1.
    package var jobs: Int
    /// The greatest number of orders that are played; nil for all.
    package var limit: Int?
    /// The real time after which no order begins; nil for no limit.
    package var time: LabDuration?
    /// Number of orders that are drawn when the search has ended; nil for none. They have no bound, and kill no app.
    /// Neither ``limit`` nor ``time`` is about them.
    package var random: Int?
    /// The part of the orders of the search that is played; nil for all.
    package var shard: Shard?

    /// Bounds of an exploration.
    package init(
        preemptions: Int, deaths: Int = 0, jobs: Int, limit: Int? = nil, time: LabDuration? = nil, random: Int? = nil,
        shard: Shard? = nil
    ) {
        self.preemptions = preemptions
        self.deaths = deaths
        self.jobs = jobs
        self.limit = limit
        self.time = time
        self.random = random
        self.shard = shard
    }

    /// `2 preemptions`, `2 preemptions and 1 death`.
    package var text: String {
        let text = FailureText.counted(preemptions, "preemption")
        return deaths == 0 ? text : "\(text) and \(FailureText.counted(deaths, "death"))"
    }
}

/// The orders of a block, several at once, those with the fewest preemptions and deaths first, until one fails; then those
/// that are drawn.
///
/// Used by the one thread that calls `perform`; each order is played on a thread of its own.
package struct Exploration {
    /// What happens while orders are played.
    package enum Event {
        /// An order is played from now on.
        case began(number: Int, OrderSource)
        case ended(PlayedOrder)
        /// No more orders of a level, or no more drawn ones, are played.
        case closed(BoundTally)
    }

    /// Why no more orders are played.
    package enum End: String, Codable, Sendable {
        /// All orders within the bound were played.
        case complete
        /// One fails.
        case found
        /// The scenario ended without its block.
        case unreached
        case limit
        case time
        case interrupted
    }

    /// An order that could not be judged.
    package struct InconclusiveOrder {
        package let number: Int
        package let reason: String
    }

    private let player: any PlaysOrders
    private let bounds: ExplorationBounds
    private let observe: (Event) -> Void
    private let deadline: Deadline?
    private var search: OrderSearch
    private var bound = BoundTally(level: OrderSearch.Level(preemptions: 0, deaths: 0))
    private var started = 0
    private var stop: End?
    /// Draws the seeds of drawn orders.
    private var seeds: SeedStream
    /// The greatest number of turns of an order so far.
    private var longest = 0
    /// Number of drawn orders that were begun.
    private var draws = 0

    /// Number of orders of the search that were played to their end.
    package private(set) var played = 0
    /// Number of drawn orders that were played to their end.
    package private(set) var drawn = 0
    private var drawnInconclusive = 0
    /// Number of orders that could not be judged, drawn ones included.
    package private(set) var inconclusive = 0
    /// The first of these.
    package private(set) var firstInconclusive: InconclusiveOrder?
    /// The order that fails, with its number.
    package private(set) var finding: (number: Int, finding: OrderFinding)?
    /// The result of the scenario that ended without its block.
    package private(set) var unreached: ScenarioResult?
    /// What was played of each level, the levels ascending, and last the drawn orders.
    package private(set) var levels: [BoundTally] = []
    /// Number of orders that are known to have more preemptions than the bound.
    package var beyondBound: Int { search.beyondBound }
    /// What was dealt to the shards.
    package var dealt: DealtOrders { search.dealt }
    /// Number of orders of the search that were begun, but interrupted.
    private var interrupted = 0

    /// An exploration that has played no order yet.
    /// - Parameter observe: Called by the thread that calls ``perform()``.
    package init(_ player: any PlaysOrders, bounds: ExplorationBounds, observe: @escaping (Event) -> Void = { _ in }) {
        self.player = player
        self.bounds = bounds
        self.observe = observe
        deadline = bounds.time.map { Deadline(after: $0, of: "the exploration") }
        search = OrderSearch(preemptions: bounds.preemptions, deaths: bounds.deaths)
        search.shard = bounds.shard
        seeds = SeedStream(seed: player.seed, "drawn orders")
    }

    /// Plays orders until all are played, one fails, or a limit or an interruption ends it.
    package mutating func perform() -> End {
        playAll { exploration, running in exploration.next(whileRunning: running).map { .search($0) } }
        closeBound()
        bound = BoundTally(level: nil)
        playAll { exploration, _ in exploration.nextDraw().map { .drawn($0) } }
        closeBound()
        if finding != nil { return .found }
        if unreached != nil { return .unreached }
        return player.interruption.isSet ? .interrupted : stop ?? .complete
    }

    /// Plays orders, several at once.
    /// - Parameter next: The order to be played now beside a number of others; nil while others must end before, and at
    ///   the end.
    private mutating func playAll(_ next: (inout Exploration, Int) -> OrderSource?) {
        let finished = Mailbox<PlayedOrder>()
        var running = 0
        while true {
            while running < bounds.jobs, let source = next(&self, running) {
                running += 1
                started += 1
                observe(.began(number: started, source))
                runOnThread(name: "order \(started)") { [player, number = started] in
                    finished.send(player.play(source, number: number))
                }
            }
            // The mailbox is never closed, so an order comes as long as one is under way.
            guard running > 0, let order = finished.take() else { break }
            running -= 1
            note(order)
        }
    }

    /// Whether no further order may begin.
    private var isOver: Bool { finding != nil || unreached != nil || player.interruption.isSet }

    /// The next beginning to be played now; nil while others must end before, and at the end.
    private mutating func next(whileRunning running: Int) -> OrderSearch.Beginning? {
        guard !isOver, let lowest = search.waiting.first?.level else { return nil }
        if let limit = bounds.limit, started >= limit { stop = .limit }
        if deadline?.isOver ?? false { stop = .time }
        guard stop == nil else { return nil }
        // Which of the orders with the same effect a shard plays must not depend on which one ends first: the others have
        // to open the same.
        if bounds.shard != nil, lowest.isCommon, running > 0 { return nil }
        if let level = bound.level, lowest > level {
            // An order under way may open others of its own level.
            guard running == 0 else { return nil }
            closeBound()
            bound = BoundTally(level: lowest)
        }
        return search.next()
    }

    /// The next order to be drawn, of defects that are deeper than those within the bound of preemptions; nil at the end.
    private mutating func nextDraw() -> DrawnOrder? {
        guard !isOver, longest > 0, draws < bounds.random ?? 0 else { return nil }
        draws += 1
        return DrawnOrder(seed: seeds.next(), depth: bounds.preemptions + 2, length: longest)
    }

    private mutating func note(_ order: PlayedOrder) {
        observe(.ended(order))
        switch (order.source, order.end) {
        case (.search, .interrupted):
            interrupted += 1
            return
        case (.drawn, .interrupted): return
        case (.search(let beginning), _):
            search.record(order.choices, of: beginning)
            played += 1
        case (.drawn, _): drawn += 1
        }
        longest = max(longest, order.choices.count)
        bound.played += 1
        switch order.end {
        case .passed, .interrupted: break
        case .inconclusive(let reason): noteInconclusive(order.number, reason)
        case .failed(let finding):
            bound.hasFailed = true
            if self.finding == nil { self.finding = (order.number, finding) }
        case .unreached(let result) where longest > 0:
            // Others came to the block, so something outside of the order has ended this one.
            let cause = result.failures.first.map { ": \($0.reason)" } ?? ""
            noteInconclusive(order.number, "the scenario ended before the first turn\(cause)")
        case .unreached(let result):
            if unreached == nil { unreached = result }
        }
    }

    private mutating func noteInconclusive(_ number: Int, _ reason: String) {
        inconclusive += 1
        bound.inconclusive += 1
        if bound.level == nil { drawnInconclusive += 1 }
        if firstInconclusive == nil { firstInconclusive = InconclusiveOrder(number: number, reason: reason) }
    }

    /// Reports what was played of a level, or drawn.
    private mutating func closeBound() {
        guard bound.played > 0, unreached == nil else { return }
        if let level = bound.level {
            bound.left = (search.waiting.first { $0.level == level }?.count ?? 0) + interrupted
        } else {
            bound.left = (bounds.random ?? 0) - drawn
        }
        levels.append(bound)
        observe(.closed(bound))
    }

    /// What was covered, in a sentence without its end.
    package func coverage(_ end: End) -> String {
        Self.coverage(
            end, bounds: bounds, played: played, inconclusive: inconclusive - drawnInconclusive,
            left: search.waiting.reduce(interrupted) { $0 + $1.count }, beyond: search.beyondBound, drawn: drawn,
            drawnInconclusive: drawnInconclusive)
    }

    /// - Parameters:
    ///   - played: Number of orders of the search that were played.
    ///   - inconclusive: How many of these could not be judged.
    ///   - left: Number of orders of the search that are known and were not played.
    ///   - beyond: Number of orders that are known to have more preemptions.
    ///   - drawn: Number of drawn orders that were played.
    ///   - drawnInconclusive: How many of these could not be judged.
    package static func coverage(
        _ end: End, bounds: ExplorationBounds, played: Int, inconclusive: Int, left: Int, beyond: Int, drawn: Int = 0,
        drawnInconclusive: Int = 0
    ) -> String {
        func noted(_ orders: String, _ inconclusive: Int) -> String {
            inconclusive == 0 ? orders : "\(orders), \(inconclusive) of them inconclusive"
        }
        let orders = noted(FailureText.counted(played, "order"), inconclusive)
        let draws = drawn == 0 ? "" : "; \(noted("\(drawn) more were drawn", drawnInconclusive))"
        switch end {
        case .complete:
            let fewDeaths = bounds.deaths == 0 ? "" : " and as few deaths"
            let none = "there are no others with another effect\(fewDeaths)"
            let rest = beyond == 0 ? none : "at least \(beyond) more with more preemptions"
            return "complete for \(bounds.text): \(orders); \(rest)\(draws)"
        case .unreached: return "nothing was explored"
        case .found, .limit, .time, .interrupted:
            let word = end == .interrupted ? "interrupted" : "stopped"
            let rest = left == 0 ? "" : "; at least \(left) more with up to \(bounds.text)"
            return "\(word) after \(orders)\(rest)\(draws)"
        }
    }
}

/// The orders of one level, or those that were drawn.
package struct BoundTally {
    /// The numbers of preemptions and deaths; nil for drawn orders.
    package let level: OrderSearch.Level?
    /// The moment of the first order, on the monotonic clock in nanoseconds.
    package let begin = MonotonicClock.nanoseconds()
    /// Number of orders that were played to their end.
    package var played = 0
    /// Number of orders that could not be judged.
    package var inconclusive = 0
    /// Number of orders that are known and were not played.
    package var left = 0
    package var hasFailed = false

    package init(level: OrderSearch.Level?) { self.level = level }
}
