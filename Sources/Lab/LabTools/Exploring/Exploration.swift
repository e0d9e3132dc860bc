// SPDX-License-Identifier: Apache-2.0

import LabReports
import LabSystem
import ScenarioEngine

/// The orders of a block, several at once, those with the fewest preemptions first, until one fails.
///
/// Used by the one thread that calls `perform`; each order is played on a thread of its own.
struct Exploration {
    /// Why no more orders are played.
    enum End: Equatable {
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
    struct InconclusiveOrder {
        let number: Int
        let reason: String
    }

    private let player: OrderPlayer
    private let options: ExploreOptions
    private let printer: ProgressPrinter
    private let deadline: Deadline?
    private var search: OrderSearch
    private var bound = BoundTally(preemptions: 0)
    private var started = 0
    private var stop: End?

    /// Number of orders that were played to their end.
    private(set) var played = 0
    /// Number of orders that could not be judged.
    private(set) var inconclusive = 0
    /// The first of these.
    private(set) var firstInconclusive: InconclusiveOrder?
    /// The order that fails, with its number.
    private(set) var finding: (number: Int, finding: OrderFinding)?
    /// The result of the scenario that ended without its block.
    private(set) var unreached: ScenarioResult?
    /// Number of orders that were begun, but interrupted.
    private var interrupted = 0

    init(_ player: OrderPlayer, options: ExploreOptions, printer: ProgressPrinter) {
        self.player = player
        self.options = options
        self.printer = printer
        deadline = options.time.map { Deadline(after: $0, of: "the exploration") }
        search = OrderSearch(preemptions: options.preemptions)
    }

    /// Plays orders until all are played, one fails, or a limit or an interruption ends it.
    mutating func perform() -> End {
        let finished = Mailbox<PlayedOrder>()
        var running = 0
        while true {
            while running < options.jobs, let beginning = next(whileRunning: running) {
                running += 1
                started += 1
                printer.began(Self.title(started, beginning))
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

    private static func title(_ number: Int, _ beginning: OrderSearch.Beginning) -> String {
        "order \(number), \(FailureText.counted(beginning.preemptions, "preemption"))"
    }

    /// The next beginning to be played now; nil while others must end before, and at the end.
    private mutating func next(whileRunning running: Int) -> OrderSearch.Beginning? {
        guard finding == nil, unreached == nil, !player.interruption.isSet,
            let lowest = search.waiting.firstIndex(where: { $0 > 0 })
        else { return nil }
        if let limit = options.limit, started >= limit { stop = .limit }
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
        printer.ended(Self.title(order.number, order.beginning), at: order.number - 1, "")
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
        bound.left = search.waiting[bound.preemptions] + interrupted
        let seconds = Double(MonotonicClock.nanoseconds() - bound.begin) / 1e9
        printer.print(bound.line(seconds: seconds, report: TerminalReport(isColoured: printer.look.isColoured)) + "\n")
    }

    /// What was covered, in a sentence without its end.
    func coverage(_ end: End) -> String {
        Self.coverage(
            end, bound: options.preemptions, played: played, inconclusive: inconclusive,
            left: search.waiting.reduce(0, +) + interrupted, beyond: search.beyondBound)
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
struct BoundTally {
    let preemptions: Int
    let begin = MonotonicClock.nanoseconds()
    /// Number of orders that were played to their end.
    var played = 0
    /// Number of orders that could not be judged.
    var inconclusive = 0
    /// Number of orders that are known and were not played.
    var left = 0
    var hasFailed = false

    init(preemptions: Int) { self.preemptions = preemptions }

    /// `  1 preemption       38 orders  ✓  4.10 s`.
    func line(seconds: Double, report: TerminalReport) -> String {
        let verdict: Verdict = hasFailed ? .failed : inconclusive > 0 ? .inconclusive : left > 0 ? .notRun : .passed
        let name = FailureText.counted(preemptions, "preemption")
        let orders = left == 0 ? FailureText.counted(played, "order") : "\(played) of at least \(played + left) orders"
        let gap = String(repeating: " ", count: max(1, 20 - name.count - String(played).count))
        let after = hasFailed ? " after \(played)" : inconclusive > 0 ? " \(inconclusive) inconclusive" : ""
        return "  \(name)\(gap)\(orders)  \(report.mark(verdict))\(after)  \(FailureText.seconds(seconds))"
    }
}
