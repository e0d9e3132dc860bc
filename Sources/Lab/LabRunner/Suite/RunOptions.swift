internal import Foundation

/// What `lab run` was asked for.
public struct RunOptions: Sendable {
    /// Scenario files and directories; `-` stands for ``standardInput``.
    public var paths: [String]
    /// The text of the scenario from standard input; nil without one.
    public var standardInput: String?
    /// The lab file; nil looks for one.
    public var labFile: String?
    /// How many scenarios run at the same time, each in an instance of its own; by default one for each core.
    public var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// The seed of everything the lab draws; nil draws one.
    public var seed: UInt64?
    /// Values of `values:` that are given on the command line, by their names.
    public var settings: [String: String] = [:]
    /// The command line behind the program's name, for the record.
    public var arguments: [String] = []
    /// Only scenarios whose identifier or name contains this text, whatever its case.
    public var filter: String?
    /// Only scenarios with one of these tags; a tag with `!` before it excludes.
    public var tags: [String] = []
    /// Only scenarios that did not pass when they ran last.
    public var lastFailed = false
    /// Only so many scenarios, those that took longest when they ran last.
    public var slowest: Int?
    /// Only scenarios that no kept run has a result of.
    public var neverPlayed = false
    /// Only scenarios of which a file has changed since this commit of git.
    public var changedSince: String?
    /// Only this part of the scenarios.
    public var shard: Shard?
    /// What the shards are balanced by.
    public var durations: RecordedDurations?
    /// In which order the scenarios run.
    public var order = Order.suite
    /// How often each scenario runs, with the following seeds.
    public var rounds = Rounds()
    /// Stops after the first scenario that did not pass.
    public var failFast = false
    /// What happens to the instance of a scenario that did not pass.
    public var onFailure = FailureHandling.ends
    /// Where scenarios stop until a line comes from ``pauseInput``; one runs at a time then.
    public var pauses = PausePoints()
    /// Where the lines come from that let a stopped scenario go on.
    public var pauseInput: Int32 = 0
    /// How long steps, scenarios and the run may take.
    public var limits = TimeLimits()
    /// Reports to write.
    public var reports: [Report] = []
    /// How many run directories are kept, with that of this run.
    public var keptRuns = 10
    /// Where run directories go; nil means `.lab` beside the lab file.
    public var recordsDirectory: String?

    /// An order of scenarios.
    public enum Order: String, CaseIterable, Sendable {
        /// That of the paths and, in a directory, of the names.
        case suite
        /// One that the seed decides, to find scenarios that depend on each other.
        case random
    }

    /// A report in a file.
    public struct Report: Sendable, Equatable {
        /// The form of a report.
        public enum Format: String, CaseIterable, Sendable {
            /// XML for CI systems.
            case junit
            /// JSON for programs.
            case json
            /// The events of the run as they happen, a line of JSON each.
            case jsonl
            /// Lines of the Test Anything Protocol.
            case tap
            /// What GitLab shows at the lines of a merge request.
            case codequality
            /// The page for people, `index.html` in a directory.
            case html
        }

        /// The form.
        public var format: Format
        /// The file, of a page its directory; `-` stands for standard output.
        public var path: String

        /// Whether the report takes standard output, so that nothing else may be written there.
        public var isStandardOutput: Bool { ReportFile.descriptor(path) == 1 }

        /// A report in a file.
        public init(format: Format, path: String) {
            self.format = format
            self.path = path
        }
    }

    /// A run of some paths with the default settings.
    public init(paths: [String]) {
        self.paths = paths
    }
}
