// SPDX-License-Identifier: Apache-2.0

package import LabFile

/// One failure, explained.
public struct StepFailure: Codable, Sendable {
    /// Whether it is a failure or makes the verdict inconclusive.
    public var verdict: Verdict
    /// Number of the step, `3.1`; empty for the scenario as a whole.
    public var step = ""
    /// Short form of the step; empty for the scenario as a whole.
    public var title = ""
    /// The step in a sentence: its note, else the meaning of its command; nil for a word of the language without a
    /// note.
    public var sentence: String?
    /// Where the step is written; nil for the scenario as a whole.
    public var place: ReportedPlace?
    /// The place of each `include` around the step, the innermost first.
    public var includedAt: [ReportedPlace] = []
    /// The place of the row of a table-driven scenario, and its values; nil for a scenario without a table.
    public var row: String?
    /// The step as written; empty for the scenario as a whole.
    public var source = ""
    /// The failure, in a sentence.
    public var reason: String
    /// The expected and the actual values.
    public var differences: [Difference] = []
    /// The details of an unexpected error beside its message: the members of its `userInfo`, one per line.
    public var details: [String] = []
    /// The causes, as far as the processes have recorded them; a sentence each.
    public var causes: [String] = []
    /// The events that the step caused in all processes, with the time since it began.
    public var events: [String] = []
    /// The last events of the peer's trace, if the step itself caused none.
    public var trace: [String] = []
    /// The name of an unexpected error that `lab explain` covers.
    public var explain: String?
    /// The command that shows the state shared by apps when the step failed; nil if that explains nothing.
    public var sharing: String?
    /// The command that shows the state of the links when the step failed; nil if that explains nothing.
    public var link: String?
    /// The last kept run in which the scenario passed; only for the failure in short reports.
    public var passed: EarlierPass?
    /// The actor of the step, or the process of the awaited event; in no report.
    package var actor: String? = nil
    /// The command that repeats the run.
    public var replay: String

    package init(
        verdict: Verdict, step: String = "", title: String = "", sentence: String? = nil, place: ReportedPlace? = nil,
        includedAt: [ReportedPlace] = [], row: String? = nil, source: String = "", reason: String,
        differences: [Difference] = [], details: [String] = [], causes: [String] = [], events: [String] = [],
        trace: [String] = [], explain: String? = nil, sharing: String? = nil, link: String? = nil,
        passed: EarlierPass? = nil, actor: String? = nil, replay: String
    ) {
        self.verdict = verdict
        self.step = step
        self.title = title
        self.sentence = sentence
        self.place = place
        self.includedAt = includedAt
        self.row = row
        self.source = source
        self.reason = reason
        self.differences = differences
        self.details = details
        self.causes = causes
        self.events = events
        self.trace = trace
        self.explain = explain
        self.sharing = sharing
        self.link = link
        self.passed = passed
        self.actor = actor
        self.replay = replay
    }

    private enum CodingKeys: String, CodingKey {
        case verdict, step, title, sentence, place, includedAt, row, source, reason, differences, details
        case causes, events, trace, explain, sharing, link, passed, replay
    }

    /// The failure with each of its texts transformed. Places and suggested commands consist of texts of the lab and
    /// its command line, and stay unchanged.
    package func withTexts(_ changed: (String) -> String) -> StepFailure {
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
    package var headline: String { title.isEmpty ? reason : "\(title): \(reason)" }
}

/// A kept run in which a scenario passed that now fails.
public struct EarlierPass: Codable, Sendable, Equatable {
    /// Its identifier.
    public var run: String
    /// The command that compares the two runs.
    public var comparison: String

    package init(run: String, comparison: String) {
        self.run = run
        self.comparison = comparison
    }
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
    public var place: ReportedPlace
    /// What both values have in common, if that explains the difference.
    public var hint: String?
    /// The line of the expectation with a caret.
    public var excerpt: String

    /// What precedes a value in a line: the path and a colon; empty for the value itself.
    package var lead: String { path.isEmpty ? "" : "\(path): " }
}

/// A place in a file. Reports write it as `file:line:column`.
public struct ReportedPlace: RawRepresentable, Codable, Equatable, Sendable, CustomStringConvertible {
    /// The path, as the file was named or found.
    public let file: String
    /// From 1.
    public let line: Int
    /// From 1.
    public let column: Int

    /// A line and column of a file, from 1.
    public init(file: String, line: Int, column: Int) { (self.file, self.line, self.column) = (file, line, column) }

    /// The begin of a stretch.
    package init(_ place: SourcePlace) {
        let start = place.range.start
        self.init(file: place.file.path, line: start.line, column: start.column)
    }

    /// Reads a place in a report; nil for any other text.
    public init?(rawValue: String) {
        // The file's name may contain colons, too.
        let parts = rawValue.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1]) else {
            return nil
        }
        self.init(file: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
    }

    /// The text in reports.
    public var rawValue: String { "\(file):\(line):\(column)" }

    /// The text in reports.
    public var description: String { rawValue }
}

// A report has an empty text where a failure has no place. The synthesised coding of `StepFailure` calls these.
extension KeyedEncodingContainer {
    mutating func encodeIfPresent(_ place: ReportedPlace?, forKey key: Key) throws {
        try encode(place?.rawValue ?? "", forKey: key)
    }
}

extension KeyedDecodingContainer {
    func decodeIfPresent(_ type: ReportedPlace.Type, forKey key: Key) throws -> ReportedPlace? {
        try decode(String.self, forKey: key).isEmpty ? nil : decode(type, forKey: key)
    }
}
