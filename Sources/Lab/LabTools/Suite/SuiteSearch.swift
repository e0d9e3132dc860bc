// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// Finds the scenarios that a command line selects, and reports all errors in them and in the selection.
struct SuiteSearch {
    struct Found {
        /// The selected scenarios, in the order of the suite.
        var scenarios: [Scenario]
        /// The identifiers of the scenarios in all shards.
        var suite: [String]
        /// Absolute path of the lab file.
        var labFile: String
        /// Paths of all files that were read.
        var inputs: [String]
        /// Why the selection may be empty.
        var emptiness: String
    }

    /// More would scroll the first one away, which is often the cause of the others.
    private static let shownMistakes = 50

    let options: RunOptions
    let environment: [String: String]
    /// Only scenarios affected by these.
    var changes: ChangedFiles?
    /// Whether to report, beside the errors, what does not prevent a run: a capture that is never used.
    var reportsWarnings = false
    /// Takes lines for the output of a CI system.
    let print: (String) -> Void
    /// Takes diagnostics, for standard error.
    let writeErrors: (String) -> Void

    /// Reads everything and selects. Nil after an error; nothing may start then.
    func find() -> Found? {
        do {
            return try find(recorded: RecordedSelection(options))
        } catch {
            complain("error: \(error)\n")
            return nil
        }
    }

    private func find(recorded: RecordedSelection?) throws -> Found? {
        let paths = options.paths.isEmpty ? recorded?.paths ?? [] : options.paths
        let emptiness = recorded?.emptiness ?? "nothing has changed"
        if let recorded, paths.isEmpty {
            return Found(
                scenarios: [], suite: [], labFile: recorded.labFile, inputs: [recorded.labFile], emptiness: emptiness)
        }
        let missing = SuiteReader.missing(
            among: paths.filter { $0 != SuiteReader.standardInput || options.standardInput == nil })
        guard missing.isEmpty else {
            for path in missing { complain("error: there is no such file or directory: \(path)\n") }
            return nil
        }
        let suite = SuiteReader(
            labPath: options.labFile, environment: environment, settings: options.settings,
            standardInput: options.standardInput
        ).read(paths)
        guard suite.diagnostics.isEmpty, let labFile = suite.labFile else {
            let renderer = DiagnosticRenderer(secrets: suite.secrets)
            complain(renderer.render(Array(suite.diagnostics.prefix(Self.shownMistakes))))
            let rest = suite.diagnostics.count - Self.shownMistakes
            if rest > 0 { complain("\nand \(rest) more\n") }
            let count = suite.diagnostics.count
            complain("\nnothing was run: \(count) \(count == 1 ? "mistake" : "mistakes")\n")
            if let annotations = GitHubAnnotations(environment: environment) {
                print(annotations.lines(suite.diagnostics).withVisibleControls)
            }
            return nil
        }
        if reportsWarnings { complain(DiagnosticRenderer(secrets: suite.secrets).render(suite.warnings)) }
        let given = ExternalValues(settings: options.settings, environment: environment)
        if let mistake = given.mistake(declared: suite.values) {
            complain("error: \(mistake)\n")
            return nil
        }
        for note in suite.notes + given.notes(declared: suite.values) { complain("note: \(note)\n") }
        let selection = try Selection(filter: options.filter, tags: options.tags)
        if let complaint = complaint(about: selection, of: suite.scenarios, labFile: labFile.file.path) {
            complain(complaint + "\n")
            return nil
        }
        // An empty selection by words is an error; an empty one by records, changes or a shard is not.
        let path = Files.absolute(labFile.file.path)
        var scenarios = suite.scenarios.filter(selection.contains)
        if let recorded { scenarios = scenarios.filter { recorded.contains($0.id) } }
        if let reference = options.changedSince {
            let changes = try ChangedFiles(since: reference, in: Files.directory(of: path))
            scenarios = scenarios.filter { changes.concern($0, labFile: path) }
        }
        if let changes { scenarios = scenarios.filter { changes.concern($0, labFile: path) } }
        let ids = scenarios.map(\.id)
        if let shard = options.shard {
            let part = shard.part(of: ids, by: options.durations)
            scenarios = scenarios.filter { part.contains($0.id) }
        }
        return Found(scenarios: scenarios, suite: ids, labFile: path, inputs: suite.inputs, emptiness: emptiness)
    }

    /// Why a selection by words is an error. Within a selection by records, a word used in the project may match
    /// nothing.
    private func complaint(about selection: Selection, of scenarios: [Scenario], labFile: String) -> String? {
        guard options.paths.isEmpty else { return selection.complaint(about: scenarios) }
        if scenarios.contains(where: selection.contains) { return nil }
        let project = SuiteReader(labPath: options.labFile, environment: environment, settings: options.settings)
            .read([Files.directory(of: Files.absolute(labFile))])
        return selection.complaint(about: project.scenarios)
    }

    private func complain(_ text: String) { writeErrors(text.withVisibleControls) }
}
