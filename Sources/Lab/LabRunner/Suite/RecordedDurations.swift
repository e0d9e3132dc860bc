import Foundation
import LabSystem

/// How long scenarios took in an earlier run, from its JSON report: the basis for balancing shards.
public struct RecordedDurations: Sendable {
    /// Wall time in seconds, all rounds of a scenario together.
    private let seconds: [String: Double]

    init(_ seconds: [String: Double]) { self.seconds = seconds }

    /// Reads the JSON report of a run, or the output of `lab merge` for the reports of its shards.
    ///
    /// - Throws: ``BadUsage`` if the file is not a report, or has no duration.
    public init(reportAt path: String) throws {
        let report = try JSONReport(at: path)
        let played = report.results.filter { $0.verdict != .notRun }
        guard !played.isEmpty else {
            throw BadUsage(sentence: "\(path) has no scenario that was played, so it says nothing about durations")
        }
        self.init(Dictionary(played.map { ($0.scenario, $0.seconds) }, uniquingKeysWith: +))
    }

    /// Distributes scenarios over a number of parts with about equal times: the longest first, each to the part with
    /// the least time so far. A scenario missing in the report counts as the median.
    ///
    /// - Returns: The part of each, from 1.
    func parts(of ids: [String], count: Int) -> [String: Int] {
        let sorted = seconds.values.sorted()
        let median = sorted.isEmpty ? 1 : sorted[sorted.count / 2]
        let known = ids.map { (id: $0, seconds: seconds[$0] ?? median) }
        var loads = Array(repeating: 0.0, count: count)
        var parts: [String: Int] = [:]
        for (id, seconds) in known.sorted(by: { ($1.seconds, $0.id) < ($0.seconds, $1.id) }) {
            // At least one part exists: shards count from 1.
            let part = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[part] += seconds
            parts[id] = part + 1
        }
        return parts
    }
}
