// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
package import ScenarioLanguage

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
    /// Another remark on the result: why the topology could not play it, that a quarantine should be removed, or how many
    /// orders of its block were played.
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

    package init(
        id: String, name: String, tags: [String], file: String, topology: String, verdict: Verdict,
        quarantine: String? = nil, remark: String? = nil, round: Int, seed: UInt64, seconds: Double, commands: Int,
        failures: [StepFailure], skipped: [SkippedStep]? = nil, overheads: [UInt64] = [], launches: [String: UInt64],
        replay: String, directory: String
    ) {
        self.id = id
        self.name = name
        self.tags = tags
        self.file = file
        self.topology = topology
        self.verdict = verdict
        self.quarantine = quarantine
        self.remark = remark
        self.round = round
        self.seed = seed
        self.seconds = seconds
        self.commands = commands
        self.failures = failures
        self.skipped = skipped
        self.overheads = overheads
        self.launches = launches
        self.replay = replay
        self.directory = directory
    }

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
    package var leadingFailure: StepFailure? { leadingFailureIndex.map { failures[$0] } }

    /// Its index in ``failures``.
    package var leadingFailureIndex: Int? { failures.firstIndex { $0.place != nil } ?? failures.indices.first }

    /// The place that reports refer to: the first failing step, else the first line of the scenario.
    package var place: ReportedPlace { leadingFailure?.place ?? ReportedPlace(file: file, line: 1, column: 1) }

    /// The place for reports that mark lines: the first expectation that did not hold, else ``place``.
    package var markedPlace: ReportedPlace { leadingFailure?.differences.first?.place ?? place }
}

/// A step that was skipped, because its `when` did not hold.
public struct SkippedStep: Codable, Sendable {
    /// Number of the step, `3.1`.
    public var step: String
    /// Short form of the step.
    public var title: String
    /// Where the step is written.
    public var place: ReportedPlace
    /// The reason of the first time, in a sentence.
    public var reason: String
    /// Number of times it was skipped: in the rounds of a block more than once.
    public var times: Int

    /// The step with each text that may show a secret transformed.
    package func withTexts(_ changed: (String) -> String) -> SkippedStep {
        SkippedStep(step: step, title: changed(title), place: place, reason: changed(reason), times: times)
    }
}

/// A result in the reports of other tools, which have neither inconclusive verdicts nor quarantine.
package enum ReportedOutcome: Equatable {
    case passed
    /// A mismatch.
    case failed
    /// Inconclusive.
    case error
    /// Not counted, for a reason.
    case skipped(String)
}

extension ScenarioResult {
    /// The result in the reports of other tools.
    package var outcome: ReportedOutcome {
        if verdict == .passed { return .passed }
        // Every result that counts against the run is red in every report, even one that was not played: a build server
        // sees only that.
        if isHeldAgainstRun { return verdict == .failed ? .failed : .error }
        if let quarantine, verdict != .notRun { return .skipped("quarantined: \(quarantine)") }
        return .skipped(remark ?? "not run")
    }
}

extension [ScenarioResult] {
    package func count(_ outcome: ReportedOutcome) -> Int { count { $0.outcome == outcome } }

    /// The results that are not counted.
    package var skipped: Int { count { if case .skipped = $0.outcome { true } else { false } } }
}

// Results of scenarios that were not played.
extension ScenarioResult {
    /// The result of a scenario that could not be started.
    package init(
        unstarted scenario: Scenario, because reason: String, seed: UInt64, labOption: String?, directory: String
    ) {
        self.init(notRun: scenario, id: scenario.id, round: 1, seed: seed, labOption: labOption)
        verdict = .inconclusive
        failures = [StepFailure(verdict: .inconclusive, reason: reason, replay: replay)]
        self.directory = directory
    }

    /// The result of a scenario that was not reached.
    package init(notRun scenario: Scenario, id: String, round: Int, seed: UInt64, labOption: String?) {
        self.init(
            id: id, name: scenario.name, tags: scenario.tags, file: scenario.file.path,
            topology: scenario.topology.name, verdict: .notRun, quarantine: scenario.standing.quarantine,
            remark: scenario.obstacle, round: round,
            seed: seed, seconds: 0, commands: 0, failures: [], overheads: [], launches: [:],
            replay: scenario.replay(seed: seed, labOption: labOption), directory: "")
    }
}
