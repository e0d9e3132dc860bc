public import LabKit

/// How often the scenarios of a run are played: round by round, each with the next seed.
public struct Rounds: Sendable, Equatable {
    /// At most so many rounds; nil is no bound.
    let count: Int?
    /// No round begins after so much real time.
    let duration: LabDuration?
    /// No round begins after a scenario has not passed.
    let endAtFailure: Bool

    /// Whether it is known only while the run goes on how many rounds there are.
    var areOpen: Bool { duration != nil || endAtFailure }

    /// What the options of `lab run` ask for; without one, a single round.
    ///
    /// - Parameters:
    ///   - count: `--repeat`.
    ///   - duration: `--repeat-for`.
    ///   - endAtFailure: `--until-fail`.
    /// - Throws: ``BadUsage`` for what cannot be meant.
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
    public init() {
        (count, duration, endAtFailure) = (1, nil, false)
    }
}
