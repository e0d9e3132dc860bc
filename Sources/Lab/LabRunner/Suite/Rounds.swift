public import LabKit

/// How often the scenarios of a run are played: round by round, each with the next seed.
public struct Rounds: Sendable, Equatable {
    /// Maximum number of rounds; nil for no limit.
    let count: Int?
    /// Real time after which no round begins.
    let duration: LabDuration?
    /// Whether no round begins after a failure.
    let endAtFailure: Bool

    /// Whether the number of rounds is known only during the run.
    var areOpen: Bool { duration != nil || endAtFailure }

    /// The rounds requested by the options of `lab run`; without options, a single round.
    ///
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
    public init() {
        (count, duration, endAtFailure) = (1, nil, false)
    }
}
