// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import ScenarioEngine
import TestSupport
import Testing

@testable import LabReports
@testable import LabTools
@testable import ScenarioLanguage

@Suite("Splitting a suite into shards and joining the results", .endsInTime)
struct ShardTests {
    private let ids = (1...200).map { "folder/scenario-\($0).yaml" }

    @Test func `Every scenario belongs to exactly one shard, and shards have about equal size`() throws {
        let shards = try (1...4).map { try Shard("\($0)/4", environment: [:]) }
        for id in ids { #expect(shards.count { $0.contains(id) } == 1) }
        for shard in shards { #expect((30...70).contains(ids.count(where: shard.contains))) }
    }

    @Test func `The shard of a scenario never changes: machines with different versions of a suite agree`() throws {
        let third = try Shard("3/3", environment: [:])
        #expect(ids.prefix(12).filter(third.contains) == Self.recorded)
    }

    @Test func `Recorded durations balance the shards, and each scenario belongs to one`() throws {
        let seconds = Dictionary(uniqueKeysWithValues: ids.enumerated().map { ($1, $0 < 4 ? 60.0 : Double($0 % 7)) })
        // Scenarios without a recorded duration count as the median.
        let suite = ids + ["new.yaml"]
        let durations = RecordedDurations(seconds)
        let parts = try (1...4).map { try Shard("\($0)/4", environment: [:]).part(of: suite, by: durations) }
        for id in suite { #expect(parts.count { $0.contains(id) } == 1) }
        let loads = parts.map { $0.reduce(0) { $0 + (seconds[$1] ?? 3) } }
        #expect(try #require(loads.max()) - #require(loads.min()) <= 6)
        // Machines that read the files in another order agree.
        let other = try Shard("2/4", environment: [:]).part(of: suite.reversed(), by: durations)
        #expect(other == parts[1])
    }

    private static let recorded = [2, 3, 4, 6, 7, 8, 12].map { "folder/scenario-\($0).yaml" }

    @Test(
        arguments: [
            ("/3", ["JOB_COMPLETION_INDEX": "0"], 1, 3),
            ("/3", ["CI_NODE_INDEX": "3"], 3, 3),
            ("auto", ["CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "5"], 2, 5),
            ("auto", ["SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "4"], 2, 4),
            ("auto", ["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_MIN": "0", "SLURM_ARRAY_TASK_COUNT": "4"], 1, 4),
            (
                "auto",
                [
                    "SLURM_ARRAY_TASK_ID": "30", "SLURM_ARRAY_TASK_MIN": "10", "SLURM_ARRAY_TASK_STEP": "10",
                    "SLURM_ARRAY_TASK_COUNT": "3",
                ], 3, 3
            ),
            ("2/5", ["SLURM_ARRAY_TASK_ID": "1"], 2, 5),
        ] as [(String, [String: String], Int, Int)])
    func `The shard is read from the scheduler's variables`(
        text: String, environment: [String: String], number: Int, count: Int
    ) throws {
        let shard = try Shard(text, environment: environment)
        #expect((shard.number, shard.count) == (number, count))
    }

    @Test(arguments: ["0/3", "4/3", "1/0", "x/3", "3", "", "1/2/3", "/3", "auto", "/"])
    func `Invalid shards are refused`(text: String) {
        #expect(throws: BadUsage.self) { try Shard(text, environment: [:]) }
    }

    private func report(_ number: Int, of count: Int, results: [Int], suite: Int = 4) -> JSONReport {
        func id(_ number: Int) -> String { "\(number).yaml" }
        return JSONReport(
            seed: 1, seconds: Double(number),
            results: results.map { .sample(.passed, id: id($0)) },
            shard: ShardRecord(number: number, count: count, suite: (1...suite).map(id)))
    }

    @Test func `Joined results have the order of the suite, for any order of the reports`() throws {
        let (first, second) = (report(1, of: 2, results: [1, 4]), report(2, of: 2, results: [2, 3]))
        let merged = try ReportMerge.merge([("b", second), ("a", first)])
        #expect(merged.results.map(\.id) == ["1.yaml", "2.yaml", "3.yaml", "4.yaml"])
        #expect(merged.seed == 1)
        #expect(merged.seconds == 2)
        #expect(merged.shard == nil)
        var other = second
        other.seed = 2
        #expect(try ReportMerge.merge([("a", first), ("b", other)]).seed == nil)
    }

    @Test func `A missing, duplicate or foreign shard is named`() {
        let (first, second) = (report(1, of: 2, results: [1, 4]), report(2, of: 2, results: [2, 3]))
        func complaint(_ reports: [(String, JSONReport)]) -> String? {
            thrown { _ = try ReportMerge.merge(reports.map { (path: $0.0, report: $0.1) }) }.map { "\($0)" }
        }
        #expect(complaint([("a", first)]) == "the report of shard 2/2 is missing")
        #expect(complaint([("a", first), ("b", second), ("c", first)]) == "shard 1/2 is given twice, in a and c")
        #expect(
            complaint([("a", first), ("b", report(2, of: 2, results: [2, 3], suite: 5))])
                == "b and a are parts of different runs: 2 shards with 5 results and 2 shards with 4 results. All shards need the same files and the same options"
        )
        #expect(
            complaint([("a", first), ("b", report(2, of: 2, results: [2]))])
                == "no report has a result for 3.yaml. All shards need the same files and the same options")
        var whole = first
        whole.shard = nil
        #expect(complaint([("a", whole)]) == "a is the report of a whole run, not of a shard (`lab run --shard`)")
    }
}
