import LabKit
import LabSystem

/// The scenarios selected from the records of earlier runs: `--last-failed`, `--slowest` and `--new`.
struct RecordedSelection {
    /// The lab file that was found.
    let labFile: String
    /// The places of the selected scenarios, for a command line without paths; in the order of the last run.
    let paths: [String]
    /// Why the selection may be empty.
    let emptiness: String
    private let ids: Set<String>
    /// Whether the selection is inverted.
    private let areExcluded: Bool

    /// Reads the records of the project.
    ///
    /// - Returns: Nil if the options do not select by records.
    /// - Throws: ``BadUsage`` if no records exist, or the options exclude each other.
    init?(_ options: RunOptions) throws {
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
        // A scenario that was not played has neither failed nor taken time.
        var results = last.filter { $0.verdict != .notRun }
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
    func contains(_ id: String) -> Bool { ids.contains(id) != areExcluded }

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
