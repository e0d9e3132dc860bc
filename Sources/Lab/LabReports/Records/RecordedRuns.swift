// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
package import ScenarioEngine
import ScenarioLanguage

/// The recorded runs of a project.
public struct RecordedRuns {
    /// Absolute path of the directory that holds `runs`.
    private let records: String

    package init(records: String) { self.records = records }

    /// The records of a project.
    /// - Parameters:
    ///   - labFile: The project's lab file; nil searches for one.
    ///   - path: The directory where the search begins, upwards.
    /// - Throws: ``BadUsage`` if no lab file is found.
    public init(labFile: String? = nil, near path: String) throws {
        guard let labFile = labFile ?? SuiteReader.findLabFile(near: path) else {
            throw BadUsage(
                sentence:
                    "there is no lab.yaml here or in a folder above, and records lie beside it; go to the project's folder, or name the directory of a run"
            )
        }
        records = "\(Files.directory(of: Files.absolute(labFile)))/.lab"
    }

    /// The records that contain a run, which may belong to another project or to none.
    /// - Parameter name: Identifier or directory of the run; nil means the last run of the project here.
    /// - Throws: ``BadUsage`` for an identifier, or nil, outside of a project.
    public init(holding name: String?) throws {
        guard let name, name.contains("/") || name.hasPrefix("."), Files.isDirectory(name) else {
            self = try RecordedRuns(near: ".")
            return
        }
        self.init(records: Files.directory(of: Files.directory(of: Files.absolute(name))))
    }

    /// A run that has written its report.
    package struct Run {
        /// Absolute path of its directory.
        package let directory: String
        /// The name of its directory.
        package var id: String { Files.name(of: directory) }
        package let report: JSONReport
    }

    /// All runs that have written a report, newest first.
    /// - Throws: ``DamagedRecord`` for a modified report.
    package func all() throws -> [Run] {
        try RunDirectory.all(in: records).compactMap { run in
            try report(of: run).map { Run(directory: run, report: $0) }
        }
    }

    /// The report of the last run that has written one; nil if not found.
    package func lastReport() throws -> JSONReport? {
        for run in try RunDirectory.all(in: records) {
            if let report = try report(of: run) { return report }
        }
        return nil
    }

    /// The report of a run; nil if it has not written one.
    package func report(of run: String) throws -> JSONReport? {
        guard let data = try? Files.read("\(run)/\(JSONReport.fileName)") else { return nil }
        try RecordChecksums.verify(run, [JSONReport.fileName])
        // A report that is unmodified and unreadable comes from another version of the lab.
        return try? JSONDecoder().decode(JSONReport.self, from: data)
    }

    /// The results of the last run that has written a report; nil without one. For a run of one part of a suite, the
    /// results of the other parts are included, each from the last run that played it.
    func lastResults() throws -> [ScenarioResult]? {
        guard let last = try lastReport() else { return nil }
        guard let shard = last.shard else { return last.results }
        var parts: [Int: [ScenarioResult]] = [:]
        for case (let part?, let results) in try all().lazy.map({ ($0.report.shard, $0.report.results) })
        where part.count == shard.count && part.suite == shard.suite && parts[part.number] == nil {
            parts[part.number] = results
            if parts.count == shard.count { break }
        }
        let results = Dictionary(parts.values.joined().map { ($0.id, $0) }) { first, _ in first }
        return shard.suite.compactMap { results[$0] }
    }

    /// Whether a path means the scenario with an identifier.
    package func concerns(_ id: String, path: String) -> Bool {
        RunHistory.concerns(id, path: path, root: Files.directory(of: records))
    }

    /// The history of scenarios in all kept runs.
    /// - Parameter paths: Files and directories of scenarios; empty means all that were played.
    /// - Throws: ``BadUsage`` if no run is recorded, or a path is unknown.
    public func history(of paths: [String]) throws -> RunHistory {
        let runs = try all()
        guard !runs.isEmpty else { throw BadUsage(sentence: "no run is recorded in \(records)/runs") }
        return try RunHistory(runs).selected(by: paths, root: Files.directory(of: records))
    }

    /// The history of every scenario that the kept runs have played.
    package func history() throws -> RunHistory { RunHistory(try all()) }

    /// The directory of a run.
    /// - Parameter name: its identifier or directory; nil means the last run.
    /// - Throws: ``BadUsage`` if the run does not exist, ``DamagedRecord`` if it was modified.
    package func directory(of name: String?) throws -> String {
        let known = try RunDirectory.all(in: records)
        guard let name else {
            guard let last = known.first else { throw BadUsage(sentence: "no run is recorded in \(records)/runs") }
            try RecordChecksums.verify(last)
            return last
        }
        let run = name.contains("/") || name.hasPrefix(".") ? Files.absolute(name) : "\(records)/runs/\(name)"
        guard Files.exists("\(run)/\(JSONReport.fileName)") || known.contains(run) else {
            throw BadUsage(sentence: "there is no recorded run \(name); see \(records)/runs for all runs")
        }
        try RecordChecksums.verify(run)
        return run
    }

    /// Packs all records of a run into one file for sending. Secrets are masked in it already.
    /// - Parameters:
    ///   - name: The run's identifier or directory; nil means the last run.
    ///   - output: The file; nil names it after the run, in the current directory.
    /// - Returns: The file.
    /// - Throws: ``BadUsage`` if the run does not exist, ``LabFailure`` if it cannot be packed.
    public func bundle(_ name: String?, to output: String?, without redaction: BundleRedaction = .secrets) throws
        -> String
    {
        let run = try directory(of: name)
        // The name `latest` is a link.
        let target = IncludedFiles.identity(of: run)
        let file = output ?? "\(Files.name(of: target)).tar.gz"
        let bundle = RunBundle(run: target)
        switch redaction {
        case .secrets: try bundle.write(to: file)
        case .payloads: try bundle.writeWithoutPayloads(to: file)
        }
        return file
    }
}

/// The scenarios selected from the records of earlier runs: `--last-failed`, `--slowest` and `--new`.
package struct RecordedSelection {
    /// The lab file that was found.
    package let labFile: String
    /// The places of the selected scenarios, for a command line without paths; in the order of the last run.
    package let paths: [String]
    /// Why the selection may be empty.
    package let emptiness: String
    private let ids: Set<String>
    /// Whether the selection is inverted.
    private let areExcluded: Bool

    /// Reads the records of the project.
    /// - Returns: Nil if the options do not select by records.
    /// - Throws: ``BadUsage`` if no records exist, or the options exclude each other.
    package init?(_ options: RunOptions) throws {
        let names = [
            options.lastFailed ? "--last-failed" : nil, options.slowest.map { _ in "--slowest" },
            options.neverPlayed ? "--new" : nil,
        ].compactMap(\.self)
        guard let name = names.first else { return nil }
        guard names.count == 1 || !options.neverPlayed else {
            throw BadUsage(sentence: "\(name) and --new exclude each other: what is new has no record")
        }
        guard options.slowest ?? 1 >= 1 else { throw BadUsage(sentence: "--slowest must be at least 1") }
        guard let found = options.labFile ?? SuiteReader.findLabFile(near: options.paths.first ?? ".") else {
            throw BadUsage(
                sentence:
                    "\(name): there is no lab.yaml here or in a folder above, and records lie beside it; go to the project's folder, or name its lab file with --lab"
            )
        }
        labFile = Files.absolute(found)
        let root = Files.directory(of: labFile)
        let records = options.recordsDirectory ?? "\(root)/.lab"
        let runs = RecordedRuns(records: records)
        areExcluded = options.neverPlayed
        if options.neverPlayed {
            ids = Set(try runs.all().flatMap(\.report.results).filter(\.hadTurn).map(\.scenario))
            (paths, emptiness) = ([], "every scenario has a record")
            return
        }
        guard let last = try runs.lastResults() else {
            throw BadUsage(sentence: "\(name): no run is recorded in \(records)/runs; run without it once")
        }
        // A scenario that was not played has taken no time, and has failed only with a reason: a row whose shared set-up
        // has failed is to be played with it.
        var results = last.filter {
            $0.verdict != .notRun || options.slowest == nil && $0.leadingFailure != nil
        }
        if options.lastFailed { results.removeAll { $0.verdict == .passed } }
        if let count = options.slowest {
            let slowest = Self.slowest(count, of: results)
            results.removeAll { !slowest.contains($0.scenario) }
        }
        ids = Set(results.map(\.scenario))
        emptiness =
            options.lastFailed
            ? ids.isEmpty ? "nothing failed last time" : "none of these failed last time"
            : ids.isEmpty ? "nothing was played last time" : "none of these was among the slowest last time"
        var seen: Set<String> = []
        paths = results.map(\.scenario).filter { seen.insert($0).inserted }.map {
            ScenarioPath.path(ofScenario: $0, inProject: root)
        }
    }

    /// Whether a scenario is selected, by its identifier.
    package func contains(_ id: String) -> Bool { ids.contains(id) != areExcluded }

    /// The scenarios with the longest rounds.
    private static func slowest(_ count: Int, of results: [ScenarioResult]) -> Set<String> {
        let longest = Dictionary(results.map { ($0.scenario, $0.seconds) }, uniquingKeysWith: max)
        let sorted = longest.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return Set(sorted.prefix(count).map(\.key))
    }
}

extension ScenarioResult {
    /// Whether the scenario was played, or could not be played by its topology.
    fileprivate var hadTurn: Bool { verdict != .notRun || remark != nil }
}
