internal import LabKit
internal import LabSystem

/// The scenarios that did not pass in the last recorded run.
struct LastFailures {
    /// The lab file that was found.
    let labFile: String
    /// Their identifiers.
    let ids: Set<String>
    /// Where they are, for a command line without paths; in the order of that run.
    let paths: [String]

    /// Reads the record of the project.
    ///
    /// - Throws: ``BadUsage`` when there is none.
    init(_ options: RunOptions) throws {
        guard let found = options.labFile ?? SuiteReader.findLabFile(near: options.paths.first ?? ".") else {
            throw BadUsage(
                sentence: "--last-failed: there is no lab.yaml here or in a folder above, and records lie beside it")
        }
        labFile = Files.absolute(found)
        let root = Files.directory(of: labFile)
        let records = options.recordsDirectory ?? "\(root)/.lab"
        guard let report = try RecordedRuns(records: records).lastReport() else {
            throw BadUsage(sentence: "--last-failed: no run is recorded in \(records)/runs; run without it once")
        }
        // What had no turn has not failed.
        let failures = report.results.filter { $0.verdict > .notRun }
        ids = Set(failures.map(\.scenario))
        var seen: Set<String> = []
        paths = failures.map(\.scenario).filter { seen.insert($0).inserted }.map { id in
            // What lies outside of the project is recorded as it was given.
            Files.exists(ScenarioPath("\(root)/\(id)").file) ? "\(root)/\(id)" : id
        }
    }
}
