internal import Foundation
internal import LabSystem

/// How long scenarios took in an earlier run, by the JSON report of it: what shards are balanced by.
public struct RecordedDurations: Sendable {
    /// Wall time in seconds, all rounds of a scenario together.
    private let seconds: [String: Double]

    init(_ seconds: [String: Double]) { self.seconds = seconds }

    /// Reads the JSON report of a run, or what `lab merge` has made of the reports of its shards.
    ///
    /// - Throws: ``BadUsage`` when the file is no report, or has no duration.
    public init(reportAt path: String) throws {
        let report = try JSONReport(at: path)
        let played = report.results.filter { $0.verdict != .notRun }
        guard !played.isEmpty else {
            throw BadUsage(sentence: "\(path) has no scenario that was played, so it says nothing about durations")
        }
        self.init(Dictionary(played.map { ($0.scenario, $0.seconds) }, uniquingKeysWith: +))
    }

    /// Divides scenarios among so many parts that take about the same time: the longest first, each to the part that has
    /// the least so far. What the report does not know is taken to be as long as the median.
    ///
    /// - Returns: The part of each, from 1.
    func parts(of ids: [String], count: Int) -> [String: Int] {
        let sorted = seconds.values.sorted()
        let median = sorted.isEmpty ? 1 : sorted[sorted.count / 2]
        let known = ids.map { (id: $0, seconds: seconds[$0] ?? median) }
        var loads = Array(repeating: 0.0, count: count)
        var parts: [String: Int] = [:]
        for (id, seconds) in known.sorted(by: { ($1.seconds, $0.id) < ($0.seconds, $1.id) }) {
            // There is one: shards count from 1.
            let part = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[part] += seconds
            parts[id] = part + 1
        }
        return parts
    }
}
