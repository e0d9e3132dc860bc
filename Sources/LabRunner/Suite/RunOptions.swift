/// What `lab run` was asked for.
public struct RunOptions: Sendable {
    /// Scenario files and directories.
    public var paths: [String]
    /// The lab file; nil looks for one.
    public var labFile: String?
    /// How many scenarios run at the same time, each in an instance of its own.
    public var jobs = 1
    /// The seed of everything the lab draws; nil draws one.
    public var seed: UInt64?
    /// Only scenarios whose identifier or name contains this text, whatever its case.
    public var filter: String?
    /// Only scenarios with one of these tags; a tag with `!` before it excludes.
    public var tags: [String] = []
    /// How often each scenario runs, with the following seeds.
    public var repetitions = 1
    /// Stops after the first scenario that did not pass.
    public var failFast = false
    /// Reports to write.
    public var reports: [Report] = []
    /// Where run directories go; nil means `.lab` beside the lab file.
    public var recordsDirectory: String?

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
        }

        /// The form.
        public var format: Format
        /// The file; `-` stands for standard output.
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
