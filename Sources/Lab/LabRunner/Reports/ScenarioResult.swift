/// The verdict of a scenario's run.
public enum Verdict: String, CaseIterable, Codable, Comparable, Sendable {
    /// Everything was as expected.
    case passed
    /// The run ended before the scenario started.
    case notRun
    /// The lab, or a check, could not decide. Never counted as passed.
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

    /// A better verdict is less.
    public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }
}

/// All facts for the reports about one scenario; every renderer prints this and nothing else, and it contains no
/// secret.
public struct ScenarioResult: Codable, Sendable {
    /// Stable identifier, relative to the lab file; in later rounds of `--repeat` with the round, `a.yaml~2`.
    public var id: String
    /// The title.
    public var name: String
    /// Tags for selection.
    public var tags: [String]
    /// The scenario's file, as named on the command line or found in a directory.
    public var file: String
    /// Name of the topology.
    public var topology: String
    /// The verdict.
    public var verdict: Verdict
    /// The reason of a known failure.
    public var quarantine: String?
    /// Another remark on the result: why the topology could not play it, or that a quarantine should be removed.
    public var remark: String?
    /// The round of `--repeat`, from 1.
    public var round: Int
    /// The seed of this round.
    public var seed: UInt64
    /// Wall time from the creation of the instance to its removal, in seconds.
    public var seconds: Double
    /// Number of commands carried out.
    public var commands: Int
    /// The failures, in the order of time.
    public var failures: [StepFailure]
    /// Steps that were skipped because their `when` did not hold; nil for no steps.
    public var skipped: [SkippedStep]?
    /// Time that the runner added to each command beside the peer's own work, in nanoseconds. Summed up on the terminal
    /// and left out of files.
    public var overheads: [UInt64] = []
    /// Time from spawning a peer to its first answer, in nanoseconds.
    public var launches: [String: UInt64]
    /// The command that repeats the run.
    public var replay: String
    /// The directory of history, traces and logs.
    public var directory: String

    private enum CodingKeys: String, CodingKey {
        case id, name, tags, file, topology, round, seed, verdict, quarantine, remark, seconds, commands, failures,
            skipped, launches
        case replay, directory
    }

    /// The identifier of the scenario, the same in every round.
    public var scenario: String { round == 1 ? id : String(id.dropLast("~\(round)".count)) }

    /// Whether the result counts against the run.
    public var isHeldAgainstRun: Bool {
        let isSkipped = verdict == .notRun && remark != nil
        return verdict != .passed && quarantine == nil && !isSkipped
    }

    /// The failure in short reports: the first one of a step, else the first of the scenario as a whole.
    var leadingFailure: StepFailure? { leadingFailureIndex.map { failures[$0] } }

    /// Its index in ``failures``.
    var leadingFailureIndex: Int? { failures.firstIndex { !$0.place.isEmpty } ?? failures.indices.first }

    /// The place that reports refer to: the first failing step, else the first line of the scenario.
    var place: ReportedPlace {
        leadingFailure.flatMap { ReportedPlace($0.place) } ?? ReportedPlace(file: file, line: 1, column: 1)
    }
}

/// A step that was skipped, because its `when` did not hold.
public struct SkippedStep: Codable, Sendable {
    /// Number of the step, `3.1`.
    public var step: String
    /// Short form of the step.
    public var title: String
    /// `file:line:column`.
    public var place: String
    /// The reason of the first time, in a sentence.
    public var reason: String
    /// Number of times it was skipped: in the rounds of a block more than once.
    public var times: Int
}

/// One failure, explained.
public struct StepFailure: Codable, Sendable {
    /// Whether it is a failure or makes the verdict inconclusive.
    public var verdict: Verdict
    /// Number of the step, `3.1`; empty for the scenario as a whole.
    public var step: String
    /// Short form of the step.
    public var title: String
    /// The step in a sentence: its note, else the meaning of its command; nil for a word of the language without a
    /// note.
    public var sentence: String?
    /// `file:line:column`; empty for the scenario as a whole.
    public var place: String
    /// `file:line:column` of each `include` around the step, the innermost first.
    public var includedAt: [String] = []
    /// The place of the row of a table-driven scenario, and its values; nil for a scenario without a table.
    public var row: String?
    /// The step as written.
    public var source: String
    /// The failure, in a sentence.
    public var reason: String
    /// The expected and the actual values.
    public var differences: [Difference]
    /// The details of an unexpected error beside its message: the members of its `userInfo`, one per line.
    public var details: [String] = []
    /// The causes, as far as the processes have recorded them; a sentence each.
    public var causes: [String] = []
    /// The events that the step caused in all processes, with the time since it began.
    public var events: [String] = []
    /// The last events of the peer's trace, if the step itself caused none.
    public var trace: [String]
    /// The name of an unexpected error that `lab explain` covers.
    public var explain: String?
    /// The command that shows the state shared by apps when the step failed; nil if that explains nothing.
    public var sharing: String?
    /// The command that shows the state of the links when the step failed; nil if that explains nothing.
    public var link: String?
    /// The last kept run in which the scenario passed; only for the failure in short reports.
    public var passed: EarlierPass?
    /// The actor of the step, or the process of the awaited event; in no report.
    var actor: String? = nil
    /// The command that repeats the run.
    public var replay: String

    private enum CodingKeys: String, CodingKey {
        case verdict, step, title, sentence, place, includedAt, row, source, reason, differences, details
        case causes, events, trace, explain, sharing, link, passed, replay
    }

    /// The failure with each of its texts transformed. Places and suggested commands consist of texts of the lab and
    /// its command line, and stay unchanged.
    func withTexts(_ changed: (String) -> String) -> StepFailure {
        var failure = self
        failure.title = changed(title)
        failure.sentence = sentence.map(changed)
        failure.row = row.map(changed)
        failure.source = changed(source)
        failure.reason = changed(reason)
        failure.differences = differences.map { difference in
            Difference(
                path: changed(difference.path), expected: changed(difference.expected),
                actual: changed(difference.actual), place: difference.place, hint: difference.hint.map(changed),
                excerpt: changed(difference.excerpt))
        }
        failure.details = details.map(changed)
        failure.causes = causes.map(changed)
        failure.events = events.map(changed)
        failure.trace = trace.map(changed)
        return failure
    }

    /// The step and its failure.
    var headline: String { title.isEmpty ? reason : "\(title): \(reason)" }
}

/// A kept run in which a scenario passed that now fails.
public struct EarlierPass: Codable, Sendable, Equatable {
    /// Its identifier.
    public var run: String
    /// The command that compares the two runs.
    public var comparison: String
}

/// One difference between the expected and the actual value.
public struct Difference: Codable, Sendable {
    /// The path in the value; empty for the value itself.
    public var path: String
    /// The expected value.
    public var expected: String
    /// The actual value.
    public var actual: String
    /// The place of the expectation.
    public var place: String
    /// What both values have in common, if that explains the difference.
    public var hint: String?
    /// The line of the expectation with a caret.
    public var excerpt: String
}
