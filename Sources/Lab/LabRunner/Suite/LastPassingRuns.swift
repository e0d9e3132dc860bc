import Synchronization

/// The last kept run that passed a scenario. The reports are read on first use.
///
/// Thread rule: any thread.
final class LastPassingRuns: Sendable {
    private let records: String
    private let runs = Mutex<[String: String]?>(nil)

    /// - Parameter records: Absolute path of the directory that holds `runs`.
    init(in records: String) { self.records = records }

    /// The identifier of the newest run in which a scenario passed; nil if none is kept.
    ///
    /// - Parameter scenario: Its identifier, the same in every round.
    func lastRun(passing scenario: String) -> String? {
        runs.withLock { runs in
            let known = runs ?? read()
            runs = known
            return known[scenario]
        }
    }

    private func read() -> [String: String] {
        var known: [String: String] = [:]
        // The current run has no report yet.
        guard let runs = try? RecordedRuns(records: records).all() else { return known }
        for run in runs {
            for result in run.report.results where result.round == 1 && result.verdict == .passed {
                known[result.id] = known[result.id] ?? run.id
            }
        }
        return known
    }
}
