// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// What a shard of an exploration has covered: `exploration.json` in its directory, for `lab merge`.
///
/// It is written when the exploration begins and again when it ends, so that one that broke off is recognised.
struct ExplorationRecord: Codable, Equatable, Sendable {
    /// The file in the directory of an exploration.
    static let fileName = "exploration.json"
    /// Version of the format; increased when a member changes its meaning or is removed.
    static let version = 1

    /// The orders with one number of preemptions and one of deaths.
    struct Level: Codable, Equatable {
        var preemptions: Int
        var deaths: Int
        var played: Int
        var inconclusive: Int
        /// Number of orders that are known and were not played.
        var left: Int
        var hasFailed: Bool
    }

    /// The order that fails.
    struct Finding: Codable, Equatable {
        var number: Int
        var turns: [Turn]
        /// The failure, in a sentence without secrets.
        var reason: String
        /// The path of the scenario that repeats the order; nil if it was not written.
        var scenario: String?
    }

    /// What all shards of an exploration have in common.
    struct Task: Codable, Equatable {
        /// The scenario's identifier.
        var scenario: String
        /// Number of the step that is the block.
        var step: String
        var seed: UInt64
        var preemptions: Int
        var deaths: Int
        /// Number of shards.
        var shards: Int

        /// How far the shards went together.
        var bounds: ExplorationBounds { ExplorationBounds(preemptions: preemptions, deaths: deaths, jobs: 1) }
    }

    var version = Self.version
    let task: Task
    /// Number of the shard, from 1.
    let shard: Int
    /// Why no more orders were played; nil while they are, and after an exploration that was killed.
    var end: Exploration.End?
    var levels: [Level] = []
    /// Number of orders that are known to have more preemptions than the bound.
    var beyond = 0
    /// The openings that were dealt to the shards, ``DealtOrders/fingerprint``.
    var dealt = ""
    /// The first order that could not be judged, with the reason; nil for no such order.
    var inconclusive: String?
    var finding: Finding?
    /// How the scenario ended that did not come to its block; nil if it came there.
    var unreached: Verdict?

    /// The record of an exploration that begins.
    init(of explored: ExploredScenario, seed: UInt64, _ bounds: ExplorationBounds, in shard: Shard) {
        task = Task(
            scenario: explored.scenario.id, step: explored.block.path, seed: seed, preemptions: bounds.preemptions,
            deaths: bounds.deaths, shards: shard.count)
        self.shard = shard.number
    }

    init(_ task: Task, shard: Int) {
        self.task = task
        self.shard = shard
    }

    /// Takes what an exploration has covered that has ended.
    /// - Parameter written: The path of the scenario that repeats the order that fails.
    mutating func note(_ exploration: Exploration, endedBy end: Exploration.End, written: String?) {
        self.end = end
        // Drawn orders, which have no level, are not divided among shards.
        levels = exploration.levels.compactMap { tally in
            tally.level.map { level in
                Level(
                    preemptions: level.preemptions, deaths: level.deaths, played: tally.played,
                    inconclusive: tally.inconclusive, left: tally.left, hasFailed: tally.hasFailed)
            }
        }
        beyond = exploration.beyondBound
        dealt = exploration.dealt.fingerprint
        inconclusive = exploration.firstInconclusive.map { "order \($0.number): \($0.reason)" }
        finding = exploration.finding.map { number, finding in
            Finding(
                number: number, turns: finding.turns, reason: finding.reason, scenario: written)
        }
        unreached = exploration.unreached?.verdict
    }

    // MARK: The file

    /// Writes the record into the directory of the exploration.
    /// - Throws: ``LabFailure`` if it cannot be written: the shard could not be merged.
    func write(to directory: String) throws {
        let path = "\(directory)/\(Self.fileName)"
        do {
            try Files.write(Data(try JSONTextEncoder.document(self).utf8), to: path)
        } catch {
            throw LabFailure("The record \(path) was not written: \(error). Without it the shard cannot be merged.")
        }
    }

    /// Reads the record in the directory of an exploration.
    /// - Throws: ``BadUsage`` if the directory has no record, or one of another format.
    init(in directory: String) throws {
        let path = "\(directory)/\(Self.fileName)"
        guard let data = try? Files.read(path) else {
            throw BadUsage(
                sentence:
                    "\(directory) has no readable \(Self.fileName), so it is not the directory of a shard of `lab explore --shard`"
            )
        }
        guard let record = try? JSONDecoder().decode(Self.self, from: data), record.version == Self.version else {
            throw BadUsage(sentence: "\(path) is not a record that this lab has written; explore the shard again")
        }
        self = record
    }
}
