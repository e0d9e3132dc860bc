// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabFile
import LabSystem

/// Finds and reads all scenarios of a run, before anything starts.
public struct SuiteReader {
    /// The result of reading.
    public struct Outcome: Sendable {
        /// The lab file in use.
        public var labFile: NamedTopologies?
        /// Every scenario of every file, in the order of the paths.
        public var scenarios: [Scenario] = []
        /// The names that the scenarios declare in `values:`.
        public var values: Set<String> = []
        /// All errors in all files.
        public var diagnostics: [Diagnostic] = []
        /// Warnings, which do not prevent a run.
        public var warnings: [Diagnostic] = []
        /// Places that are masked in output.
        public var secrets = SecretRanges()
        /// Paths of all files that were read, including those in directories that turned out not to be scenarios.
        public var inputs: [String] = []
        /// Skipped files that may have been meant to run, one sentence each.
        public var notes: [String] = []

        package init(
            labFile: NamedTopologies? = nil, scenarios: [Scenario] = [], values: Set<String> = [],
            diagnostics: [Diagnostic] = [], warnings: [Diagnostic] = [], secrets: SecretRanges = SecretRanges(),
            inputs: [String] = [], notes: [String] = []
        ) {
            self.labFile = labFile
            self.scenarios = scenarios
            self.values = values
            self.diagnostics = diagnostics
            self.warnings = warnings
            self.secrets = secrets
            self.inputs = inputs
            self.notes = notes
        }
    }

    private let labPath: String?
    private let environment: [String: String]
    private let settings: [String: String]
    private let standardInput: String?

    /// The path that stands for standard input.
    public static let standardInput = "-"

    /// A reader.
    /// - Parameters:
    ///   - labPath: The lab file; nil searches for `lab.yaml` upwards from the first path.
    ///   - environment: Environment variables: those that scenarios may name, and `LAB_VAR_name`.
    ///   - settings: The values of `--set`.
    ///   - standardInput: The scenario for the path `-`; nil makes it the name of a file.
    public init(
        labPath: String?, environment: [String: String] = ProcessInfo.processInfo.environment,
        settings: [String: String] = [:], standardInput: String? = nil
    ) {
        self.labPath = labPath
        self.environment = environment
        self.settings = settings
        self.standardInput = standardInput
    }

    /// Reads everything.
    /// - Parameter paths: Scenario files, or directories to search for them.
    public func read(_ paths: [String]) -> Outcome {
        var outcome = Outcome()
        guard let labFile = readLabFile(near: paths.first ?? ".", into: &outcome) else { return outcome }
        outcome.labFile = labFile
        outcome.inputs.append(labFile.file.path)
        let root = Files.directory(of: Files.absolute(labFile.file.path))
        var seen: Set<String> = []
        var ids: Set<String> = []
        var search = ScenarioFiles()
        var included: Set<String> = []
        var groups: [String] = []
        for path in paths.map(ScenarioPath.init) {
            // Two rows of one file are two selections.
            for file in search.files(at: path.file) where seen.insert(Files.absolute(file) + path.suffix).inserted {
                let given = file == Self.standardInput ? standardInput : nil
                switch given.map({ .success(SourceFile(path: file, text: $0)) }) ?? SourceFile.read(file) {
                case .failure(let diagnostic): outcome.diagnostics.append(diagnostic)
                case .success(let source):
                    // Standard input is not a file that a report could overwrite.
                    if given == nil { outcome.inputs.append(file) }
                    if file != path.file, ScenarioReader.isIncludedFile(source) {
                        groups.append(file)
                        continue
                    }
                    let read = ScenarioReader.read(
                        source, id: ScenarioPath.path(of: file, below: root) ?? file, labFile: labFile,
                        environment: environment, settings: settings)
                    included.formUnion(read.scenarios.flatMap(\.includes))
                    let scenarios = read.scenarios.filter { path.row == nil || $0.row == path.row }
                    if scenarios.isEmpty, !read.scenarios.isEmpty, let row = path.row {
                        outcome.diagnostics.append(
                            Diagnostic(
                                .unknownName(what: "row", name: row, known: read.scenarios.compactMap(\.row)),
                                at: SourcePlace(.start, in: source)))
                    }
                    // A row named beside its whole file is not run twice.
                    outcome.scenarios += scenarios.filter { ids.insert($0.id).inserted }
                    outcome.values.formUnion(read.values)
                    // Scenarios that include the same file report its errors once.
                    outcome.diagnostics += read.diagnostics.filter { new in
                        !outcome.diagnostics.contains { $0.isSame(as: new) }
                    }
                    outcome.warnings += read.warnings.filter { new in
                        !outcome.warnings.contains { $0.isSame(as: new) }
                    }
                    outcome.secrets.formUnion(read.secrets)
                }
            }
        }
        let forgotten = groups.filter { !included.contains(IncludedFiles.identity(of: $0)) }
        outcome.notes =
            search.notes + forgotten.map { "\($0) was not run: it has no `name`, and no scenario here includes it" }
        return outcome
    }

    /// The paths without a file or directory.
    ///
    /// Checked before the search for a lab file, whose error would name another place than the user did.
    package static func missing(among paths: [String]) -> [String] {
        paths.filter { access(ScenarioPath($0).file, F_OK) != 0 && [ENOENT, ENOTDIR].contains(errno) }
    }

    /// Reads only the lab file.
    public func readLabFile(near path: String) -> Outcome {
        var outcome = Outcome()
        outcome.labFile = readLabFile(near: path, into: &outcome)
        return outcome
    }

    private func readLabFile(near path: String, into outcome: inout Outcome) -> NamedTopologies? {
        guard let found = labPath ?? Self.findLabFile(near: path) else {
            let missing = SourceFile(path: "lab.yaml", text: "")
            outcome.diagnostics.append(Diagnostic(.missingLabFile(near: path), at: SourcePlace(.start, in: missing)))
            return nil
        }
        switch SourceFile.read(found) {
        case .failure(let diagnostic):
            outcome.diagnostics.append(diagnostic)
            return nil
        case .success(let file):
            let collector = DiagnosticCollector()
            let labFile = NamedTopologies.read(file, reporting: collector)
            outcome.diagnostics += collector.diagnostics
            return collector.isEmpty ? labFile : nil
        }
    }

    /// The nearest `lab.yaml` at a path or above it.
    public static func findLabFile(near path: String) -> String? {
        var directory = Files.absolute(path)
        while true {
            let candidate = (directory as NSString).appendingPathComponent("lab.yaml")
            if FileManager.default.fileExists(atPath: candidate) { return ScenarioPath.shortened(candidate) }
            if directory == "/" { return nil }
            directory = Files.directory(of: directory)
        }
    }
}
