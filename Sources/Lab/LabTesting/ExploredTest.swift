// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// A test that is performed in orders of the turns of its race.
///
/// The search runs on a thread of its own and hands each order to the task of the test: only there Swift Testing knows
/// whose issues it records.
struct ExploredTest: Sendable {
    private let test: InstanceTest
    private let repetition: @Sendable (String) -> String

    /// - Parameter repetition: The code that repeats an order, given as text.
    init(_ test: InstanceTest, repeatedBy repetition: @escaping @Sendable (String) -> String) {
        self.test = test
        self.repetition = repetition
    }

    /// Performs the test in one order, or in all until one fails.
    /// - Throws: What is not an issue of the test yet.
    func perform(_ orders: Lab.Orders, performing function: @Sendable (Lab) async throws -> Void) async throws {
        switch orders.kind {
        case .one(let text):
            let block = Self.block(.exact(try OrderText.turns(inLine: text)))
            let outcome = await test.perform(explored: block, performing: function)
            if let error = outcome.error { throw error }
            if outcome.reason == nil, block.choices.isEmpty { throw Self.withoutRace }
        case .all(let bounds):
            try Self.check(bounds.preemptions, "preemptions", in: ExploredOrders.preemptionCounts)
            try Self.check(bounds.deaths, "deaths", in: ExploredOrders.deathCounts)
            if let budget = bounds.time, budget <= .zero {
                throw BadUsage(sentence: "an exploration takes a budget of more than zero, not \(budget)")
            }
            try await explore(within: bounds, performing: function)
        }
    }

    private static func check(_ count: Int, _ things: String, in counts: ClosedRange<Int>) throws {
        guard counts.contains(count) else {
            throw BadUsage(
                sentence: "an exploration takes \(counts.lowerBound) to \(counts.upperBound) \(things), not \(count)")
        }
    }

    private static func block(_ plan: TurnScheduler.Plan) -> ExploredBlock { ExploredBlock(step: "race", plan: plan) }

    private static let withoutRace = LabFailure(
        "The test has not called `lab.race`, so it has no turns to explore. Put what the apps do at the same time there."
    )

    // MARK: All orders

    /// What a search has covered.
    private struct Summary: Sendable {
        let end: Exploration.End
        let coverage: String
        /// Number of orders that were played to their end.
        let played: Int
        /// The first order that could not be judged, with the reason.
        let inconclusive: String?
    }

    private func explore(
        within bounds: ExplorationBounds, performing function: @Sendable (Lab) async throws -> Void
    ) async throws {
        let player = HandedOverOrders(seed: test.seed)
        async let searched = onThread(named: "lab explore") {
            defer { player.jobs.close() }
            var exploration = Exploration(player, bounds: bounds)
            let end = exploration.perform()
            return Summary(
                end: end, coverage: exploration.coverage(end), played: exploration.played,
                inconclusive: exploration.firstInconclusive.map { "order \($0.number): \($0.reason)" })
        }
        var hasFailed = false
        var failure: (any Error)?
        while let job = await onThread(named: "lab explore", { player.jobs.take() }) {
            if Task.isCancelled { player.interruption.set(because: "the test was cancelled") }
            let attempt = await play(job, performing: function)
            hasFailed = hasFailed || attempt.hasFailed
            failure = failure ?? attempt.error
            job.played.set(attempt.order)
        }
        let summary = await searched
        if let failure { throw failure }
        // Its issues are reported.
        if hasFailed { return }
        try Task.checkCancellation()
        if summary.end == .unreached { throw Self.withoutRace }
        if let inconclusive = summary.inconclusive {
            throw LabFailure("An order could not be judged: \(inconclusive). The exploration: \(summary.coverage).")
        }
        if summary.played == 0 {
            throw LabFailure("The budget ended before the first order began, so nothing was explored; allow more time.")
        }
    }

    /// An order that was played.
    private struct Attempt {
        let order: PlayedOrder
        /// Whether the test has failed, and reported it.
        var hasFailed = false
        /// What the test has to throw.
        var error: (any Error)?
    }

    /// Plays the order that a beginning leads to; one that fails is played again, and only then reported.
    private func play(
        _ job: OrderJob, performing function: @Sendable (Lab) async throws -> Void
    ) async -> Attempt {
        let block = Self.block(job.source.plan)
        func attempt(_ end: PlayedOrder.End, hasFailed: Bool = false, error: (any Error)? = nil) -> Attempt {
            let order = PlayedOrder(number: job.number, source: job.source, choices: block.choices, end: end)
            return Attempt(order: order, hasFailed: hasFailed, error: error)
        }
        guard !Task.isCancelled else { return attempt(.interrupted) }
        let outcome = await test.perform(explored: block, issues: .held, performing: function)
        let turns = block.choices.map(\.turn)
        if let problem = block.problem {
            outcome.removeRecords()
            return attempt(.inconclusive("turn \(turns.count + 1): \(problem)"))
        }
        guard let reason = outcome.reason else {
            return attempt(turns.isEmpty ? .unreached(result(.passed)) : .passed)
        }
        let again = Self.block(turns.isEmpty ? .beginning([]) : .exact(turns))
        let lines = turns.isEmpty ? [] : self.lines(of: turns, number: job.number)
        let repeated = await test.perform(explored: again, issues: .reported(with: lines), performing: function)
        guard again.problem == nil, repeated.reason != nil else {
            let records = outcome.directory.map { " Records: \($0)" } ?? ""
            return attempt(
                .inconclusive(
                    "it failed (\(reason)) and did not when it was performed again, so something outside of the lab's control decided.\(records)"
                ))
        }
        outcome.removeRecords()
        // What `#require` has thrown is an issue, with the order as its comment.
        let error = repeated.error.map { error -> any Error in
            lines.isEmpty || RunningTest.isIssue(error) ? error : FailedOrder(error: error, lines: lines)
        }
        let failed = result(.failed, reason: reason, in: repeated.directory)
        let end: PlayedOrder.End =
            turns.isEmpty ? .unreached(failed) : .failed(OrderFinding(turns: turns, result: failed))
        return attempt(end, hasFailed: true, error: error)
    }

    /// The order in columns, and the code that repeats it.
    private func lines(of turns: [Turn], number: Int) -> [String] {
        ["Order \(number) of the race:"] + OrderText.columns(turns).map { "    \($0)" }
            + ["Repeat it: \(repetition(OrderText.line(turns)))"]
    }

    private func result(_ verdict: Verdict, reason: String? = nil, in directory: String? = nil) -> ScenarioResult {
        ScenarioResult(
            id: test.name, name: test.name, tags: [], file: test.place.file, topology: "", verdict: verdict, round: 1,
            seed: test.seed, seconds: 0, commands: 0,
            failures: reason.map { [StepFailure(verdict: verdict, place: test.place, reason: $0, replay: "")] } ?? [],
            launches: [:], replay: "", directory: directory ?? "")
    }
}

/// An order that the task of a test has to play.
private struct OrderJob: Sendable {
    let source: OrderSource
    let number: Int
    /// Set when it was played.
    let played = OneShot<PlayedOrder>()
}

/// Hands orders over to the task of a test.
private struct HandedOverOrders: PlaysOrders {
    let jobs = Mailbox<OrderJob>()
    let interruption = Interruption()
    let seed: UInt64

    /// Blocks until the task has played the order.
    func play(_ source: OrderSource, number: Int) -> PlayedOrder {
        let job = OrderJob(source: source, number: number)
        jobs.send(job)
        return job.played.wait()
    }
}
