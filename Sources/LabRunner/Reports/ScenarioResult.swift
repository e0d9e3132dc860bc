/// What a scenario's run showed.
public enum Verdict: String, Codable, Comparable, Sendable {
    /// Everything was as expected.
    case passed
    /// The run ended before the scenario's turn.
    case notRun
    /// The lab, or a check, could not tell. Never counted as passed.
    case inconclusive
    /// Something was not as expected.
    case failed

    private var rank: Int {
        switch self {
        case .passed: 0
        case .notRun: 1
        case .inconclusive: 2
        case .failed: 3
        }
    }

    /// Better is less.
    public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }
}

/// Everything a report says about one scenario; every renderer prints this and nothing else, and no
/// secret is in it.
public struct ScenarioResult: Codable, Sendable {
    /// Stable identifier, relative to the lab file; in later rounds of `--repeat` with the round, `a.yaml~2`.
    public var id: String
    /// The title.
    public var name: String
    /// Words to select by.
    public var tags: [String]
    /// The verdict.
    public var verdict: Verdict
    /// Why the scenario is known not to pass.
    public var quarantine: String?
    /// The round of `--repeat`, from 1.
    public var round: Int
    /// The seed of this round.
    public var seed: UInt64
    /// Wall time from the creation of the instance to its removal, in seconds.
    public var seconds: Double
    /// Commands that were carried out.
    public var commands: Int
    /// What went wrong, in the order of time.
    public var failures: [StepFailure]
    /// Time the runner added to each command beside the peer's own work, in nanoseconds.
    /// They are summed up on the terminal and left out of files.
    public var overheads: [UInt64] = []
    /// Time from spawning a peer to its first answer, in nanoseconds.
    public var launches: [String: UInt64]
    /// Where history, traces and logs are.
    public var directory: String

    private enum CodingKeys: String, CodingKey {
        case id, name, tags, verdict, quarantine, round, seed, seconds, commands, failures, launches, directory
    }

    /// The identifier of the scenario, the same in every round.
    public var scenario: String { round == 1 ? id : String(id.dropLast("~\(round)".count)) }

    /// Whether the result counts against the run.
    public var isHeldAgainstRun: Bool { verdict != .passed && quarantine == nil }
}

/// One thing that went wrong, explained.
public struct StepFailure: Codable, Sendable {
    /// Whether it is a failure or leaves the verdict open.
    public var verdict: Verdict
    /// Number of the step, `3.1`; empty for the scenario as a whole.
    public var step: String
    /// Short form of the step.
    public var title: String
    /// `file:line:column`; empty for the scenario as a whole.
    public var place: String
    /// The step as it was written.
    public var source: String
    /// What is wrong, in a sentence.
    public var reason: String
    /// What was expected and what was there.
    public var differences: [Difference]
    /// The last events of the peer's trace.
    public var trace: [String]
    /// The command that runs the same again.
    public var replay: String
}

/// One difference between what was expected and what was there.
public struct Difference: Codable, Sendable {
    /// Where in the value; empty for the value itself.
    public var path: String
    /// What was expected.
    public var expected: String
    /// What was there.
    public var actual: String
    /// Where the expectation was written.
    public var place: String
    /// The line of the expectation with a caret.
    public var excerpt: String
}
