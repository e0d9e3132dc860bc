// SPDX-License-Identifier: Apache-2.0

import LabReports
import LabSystem
public import ScenarioEngine
import ScenarioLanguage

/// Joins the records of all shards of an exploration into what one exploration would have said.
public struct ExplorationMerge {
    private let records: [(path: String, record: ExplorationRecord)]
    private let print: (String) -> Void

    /// A merge of explorations.
    /// - Parameters:
    ///   - paths: The directories of the shards, in any order.
    ///   - print: Takes pieces of text, for standard output.
    /// - Returns: Nil if no path is a directory: then they are reports of runs.
    /// - Throws: ``BadUsage`` if one is no directory of a shard.
    public init?(paths: [String], print: @escaping (String) -> Void) throws {
        guard paths.contains(where: Files.isDirectory) else { return nil }
        records = try paths.map { ($0, try ExplorationRecord(in: $0)) }
        self.print = print
    }

    /// Joins the records and prints the result.
    /// - Returns: The outcome of the whole exploration: passed only if all shards were played to their end.
    /// - Throws: ``BadUsage`` unless the records are all parts of one exploration, each once.
    public func perform(isColoured: Bool) throws -> RunOutcome {
        let merged = try Merged(records)
        let report = TerminalReport(isColoured: isColoured)
        let columns = BoundTally.columns(deaths: merged.task.deaths)
        for level in merged.levels { print(level.line(seconds: nil, report: report, width: columns) + "\n") }
        if let (path, finding) = merged.finding {
            let text = "order \(finding.number) of \(path): \(finding.reason)"
            print("\(report.mark(.failed)) \(text.onOneVisibleLine)\n")
            print(OrderText.columns(finding.turns).map { "    \($0)\n" }.joined())
            if let scenario = finding.scenario { print("written: \(scenario)\n".withVisibleControls) }
        }
        for obstacle in merged.obstacles { print("\(report.mark(.inconclusive)) \(obstacle.onOneVisibleLine)\n") }
        print("\(merged.coverage) (\(merged.task.shards) shards, seed \(merged.task.seed))\n")
        return merged.outcome
    }

    /// The records of all shards of one exploration.
    struct Merged {
        let task: ExplorationRecord.Task
        let levels: [BoundTally]
        /// Of the orders that fail the one with the fewest switches, with the directory of its shard.
        let finding: (path: String, finding: ExplorationRecord.Finding)?
        /// Why the exploration is not complete, a sentence each.
        let obstacles: [String]
        let outcome: RunOutcome
        /// What was covered, in a sentence without its end.
        let coverage: String

        /// Joins records.
        /// - Throws: ``BadUsage`` with the record that is redundant, missing or foreign.
        init(_ records: [(path: String, record: ExplorationRecord)]) throws {
            let parts = try Self.parts(records)
            task = parts[0].record.task
            levels = Self.levels(of: parts.map(\.record))
            finding = parts.compactMap { part in part.record.finding.map { (path: part.path, finding: $0) } }
                .min { Self.switches(in: $0.finding.turns) < Self.switches(in: $1.finding.turns) }
            let difference = Self.difference(of: parts)
            obstacles = parts.compactMap(Self.obstacle) + difference
            let hasFailed = finding != nil || parts.contains { $0.record.unreached == .failed }
            outcome = hasFailed ? .failed : obstacles.isEmpty ? .passed : .inconclusive
            // Shards that are complete are the whole only if they have dealt the same openings.
            let isComplete = difference.isEmpty && parts.allSatisfy { $0.record.end == .complete }
            let end: Exploration.End = finding != nil ? .found : isComplete ? .complete : .time
            coverage = Exploration.coverage(
                end, bounds: task.bounds, played: levels.reduce(0) { $0 + $1.played },
                inconclusive: levels.reduce(0) { $0 + $1.inconclusive }, left: levels.reduce(0) { $0 + $1.left },
                beyond: parts.reduce(0) { $0 + $1.record.beyond })
        }

        /// All shards, the first one first.
        private static func parts(
            _ records: [(path: String, record: ExplorationRecord)]
        ) throws -> [(path: String, record: ExplorationRecord)] {
            guard let first = records.first else {
                throw BadUsage(sentence: "`lab merge` needs the directories of all shards")
            }
            var parts: [Int: (path: String, record: ExplorationRecord)] = [:]
            for (path, record) in records {
                guard record.task == first.record.task else {
                    throw BadUsage(
                        sentence:
                            "\(path) and \(first.path) are parts of different explorations: \(describe(record.task)) and \(describe(first.record.task)). All shards need the same scenario and the same options"
                    )
                }
                guard record.shard >= 1, record.shard <= record.task.shards else {
                    throw BadUsage(
                        sentence: "\(path) is shard \(record.shard) of \(record.task.shards), which cannot be")
                }
                if let other = parts.updateValue((path, record), forKey: record.shard) {
                    throw BadUsage(
                        sentence:
                            "shard \(record.shard)/\(record.task.shards) is given twice, in \(other.path) and \(path)")
                }
            }
            let count = first.record.task.shards
            let missing = (1...max(1, count)).filter { parts[$0] == nil }
            guard missing.isEmpty else {
                let names = missing.map { "\($0)/\(count)" }.joined(separator: ", ")
                throw BadUsage(sentence: "the directory of shard \(names) is missing")
            }
            return parts.sorted { $0.key < $1.key }.map(\.value)
        }

        private static func describe(_ task: ExplorationRecord.Task) -> String {
            "step \(task.step) of \(task.scenario) with \(task.bounds.text), seed \(task.seed), in \(task.shards) shards"
        }

        /// All shards have played the orders without a preemption and a death, so these are counted once.
        private static func levels(of records: [ExplorationRecord]) -> [BoundTally] {
            var tallies: [OrderSearch.Level: BoundTally] = [:]
            for record in records {
                for level in record.levels {
                    let key = OrderSearch.Level(preemptions: level.preemptions, deaths: level.deaths)
                    func joined(_ one: Int, _ other: Int) -> Int { key.isCommon ? max(one, other) : one + other }
                    var tally = tallies[key] ?? BoundTally(level: key)
                    tally.played = joined(tally.played, level.played)
                    tally.inconclusive = joined(tally.inconclusive, level.inconclusive)
                    tally.left = joined(tally.left, level.left)
                    tally.hasFailed = tally.hasFailed || level.hasFailed
                    tallies[key] = tally
                }
            }
            return tallies.sorted { $0.key < $1.key }.map(\.value)
        }

        /// How often the turns go from one app to another, with and without a preemption.
        private static func switches(in turns: [Turn]) -> Int {
            zip(turns.dropFirst(), turns).count { $0.process != $1.process }
        }

        private static func obstacle(_ part: (path: String, record: ExplorationRecord)) -> String? {
            let name = "shard \(part.record.shard)/\(part.record.task.shards)"
            if let reason = part.record.inconclusive { return "\(name) could not judge \(reason)" }
            switch part.record.end {
            case .complete, .found: return nil
            case nil: return "\(name) has not ended: \(part.path) was written when it began"
            case .limit: return "\(name) was ended by --limit"
            case .time: return "\(name) was ended by its time"
            case .interrupted: return "\(name) was interrupted"
            case .unreached: return "\(name) explored nothing: the scenario ended before its block"
            }
        }

        /// Shards that dealt different openings may have left some to no shard.
        private static func difference(of parts: [(path: String, record: ExplorationRecord)]) -> [String] {
            let complete = parts.filter { $0.record.end == .complete }
            guard let first = complete.first,
                let other = complete.first(where: { $0.record.dealt != first.record.dealt })
            else { return [] }
            return [
                "shards \(first.record.shard) and \(other.record.shard) saw different orders without a preemption, so some orders may belong to no shard; explore on machines with the same build"
            ]
        }
    }
}
