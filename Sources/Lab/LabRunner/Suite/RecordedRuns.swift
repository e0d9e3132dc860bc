import Foundation
import LabSystem

/// The recorded runs of a project.
public struct RecordedRuns {
    /// Absolute path of the directory that holds `runs`.
    private let records: String

    init(records: String) {
        self.records = records
    }

    /// The records of a project.
    ///
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
    ///
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
    struct Run {
        /// Absolute path of its directory.
        let directory: String
        /// The name of its directory.
        var id: String { Files.name(of: directory) }
        let report: JSONReport
    }

    /// All runs that have written a report, newest first.
    ///
    /// - Throws: ``DamagedRecord`` for a modified report.
    func all() throws -> [Run] {
        try RunDirectory.all(in: records).compactMap { run in
            try report(of: run).map { Run(directory: run, report: $0) }
        }
    }

    /// The report of the last run that has written one; nil if not found.
    func lastReport() throws -> JSONReport? {
        for run in try RunDirectory.all(in: records) {
            if let report = try report(of: run) { return report }
        }
        return nil
    }

    /// The report of a run; nil if it has not written one.
    func report(of run: String) throws -> JSONReport? {
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
    func concerns(_ id: String, path: String) -> Bool {
        RunHistory.concerns(id, path: path, root: Files.directory(of: records))
    }

    /// The history of scenarios in all kept runs.
    ///
    /// - Parameter paths: Files and directories of scenarios; empty means all that were played.
    /// - Throws: ``BadUsage`` if no run is recorded, or a path is unknown.
    public func history(of paths: [String]) throws -> RunHistory {
        let runs = try all()
        guard !runs.isEmpty else {
            throw BadUsage(sentence: "no run is recorded in \(records)/runs")
        }
        return try RunHistory(runs).selected(by: paths, root: Files.directory(of: records))
    }

    /// The history of every scenario that the kept runs have played.
    func history() throws -> RunHistory { RunHistory(try all()) }

    /// The directory of a run.
    ///
    /// - Parameter name: its identifier or directory; nil means the last run.
    /// - Throws: ``BadUsage`` if the run does not exist, ``DamagedRecord`` if it was modified.
    func directory(of name: String?) throws -> String {
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
    ///
    /// - Parameters:
    ///   - name: The run's identifier or directory; nil means the last run.
    ///   - output: The file; nil names it after the run, in the current directory.
    ///   - redaction: What to leave out.
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
