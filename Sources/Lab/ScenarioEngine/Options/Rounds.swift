// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabSystem
package import ScenarioLanguage
import Synchronization

/// How often the scenarios of a run are played: round by round, each with the next seed.
public struct Rounds: Sendable, Equatable {
    /// Maximum number of rounds; nil for no limit.
    package let count: Int?
    /// Real time after which no round begins.
    package let duration: LabDuration?
    /// Whether no round begins after a failure.
    let endAtFailure: Bool

    /// Whether the number of rounds is known only during the run.
    var areOpen: Bool { duration != nil || endAtFailure }

    /// The rounds requested by the options of `lab run`; without options, a single round.
    /// - Parameters:
    ///   - count: `--repeat`.
    ///   - duration: `--repeat-for`.
    ///   - endAtFailure: `--until-fail`.
    /// - Throws: ``BadUsage`` for contradictory options.
    public init(count: Int? = nil, duration: LabDuration? = nil, endAtFailure: Bool) throws {
        guard count ?? 1 >= 1 else { throw BadUsage(sentence: "--repeat must be at least 1") }
        guard count == nil || duration == nil else {
            throw BadUsage(
                sentence: "--repeat and --repeat-for exclude each other: one counts rounds, the other takes time")
        }
        guard !endAtFailure || count != 1 else {
            throw BadUsage(
                sentence: "--until-fail ends the rounds, and --repeat 1 leaves one; give more, or --until-fail alone")
        }
        self.count = count ?? (duration != nil || endAtFailure ? nil : 1)
        self.duration = duration
        self.endAtFailure = endAtFailure
    }

    /// One round.
    public init() { (count, duration, endAtFailure) = (1, nil, false) }
}

/// The scenarios that a run has yet to play, round by round.
///
/// If the number of rounds is known, all are queued from the beginning. Otherwise a round is added when all scenarios
/// of the earlier ones are taken, so that no superfluous round begins, and no job is idle meanwhile.
///
/// Thread rule: any thread.
package final class RoundQueue: Sendable {
    private let scenarios: [Scenario]
    private let order: RunOptions.Order
    private let seed: UInt64
    private let rounds: Rounds
    private let begin: UInt64
    private let state = Mutex(State())

    /// One scenario in one round.
    package struct Job {
        /// Its index in the run, from 0.
        package let index: Int
        package let scenario: Scenario
        /// From 1.
        package let round: Int
        package let seed: UInt64

        /// The scenario's identifier, unique among the rounds.
        package var id: String { scenario.id + suffix }
        package var suffix: String { Self.suffix(ofRound: round) }

        package static func suffix(ofRound round: Int) -> String { round == 1 ? "" : "~\(round)" }
    }

    private struct State {
        /// Items of all queued rounds.
        var jobs: [Job] = []
        var taken = 0
        var rounds = 0
    }

    /// A queue with the rounds known in advance.
    package init(_ scenarios: [Scenario], order: RunOptions.Order, seed: UInt64, rounds: Rounds) {
        self.scenarios = scenarios
        self.order = order
        self.seed = seed
        self.rounds = rounds
        begin = MonotonicClock.nanoseconds()
        state.withLock { state in
            for _ in 0..<(rounds.areOpen ? 1 : rounds.count ?? 1) { addRound(to: &state) }
        }
    }

    /// All scenarios of all queued rounds, in order.
    package var jobs: [Job] { state.withLock { $0.jobs } }
    /// Total number of items; nil if known only at the end.
    package var total: Int? { rounds.areOpen ? nil : jobs.count }

    /// Takes the next scenario.
    /// - Parameter hasFailed: Called before a round begins: whether a scenario did not pass.
    /// - Returns: Nil if the queue is empty.
    package func next(hasFailed: () -> Bool) -> Job? {
        state.withLock { state in
            if state.taken == state.jobs.count {
                guard mayBeginRound(after: state.rounds, hasFailed: hasFailed) else { return nil }
                addRound(to: &state)
            }
            guard state.taken < state.jobs.count else { return nil }
            state.taken += 1
            return state.jobs[state.taken - 1]
        }
    }

    private func mayBeginRound(after count: Int, hasFailed: () -> Bool) -> Bool {
        guard rounds.areOpen, count < rounds.count ?? .max else { return false }
        if let duration = rounds.duration, Int64(MonotonicClock.nanoseconds() - begin) >= duration.nanoseconds {
            return false
        }
        if rounds.endAtFailure, hasFailed() { return false }
        // Scenarios that their topology cannot play take no time and never fail: their rounds would never end.
        return scenarios.contains { $0.obstacle == nil }
    }

    private func addRound(to state: inout State) {
        let seed = seed &+ UInt64(state.rounds)
        state.rounds += 1
        var stream = SeedStream(seed: seed, "order")
        for scenario in order == .random ? scenarios.shuffled(using: &stream) : scenarios {
            state.jobs.append(Job(index: state.jobs.count, scenario: scenario, round: state.rounds, seed: seed))
        }
    }
}
