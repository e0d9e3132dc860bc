// SPDX-License-Identifier: Apache-2.0

import LabPoints

/// The turns of a prefix with what came before each of them, directly or through others.
///
/// Of two turns that depend on each other one came before the other: turns that moved the same process, or that
/// conflict. Prefixes that have the same turns with the same ones before each differ only in the places of independent
/// turns, and lead to the same state. They have the same ``hash``.
struct TurnHistory {
    /// The number of turns of each process that came before, by the number of the process; 0 at missing places.
    private typealias Clock = [Int]

    /// The same for prefixes with the same effect; different for others, but for the chance of 64 bits. Comparable
    /// within one process only.
    private(set) var hash: UInt64 = 0
    private var all = Clock()
    /// What came before each turn since the last one that may have touched anything.
    private var barrier = Clock()
    private var ofProcess: [Int: Clock] = [:]
    private var writes = [Clock](repeating: [], count: UInt32.bitWidth)
    private var accesses = [Clock](repeating: [], count: UInt32.bitWidth)

    /// Adds a turn.
    /// - Parameters:
    ///   - process: The number of its process.
    ///   - others: The numbers of the other processes that it moved.
    mutating func append(_ turn: Turn, of process: Int, moving others: [Int], footprint: Footprint) {
        var clock = footprint == .everything ? all : barrier
        for mover in [process] + others { Self.merge(ofProcess[mover, default: []], into: &clock) }
        for thing in Footprint.things {
            if footprint.hasWritten(thing) {
                Self.merge(accesses[thing], into: &clock)
            } else if footprint.hasRead(thing) {
                Self.merge(writes[thing], into: &clock)
            }
        }
        if clock.count <= process { clock += repeatElement(0, count: process + 1 - clock.count) }
        clock[process] += 1

        for mover in [process] + others { ofProcess[mover] = clock }
        for thing in Footprint.things {
            let isWritten = footprint.hasWritten(thing)
            if isWritten { Self.merge(clock, into: &writes[thing]) }
            if isWritten || footprint.hasRead(thing) { Self.merge(clock, into: &accesses[thing]) }
        }
        Self.merge(clock, into: &all)
        if footprint == .everything { barrier = clock }
        // Added up, because the turns have no other order than the one that their clocks say.
        hash &+= Self.hash(of: turn, clock)
    }

    private static func merge(_ other: Clock, into clock: inout Clock) {
        if clock.count < other.count { clock += repeatElement(0, count: other.count - clock.count) }
        for (process, turns) in other.enumerated() where clock[process] < turns { clock[process] = turns }
    }

    private static func hash(of turn: Turn, _ clock: Clock) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(turn)
        // The clock also has the turn's number among those of its process. How many zeros are at its end depends on
        // which processes the search had seen.
        for (process, turns) in clock.enumerated() where turns != 0 {
            hasher.combine(process)
            hasher.combine(turns)
        }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension Footprint {
    /// The numbers of the things by which a turn can affect those of other processes.
    fileprivate static let things = (0..<UInt32.bitWidth).filter { $0 != SharedThing.own.rawValue }

    fileprivate func hasRead(_ thing: Int) -> Bool { reads >> UInt32(thing) & 1 != 0 }
    fileprivate func hasWritten(_ thing: Int) -> Bool { writes >> UInt32(thing) & 1 != 0 }
}
