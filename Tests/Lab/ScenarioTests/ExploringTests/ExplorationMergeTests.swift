// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@testable import LabTools
@testable import ScenarioEngine
@testable import ScenarioLanguage

@Suite("Joining the shards of an exploration", .endsInTime)
struct ExplorationMergeTests {
    typealias Part = ExplorationRecord

    /// The record of one of three shards that has begun.
    static func part(_ number: Int, seed: UInt64 = 7, shards: Int = 3) -> Part {
        Part(
            ExplorationRecord.Task(
                scenario: "a.yaml", step: "3", seed: seed, preemptions: 2, deaths: 0, shards: shards), shard: number)
    }

    static func merge(_ records: [(path: String, record: Part)]) throws -> ExplorationMerge.Merged {
        try ExplorationMerge.Merged(records)
    }

    /// Records of all shards that have played everything.
    private static var complete: [(path: String, record: Part)] {
        (1...3).map { number in
            var record = part(number)
            record.end = .complete
            record.levels = [
                .init(preemptions: 0, deaths: 0, played: 2, inconclusive: 0, left: 0, hasFailed: false),
                .init(preemptions: 1, deaths: 0, played: 10 + number, inconclusive: 0, left: 0, hasFailed: false),
            ]
            record.beyond = number
            record.dealt = "30-ab"
            return ("part-\(number)", record)
        }
    }

    @Test func `Orders without a preemption count once, the others as sums`() throws {
        let merged = try Self.merge(Self.complete.reversed())
        #expect(merged.levels.map(\.played) == [2, 36])
        #expect(merged.coverage == "complete for 2 preemptions: 38 orders; at least 6 more with more preemptions")
        #expect(merged.outcome == .passed && merged.obstacles == [] && merged.finding == nil)
    }

    @Test(
        arguments: [
            (nil, "shard 2/3 has not ended"), (.limit, "shard 2/3 was ended by --limit"),
            (.time, "shard 2/3 was ended by its time"), (.interrupted, "shard 2/3 was interrupted"),
            (.unreached, "shard 2/3 explored nothing"),
        ] as [(Exploration.End?, String)])
    func `A shard that broke off leaves the whole inconclusive`(end: Exploration.End?, obstacle: String) throws {
        var records = Self.complete
        records[1].record.end = end
        let merged = try Self.merge(records)
        #expect(merged.outcome == .inconclusive)
        #expect(merged.obstacles.count == 1 && merged.obstacles.first?.hasPrefix(obstacle) == true)
        #expect(merged.coverage.hasPrefix("stopped after 38 orders"))
    }

    @Test func `An order that could not be judged, and other openings, leave the whole inconclusive`() throws {
        var records = Self.complete
        records[2].record.inconclusive = "order 4: turn 2: no process can go on"
        #expect(
            try Self.merge(records).obstacles == ["shard 3/3 could not judge order 4: turn 2: no process can go on"])
        #expect(try Self.merge(records).outcome == .inconclusive)
        var others = Self.complete
        others[1].record.dealt = "31-cd"
        #expect(try Self.merge(others).outcome == .inconclusive)
        #expect(try Self.merge(others).obstacles.first?.hasPrefix("shards 1 and 2 saw different orders") == true)
        #expect(try Self.merge(others).coverage.hasPrefix("stopped after 38 orders"))
    }

    @Test func `An order that fails in one shard fails the whole, and is shown`() throws {
        var records = Self.complete
        records[1].record.end = .found
        records[1].record.finding = .init(
            number: 5, turns: [Turn(process: "main", place: "start"), Turn(process: "wallet", place: "start")],
            reason: "server: activationStatus: other", scenario: ".lab/explored/a-1.yaml")
        records[2].record.end = nil
        let merged = try Self.merge(records)
        #expect(merged.outcome == .failed)
        #expect(merged.finding?.path == "part-2" && merged.finding?.finding.number == 5)
        #expect(merged.coverage.hasPrefix("stopped after 38 orders"))
        // The scenario that ends before its block fails, too.
        var unreached = Self.complete
        unreached[0].record.end = .unreached
        unreached[0].record.unreached = .failed
        #expect(try Self.merge(unreached).outcome == .failed)
    }

    @Test func `Shards that are missing, given twice or of another exploration are refused`() throws {
        func complaint(_ records: [(path: String, record: Part)]) -> String {
            (thrown { _ = try Self.merge(records) } as? BadUsage)?.description ?? "nothing"
        }
        let all = Self.complete
        #expect(complaint([]) == "`lab merge` needs the directories of all shards")
        #expect(complaint([all[0], all[2]]) == "the directory of shard 2/3 is missing")
        #expect(complaint([all[0]]) == "the directory of shard 2/3, 3/3 is missing")
        #expect(complaint(all + [all[1]]) == "shard 2/3 is given twice, in part-2 and part-2")
        #expect(
            complaint([all[0], ("other", Self.part(2, seed: 8))]).hasPrefix(
                "other and part-1 are parts of different explorations: step 3 of a.yaml with 2 preemptions, seed 8"))
    }

    @Test func `A record is read as it was written, and a directory without one is refused`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("explored")
        try Files.createDirectory(path)
        var record = Self.part(2)
        try record.write(to: path)
        #expect(try ExplorationRecord(in: path) == record)
        #expect(try ExplorationRecord(in: path).end == nil)
        record.end = .found
        record.finding = .init(number: 1, turns: [Turn(process: "main", place: "start")], reason: "it", scenario: nil)
        record.levels = [.init(preemptions: 1, deaths: 0, played: 1, inconclusive: 0, left: 3, hasFailed: true)]
        try record.write(to: path)
        #expect(try ExplorationRecord(in: path) == record)

        let runs = try ExplorationMerge(paths: [directory.file("1.json")], print: { _ in }).map { _ in true }
        #expect(runs == nil, "these are reports of runs")
        func complaint() -> String {
            let mistake = thrown { _ = try ExplorationMerge(paths: [path], print: { _ in }) }
            return (mistake as? BadUsage)?.description ?? "nothing"
        }
        let file = "\(path)/exploration.json"
        for text in ["", "{", "{\"version\": 1}", "[]"] {
            try Files.write(Data(text.utf8), to: file)
            #expect(complaint().contains("is not a record that this lab has written"), "\(text)")
        }
        try Files.remove(file)
        #expect(complaint().contains("has no readable exploration.json"))
    }

    @Test func `The result is printed with levels, obstacles and coverage`() throws {
        let directory = try TemporaryDirectory()
        var paths: [String] = []
        for (name, record) in Self.complete {
            let path = directory.file(name)
            try Files.createDirectory(path)
            try record.write(to: path)
            paths.append(path)
        }
        var text = ""
        let merge = try #require(try ExplorationMerge(paths: paths, print: { text += $0 }))
        #expect(try merge.perform(isColoured: false) == .passed)
        #expect(
            text == """
                  0 preemptions      2 orders  ✓
                  1 preemption      36 orders  ✓
                complete for 2 preemptions: 38 orders; at least 6 more with more preemptions (3 shards, seed 7)

                """)
    }
}
