// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabReports
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// Merges the JSON reports of all shards of a suite into the report of a single run.
public struct ReportMerge {
    private let paths: [String]
    private let reports: [RunOptions.Report]
    private let print: (String) -> Void

    /// A merge.
    /// - Parameters:
    ///   - paths: The JSON reports, in any order.
    ///   - print: Takes pieces of text, for standard output.
    public init(paths: [String], reports: [RunOptions.Report], print: @escaping (String) -> Void) {
        self.paths = paths
        self.reports = reports
        self.print = print
    }

    /// Merges the reports, writes the result and prints a summary.
    /// - Returns: The outcome of the merged run.
    /// - Throws: ``BadUsage`` unless the reports are all parts of one suite, each once.
    public func perform(isColoured: Bool) throws -> RunOutcome {
        let files = try ReportFile.check(reports, inputs: paths)
        let merged = try Self.merge(
            try paths.map { ($0, try JSONReport(at: $0).found(beside: Files.directory(of: Files.absolute($0)))) })
        let terminal = TerminalReport(isColoured: isColoured)
        let page = reports.first { $0.format == .html }.map { "\(Files.absolute($0.path))/\(PageReport.fileName)" }
        for result in merged.results where result.isHeldAgainstRun && result.verdict != .notRun {
            print(terminal.render(result, page: page))
        }
        print(terminal.flakiness(merged.results))
        print(
            terminal.summary(
                merged.results, seconds: merged.seconds, seed: merged.seed, directory: nil, showsCosts: false))
        for file in files { try file.write(merged) }
        return RunOutcome(merged.results)
    }

    /// Merges reports.
    /// - Throws: ``BadUsage`` with the report that is redundant, missing or foreign.
    static func merge(_ reports: [(path: String, report: JSONReport)]) throws -> JSONReport {
        var parts: [Int: (path: String, report: JSONReport)] = [:]
        var whole: (path: String, record: ShardRecord)?
        for (path, report) in reports {
            guard let record = report.shard else {
                throw BadUsage(sentence: "\(path) is the report of a whole run, not of a shard (`lab run --shard`)")
            }
            let first = whole ?? (path, record)
            whole = first
            guard (record.count, record.suite) == (first.record.count, first.record.suite) else {
                throw BadUsage(
                    sentence:
                        "\(path) and \(first.path) are parts of different runs: \(describe(record)) and \(describe(first.record)). All shards need the same files and the same options"
                )
            }
            if let other = parts.updateValue((path, report), forKey: record.number) {
                throw BadUsage(
                    sentence: "shard \(record.number)/\(record.count) is given twice, in \(other.path) and \(path)")
            }
        }
        guard let whole else { throw BadUsage(sentence: "`lab merge` needs the JSON reports of all shards") }
        let missing = (1...max(1, whole.record.count)).filter { parts[$0] == nil }
        guard missing.isEmpty else {
            let names = missing.map { "\($0)/\(whole.record.count)" }.joined(separator: ", ")
            throw BadUsage(sentence: "the report of shard \(names) is missing")
        }
        let all = parts.values.map(\.report)
        let results = try results(of: Array(parts.values), in: Set(whole.record.suite))
        return JSONReport(
            seed: Set(all.map(\.seed)).count == 1 ? all[0].seed : nil, seconds: all.map(\.seconds).max() ?? 0,
            results: try whole.record.suite.map { id in
                guard let result = results[id] else {
                    throw BadUsage(
                        sentence:
                            "no report has a result for \(id). All shards need the same files and the same options")
                }
                return result
            })
    }

    /// The results by their identifiers. A missing result could be the one that failed, so all are required.
    private static func results(
        of parts: [(path: String, report: JSONReport)], in suite: Set<String>
    ) throws -> [String: ScenarioResult] {
        var results: [String: ScenarioResult] = [:]
        for (path, report) in parts {
            for result in report.results {
                guard suite.contains(result.id) else {
                    throw BadUsage(sentence: "\(path) has a result for \(result.id), which is not in its suite")
                }
                guard results.updateValue(result, forKey: result.id) == nil else {
                    throw BadUsage(sentence: "\(result.id) has two results, one of them in \(path)")
                }
            }
        }
        return results
    }

    private static func describe(_ record: ShardRecord) -> String {
        "\(record.count) shards with \(record.suite.count) results"
    }
}
