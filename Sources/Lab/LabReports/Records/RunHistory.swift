// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import ScenarioEngine
public import ScenarioLanguage
import Synchronization

/// The history of each scenario in the kept runs: how often it passed, how long it took, and since when it has failed.
public struct RunHistory: Encodable, Sendable {
    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    package let version = 1
    /// The scenarios, sorted by their identifiers.
    package let scenarios: [Entry]

    package struct Entry: Encodable, Equatable, Sendable {
        /// Its identifier, the same in every round.
        package let id: String
        /// Rounds that were played.
        package let rounds: Int
        package let passed: Int
        /// The median of the rounds' wall time.
        let medianSeconds: Double
        /// Wall time of the newest round.
        let lastSeconds: Double
        /// The first of the runs since which it has not passed; nil if all rounds of the last one did.
        let notPassedSince: Begin?

        package init(
            id: String, rounds: Int, passed: Int, medianSeconds: Double, lastSeconds: Double, notPassedSince: Begin?
        ) {
            self.id = id
            self.rounds = rounds
            self.passed = passed
            self.medianSeconds = medianSeconds
            self.lastSeconds = lastSeconds
            self.notPassedSince = notPassedSince
        }
    }

    /// The run since which a scenario has not passed.
    package struct Begin: Encodable, Equatable, Sendable {
        /// The name of its directory.
        package let run: String
        /// When it began, `2026-11-22T22:31:01Z`.
        package let at: String
        /// The seed of the first round that did not pass.
        package let seed: UInt64
        /// Whether no earlier kept run has played the scenario, so that its failures may have begun earlier.
        let isOldest: Bool
    }

    /// The facts kept of a result, so that reports of many runs are not held in memory at once.
    fileprivate struct Round {
        let verdict: Verdict
        let seconds: Double
        let seed: UInt64

        init(_ result: ScenarioResult) { (verdict, seconds, seed) = (result.verdict, result.seconds, result.seed) }
    }

    /// - Parameter runs: Newest first.
    init(_ runs: some Sequence<RecordedRuns.Run>) {
        var played: [String: [(run: String, rounds: [Round])]] = [:]
        for run in runs {
            let results = run.report.results.filter { $0.verdict != .notRun }
            for (id, rounds) in Dictionary(grouping: results, by: \.scenario) {
                played[id, default: []].append((run.id, rounds.sorted { $0.round < $1.round }.map(Round.init)))
            }
        }
        scenarios = played.sorted { $0.key < $1.key }.map { Entry(id: $0.key, runs: $0.value) }
    }

    private init(scenarios: [Entry]) { self.scenarios = scenarios }

    /// The part about some paths; all of it for no paths.
    /// - Parameters:
    ///   - paths: Files, directories, or rows of tables.
    ///   - root: Absolute path of the lab file's directory.
    /// - Throws: ``BadUsage`` for a path without a scenario, present or removed.
    func selected(by paths: [String], root: String) throws -> RunHistory {
        guard !paths.isEmpty else { return self }
        var selected: [Entry] = []
        for path in paths {
            let entries = scenarios.filter { Self.concerns($0.id, path: path, root: root) }
            // A removed scenario still has its history.
            guard !entries.isEmpty || Files.exists(ScenarioPath(path).file) else {
                throw BadUsage(sentence: "there is no such file or directory, and no kept run has played it: \(path)")
            }
            selected += entries.filter { !selected.contains($0) }
        }
        return RunHistory(scenarios: selected.sorted { $0.id < $1.id })
    }

    /// Whether a path means a scenario.
    package static func concerns(_ id: String, path: String, root: String) -> Bool {
        let wanted = ScenarioPath(path)
        let file = Files.absolute(wanted.file)
        // Scenarios outside of the project are recorded with the path as given.
        let name = ScenarioPath.path(of: file, below: root) ?? wanted.file
        return file == root || id == name + wanted.suffix
            || wanted.row == nil && (id.hasPrefix(name + "/") || id.hasPrefix(name + "["))
    }

    /// The lines for a terminal.
    public var text: String {
        guard !scenarios.isEmpty else { return "no kept run has played these scenarios\n" }
        var lines = [Self.line("passed", "median", "last", "scenario")]
        for entry in scenarios {
            lines.append(
                Self.line(
                    "\(entry.passed)/\(entry.rounds)", FailureText.seconds(entry.medianSeconds),
                    FailureText.seconds(entry.lastSeconds), entry.id.onOneVisibleLine))
            guard let begin = entry.notPassedSince else { continue }
            let minute = begin.at.prefix(16).replacing("T", with: " ")
            let oldest = begin.isOldest ? "the oldest run, " : ""
            lines.append("         not passed since \(oldest)\(minute) UTC, seed \(begin.seed)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The JSON form, with sorted keys.
    public func json() throws -> String {
        try JSONTextEncoder.document(self) + "\n"
    }

    /// Columns before the identifier, which is never cut: it is a path to copy.
    private static func line(_ passed: String, _ median: String, _ last: String, _ scenario: String) -> String {
        func right(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(1, width - text.count)) + text
        }
        return "\(right(passed, 7))\(right(median, 9))\(right(last, 9))  \(scenario)"
    }
}

extension RunHistory.Entry {
    /// - Parameter runs: Those that have played the scenario, newest first, with their rounds.
    fileprivate init(id: String, runs: [(run: String, rounds: [RunHistory.Round])]) {
        let rounds = runs.flatMap(\.rounds)
        let bad = runs.prefix { $0.rounds.contains { $0.verdict != .passed } }
        self.id = id
        self.rounds = rounds.count
        passed = rounds.count { $0.verdict == .passed }
        medianSeconds = Self.median(rounds.map(\.seconds).sorted())
        lastSeconds = runs.first?.rounds.last?.seconds ?? 0
        notPassedSince = bad.last.flatMap { run, rounds in
            rounds.first { $0.verdict != .passed }.map {
                RunHistory.Begin(run: run, at: Self.date(ofRun: run), seed: $0.seed, isOldest: bad.count == runs.count)
            }
        }
    }

    private static func median(_ sorted: [Double]) -> Double {
        guard !sorted.isEmpty else { return 0 }
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// `20261122-223101-1a2b` as `2026-11-22T22:31:01Z`.
    private static func date(ofRun name: String) -> String {
        let digits = name.filter(\.isNumber).map(String.init)
        func part(_ range: Range<Int>) -> String { digits[range].joined() }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z"
    }
}

/// The last kept run that passed a scenario. The reports are read on first use.
///
/// Thread rule: any thread.
package final class LastPassingRuns: Sendable {
    private let records: String
    private let runs = Mutex<[String: String]?>(nil)

    /// - Parameter records: Absolute path of the directory that holds `runs`.
    package init(in records: String) { self.records = records }

    /// The identifier of the newest run in which a scenario passed; nil if none is kept.
    package func lastRun(passing scenario: String) -> String? {
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

extension RecordedDurations {
    /// Reads the JSON report of a run, or the output of `lab merge` for the reports of its shards.
    /// - Throws: ``BadUsage`` if the file is not a report, or has no duration.
    public init(reportAt path: String) throws {
        let report = try JSONReport(at: path)
        let played = report.results.filter { $0.verdict != .notRun }
        guard !played.isEmpty else {
            throw BadUsage(sentence: "\(path) has no scenario that was played, so it says nothing about durations")
        }
        self.init(Dictionary(played.map { ($0.scenario, $0.seconds) }, uniquingKeysWith: +))
    }
}
