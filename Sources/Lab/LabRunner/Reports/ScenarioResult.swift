/// What a scenario's run showed.
public enum Verdict: String, CaseIterable, Codable, Comparable, Sendable {
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
    /// The scenario's file, as it was named on the command line or found in a directory.
    public var file: String
    /// Name of the topology.
    public var topology: String
    /// The verdict.
    public var verdict: Verdict
    /// Why the scenario is known not to pass.
    public var quarantine: String?
    /// What else is to be said of the result: why the cast could not play it, or that a quarantine should go.
    public var remark: String?
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
    /// Steps that were skipped because their `when` did not hold; nil when there are none.
    public var skipped: [SkippedStep]?
    /// Time the runner added to each command beside the peer's own work, in nanoseconds.
    /// They are summed up on the terminal and left out of files.
    public var overheads: [UInt64] = []
    /// Time from spawning a peer to its first answer, in nanoseconds.
    public var launches: [String: UInt64]
    /// The command that runs the same again.
    public var replay: String
    /// Where history, traces and logs are.
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

    /// The failure that short reports show: the first one of a step, else the first of the scenario as a whole.
    var leadingFailure: StepFailure? { leadingFailureIndex.map { failures[$0] } }

    /// Where it is among ``failures``.
    var leadingFailureIndex: Int? { failures.firstIndex { !$0.place.isEmpty } ?? failures.indices.first }

    /// Where reports lead their readers: the first failing step, else the first line of the scenario.
    var place: ReportedPlace {
        leadingFailure.flatMap { ReportedPlace($0.place) } ?? ReportedPlace(file: file, line: 1, column: 1)
    }
}

/// A step that was not carried out, because its `when` did not hold.
public struct SkippedStep: Codable, Sendable {
    /// Number of the step, `3.1`.
    public var step: String
    /// Short form of the step.
    public var title: String
    /// `file:line:column`.
    public var place: String
    /// Why, in a sentence; that of the first time.
    public var reason: String
    /// How often it was skipped: in the rounds of a block more than once.
    public var times: Int
}

/// One thing that went wrong, explained.
public struct StepFailure: Codable, Sendable {
    /// Whether it is a failure or leaves the verdict open.
    public var verdict: Verdict
    /// Number of the step, `3.1`; empty for the scenario as a whole.
    public var step: String
    /// Short form of the step.
    public var title: String
    /// The step in a sentence: its note, else what its command does; nil for a word of the language without a note.
    public var sentence: String?
    /// `file:line:column`; empty for the scenario as a whole.
    public var place: String
    /// `file:line:column` of each `include` around the step, the innermost first.
    public var includedAt: [String] = []
    /// Where the row of a table-driven scenario stands, and its values; nil for a scenario without a table.
    public var row: String?
    /// The step as it was written.
    public var source: String
    /// What is wrong, in a sentence.
    public var reason: String
    /// What was expected and what was there.
    public var differences: [Difference]
    /// What an unexpected error carries beside its message: the members of its `userInfo`, one a line.
    public var details: [String] = []
    /// Why it went wrong, as far as the processes have recorded it; a sentence each.
    public var causes: [String] = []
    /// What happened in all processes because of the step, with the time since it began.
    public var events: [String] = []
    /// The last events of the peer's trace, when the step itself caused none.
    public var trace: [String]
    /// The name of an unexpected error that `lab explain` knows.
    public var explain: String?
    /// The command that shows what apps shared when the step failed; nil when that explains nothing.
    public var sharing: String?
    /// The command that shows how the links were when the step failed; nil when that explains nothing.
    public var link: String?
    /// The kept run that passed the scenario last; only of the failure that short reports show.
    public var passed: EarlierPass?
    /// Who was to carry the step out, or whose event was awaited; in no report.
    var actor: String? = nil
    /// The command that runs the same again.
    public var replay: String

    private enum CodingKeys: String, CodingKey {
        case verdict, step, title, sentence, place, includedAt, row, source, reason, differences, details
        case causes, events, trace, explain, sharing, link, passed, replay
    }

    /// The failure with each of its texts changed. Places, and the commands to look further with, consist of what the lab
    /// and its command line say, and stay.
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

    /// The step and what is wrong with it.
    var headline: String { title.isEmpty ? reason : "\(title): \(reason)" }
}

/// A kept run in which a scenario passed that now does not.
public struct EarlierPass: Codable, Sendable, Equatable {
    /// Its identifier.
    public var run: String
    /// The command that compares both.
    public var comparison: String
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
    /// What both have in common, where that explains the difference.
    public var hint: String?
    /// The line of the expectation with a caret.
    public var excerpt: String
}
