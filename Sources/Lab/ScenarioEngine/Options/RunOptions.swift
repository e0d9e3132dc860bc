// SPDX-License-Identifier: Apache-2.0

import Foundation
public import ScenarioLanguage

/// The options of `lab run`.
public struct RunOptions: Sendable {
    /// Scenario files and directories; `-` stands for ``standardInput``.
    public var paths: [String]
    /// The text of the scenario from standard input; nil without one.
    public var standardInput: String?
    /// The lab file; nil searches for one.
    public var labFile: String?
    /// Number of scenarios that run at the same time, each in an instance of its own; by default one per core.
    public var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// The seed of all random values; nil for a random one.
    public var seed: UInt64?
    /// Values of `values:` given on the command line, by name.
    public var settings: [String: String] = [:]
    /// The arguments of the command line, for the record.
    public var arguments: [String] = []
    /// Only scenarios whose identifier or name contains this text, ignoring case.
    public var filter: String?
    /// Only scenarios with one of these tags; a tag with `!` before it excludes.
    public var tags: [String] = []
    /// Only scenarios that did not pass in their last run.
    public var lastFailed = false
    /// Only this number of scenarios, those that took longest in their last run.
    public var slowest: Int?
    /// Only scenarios without a result in any kept run.
    public var neverPlayed = false
    /// Only scenarios with a file changed since this git commit.
    public var changedSince: String?
    /// Only this part of the scenarios.
    public var shard: Shard?
    /// The durations for balancing the shards.
    public var durations: RecordedDurations?
    /// The order of the scenarios.
    public var order = Order.suite
    /// Number of rounds per scenario, with consecutive seeds.
    public var rounds = Rounds()
    /// Stops after the first scenario that did not pass.
    public var failFast = false
    /// What happens to the instance of a scenario that did not pass.
    public var onFailure = FailureHandling.ends
    /// Where scenarios stop until a line arrives from ``pauseInput``; they then run one at a time.
    public var pauses = PausePoints()
    /// The input whose lines continue a stopped scenario.
    public var pauseInput: Int32 = 0
    /// Time limits of steps, scenarios and the run.
    public var limits = TimeLimits()
    /// Reports to write.
    public var reports: [Report] = []
    /// Number of run directories kept, including that of this run.
    public var keptRuns = 10
    /// The directory of run directories; nil means `.lab` beside the lab file.
    public var recordsDirectory: String?

    /// An order of scenarios.
    public enum Order: String, CaseIterable, Sendable {
        /// That of the paths and, in a directory, of the names.
        case suite
        /// A random one that depends on the seed, to find scenarios that depend on each other.
        case random
    }

    /// A report in a file.
    public struct Report: Sendable, Equatable {
        /// The format of a report.
        public enum Format: String, CaseIterable, Sendable {
            /// XML for CI systems.
            case junit
            /// JSON for programs.
            case json
            /// The events of the run as they happen, one line of JSON each.
            case jsonl
            /// Lines of the Test Anything Protocol.
            case tap
            /// For GitLab, which shows it at the lines of a merge request.
            case codequality
            /// The page for people, `index.html` in a directory.
            case html
        }

        /// The format.
        public var format: Format
        /// The file, or the directory of a page; `-` stands for standard output.
        public var path: String

        /// Whether the report goes to standard output, so that nothing else may be written there.
        public var isStandardOutput: Bool { descriptor == 1 }

        /// The descriptor of this process that the path means; nil for a path of a file.
        package var descriptor: Int32? {
            switch path {
            case "-", "/dev/stdout": return 1
            case "/dev/stderr": return 2
            default:
                for prefix in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(prefix) {
                    return Int32(path.dropFirst(prefix.count))
                }
                return nil
            }
        }

        /// A report in a file.
        public init(format: Format, path: String) {
            self.format = format
            self.path = path
        }
    }

    /// A run of some paths with the default settings.
    public init(paths: [String]) { self.paths = paths }
}

/// The exit codes of the lab's programs.
public enum RunOutcome: Int32, CaseIterable, Sendable {
    /// Everything passed.
    case passed = 0
    /// Something was not as expected.
    case failed = 1
    /// The command line or a file is wrong; nothing ran.
    case badInput = 2
    /// The lab failed, or a verdict is inconclusive.
    case inconclusive = 3
    /// Stopped by Ctrl-C or SIGTERM.
    case interrupted = 130

    /// The outcome of a run's results: the worst of those that count against it.
    package init(_ results: [ScenarioResult]) {
        switch results.filter(\.isHeldAgainstRun).map(\.verdict).max() {
        case nil, .passed: self = .passed
        case .failed: self = .failed
        case .inconclusive, .notRun: self = .inconclusive
        }
    }
}
