internal import LabKit
internal import LabSystem
internal import Synchronization

/// The scenarios that a run still has to play, round by round.
///
/// A number of rounds that is known is there from the begin. Otherwise a round comes when those before it are taken, so
/// that none begins that nobody wants any more, and no job is idle meanwhile.
///
/// Thread rule: any thread.
final class RoundQueue: Sendable {
    private let scenarios: [Scenario]
    private let order: RunOptions.Order
    private let seed: UInt64
    private let rounds: Rounds
    private let begin: UInt64
    private let state = Mutex(State())

    /// One scenario in one round.
    struct Job {
        /// Its place in the run, from 0.
        let index: Int
        let scenario: Scenario
        /// From 1.
        let round: Int
        let seed: UInt64

        /// The scenario's identifier, told apart from that of other rounds.
        var id: String { scenario.id + suffix }
        var suffix: String { Self.suffix(ofRound: round) }

        static func suffix(ofRound round: Int) -> String { round == 1 ? "" : "~\(round)" }
    }

    private struct State {
        /// Of all rounds that are there.
        var jobs: [Job] = []
        /// How many of them are taken.
        var taken = 0
        var rounds = 0
    }

    /// A queue with the rounds that are known to come.
    init(_ scenarios: [Scenario], order: RunOptions.Order, seed: UInt64, rounds: Rounds) {
        self.scenarios = scenarios
        self.order = order
        self.seed = seed
        self.rounds = rounds
        begin = MonotonicClock.nanoseconds()
        state.withLock { state in
            for _ in 0..<(rounds.areOpen ? 1 : rounds.count ?? 1) { addRound(to: &state) }
        }
    }

    /// All scenarios of all rounds that are there, in their order.
    var jobs: [Job] { state.withLock { $0.jobs } }

    /// How many there will be; nil when only the run will show.
    var total: Int? { rounds.areOpen ? nil : jobs.count }

    /// Takes the next scenario.
    ///
    /// - Parameter hasFailed: Asked before a round begins: whether a scenario did not pass.
    /// - Returns: Nil when there is none any more.
    func next(hasFailed: () -> Bool) -> Job? {
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
        // What the cast cannot play takes no time and never fails: its rounds would have no end.
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
