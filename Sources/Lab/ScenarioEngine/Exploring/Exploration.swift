// SPDX-License-Identifier: Apache-2.0

package import LabCore
import LabSystem

/// How far an exploration goes.
package struct ExplorationBounds: Sendable {
    /// The greatest number of preemptions of an order: switches away from an app that could have gone on.
    package var preemptions: Int
    /// Number of orders that are played at the same time, at least 1.
    package var jobs: Int
    /// The greatest number of orders that are played; nil for all.
    package var limit: Int?
    /// The real time after which no order begins; nil for no limit.
    package var time: LabDuration?

    /// Bounds of an exploration.
    package init(preemptions: Int, jobs: Int, limit: Int? = nil, time: LabDuration? = nil) {
        self.preemptions = preemptions
        self.jobs = jobs
        self.limit = limit
        self.time = time
    }
}

/// The orders of a block, several at once, those with the fewest preemptions first, until one fails.
///
/// Used by the one thread that calls `perform`; each order is played on a thread of its own.
package struct Exploration {
    /// What happens while orders are played.
    package enum Event {
        /// An order is played from now on.
        case began(number: Int, OrderSearch.Beginning)
        case ended(PlayedOrder)
        /// No more orders with so many preemptions are played.
        case closed(BoundTally)
    }

    /// Why no more orders are played.
    package enum End: Equatable, Sendable {
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

    private let player: OrderPlayer
    private let bounds: ExplorationBounds
    private let observe: (Event) -> Void
    private let deadline: Deadline?
    private var search: OrderSearch
    private var bound = BoundTally(preemptions: 0)
    private var started = 0
    private var stop: End?

    /// Number of orders that were played to their end.
    package private(set) var played = 0
    /// Number of orders that could not be judged.
    package private(set) var inconclusive = 0
    /// The first of these.
    package private(set) var firstInconclusive: InconclusiveOrder?
    /// The order that fails, with its number.
    package private(set) var finding: (number: Int, finding: OrderFinding)?
    /// The result of the scenario that ended without its block.
    package private(set) var unreached: ScenarioResult?
    /// Number of orders that were begun, but interrupted.
    private var interrupted = 0

    /// An exploration that has played no order yet.
    /// - Parameter observe: Called by the thread that calls ``perform()``.
    package init(_ player: OrderPlayer, bounds: ExplorationBounds, observe: @escaping (Event) -> Void = { _ in }) {
        self.player = player
        self.bounds = bounds
        self.observe = observe
        deadline = bounds.time.map { Deadline(after: $0, of: "the exploration") }
        search = OrderSearch(preemptions: bounds.preemptions)
    }

    /// Plays orders until all are played, one fails, or a limit or an interruption ends it.
    package mutating func perform() -> End {
        let finished = Mailbox<PlayedOrder>()
        var running = 0
        while true {
            while running < bounds.jobs, let beginning = next(whileRunning: running) {
                running += 1
                started += 1
                observe(.began(number: started, beginning))
                runOnThread(name: "order \(started)") { [player, number = started] in
                    finished.send(player.play(beginning, number: number))
                }
            }
            // The mailbox is never closed, so an order comes as long as one is under way.
            guard running > 0, let order = finished.take() else { break }
            running -= 1
            note(order)
        }
        closeBound()
        if finding != nil { return .found }
        if unreached != nil { return .unreached }
        return player.interruption.isSet ? .interrupted : stop ?? .complete
    }

    /// The next beginning to be played now; nil while others must end before, and at the end.
    private mutating func next(whileRunning running: Int) -> OrderSearch.Beginning? {
        guard finding == nil, unreached == nil, !player.interruption.isSet,
            let lowest = search.waiting.first?.level.preemptions
        else { return nil }
        if let limit = bounds.limit, started >= limit { stop = .limit }
        if deadline?.isOver ?? false { stop = .time }
        guard stop == nil else { return nil }
        if lowest > bound.preemptions {
            // An order under way may open others with as few preemptions as it has.
            guard running == 0 else { return nil }
            closeBound()
            bound = BoundTally(preemptions: lowest)
        }
        return search.next()
    }

    private mutating func note(_ order: PlayedOrder) {
        observe(.ended(order))
        if case .interrupted = order.end {
            interrupted += 1
            return
        }
        search.record(order.choices, of: order.beginning)
        played += 1
        bound.played += 1
        switch order.end {
        case .passed, .interrupted: break
        case .inconclusive(let reason):
            inconclusive += 1
            bound.inconclusive += 1
            if firstInconclusive == nil { firstInconclusive = InconclusiveOrder(number: order.number, reason: reason) }
        case .failed(let finding):
            bound.hasFailed = true
            if self.finding == nil { self.finding = (order.number, finding) }
        case .unreached(let result):
            if unreached == nil { unreached = result }
        }
    }

    /// Prints what was played with the number of preemptions.
    private mutating func closeBound() {
        guard bound.played > 0, unreached == nil else { return }
        bound.left = left { $0.preemptions == bound.preemptions }
        observe(.closed(bound))
    }

    /// Number of orders that are known and were not played.
    private func left(_ isCounted: (OrderSearch.Level) -> Bool) -> Int {
        search.waiting.reduce(interrupted) { isCounted($1.level) ? $0 + $1.count : $0 }
    }

    /// What was covered, in a sentence without its end.
    package func coverage(_ end: End) -> String {
        Self.coverage(
            end, bound: bounds.preemptions, played: played, inconclusive: inconclusive,
            left: left { _ in true }, beyond: search.beyondBound)
    }

    /// - Parameters:
    ///   - bound: The greatest number of preemptions that was looked for.
    ///   - left: Number of orders that are known and were not played.
    ///   - beyond: Number of orders that are known to have more preemptions.
    static func coverage(_ end: End, bound: Int, played: Int, inconclusive: Int, left: Int, beyond: Int) -> String {
        var orders = FailureText.counted(played, "order")
        if inconclusive > 0 { orders += ", \(inconclusive) of them inconclusive" }
        let preemptions = FailureText.counted(bound, "preemption")
        switch end {
        case .complete:
            let rest = beyond == 0 ? "there are no others" : "at least \(beyond) more with more preemptions"
            return "complete for \(preemptions): \(orders); \(rest)"
        case .unreached: return "nothing was explored"
        case .found, .limit, .time, .interrupted:
            let word = end == .interrupted ? "interrupted" : "stopped"
            let rest = left == 0 ? "" : "; at least \(left) more with up to \(preemptions)"
            return "\(word) after \(orders)\(rest)"
        }
    }
}

/// The orders with one number of preemptions.
package struct BoundTally {
    package let preemptions: Int
    /// The moment of the first order, on the monotonic clock in nanoseconds.
    package let begin = MonotonicClock.nanoseconds()
    /// Number of orders that were played to their end.
    package var played = 0
    /// Number of orders that could not be judged.
    package var inconclusive = 0
    /// Number of orders that are known and were not played.
    package var left = 0
    package var hasFailed = false

    package init(preemptions: Int) { self.preemptions = preemptions }
}
