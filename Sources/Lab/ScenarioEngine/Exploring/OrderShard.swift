// SPDX-License-Identifier: Apache-2.0

import LabCore
import ScenarioLanguage

// The parts of an exploration, one for each of several machines.
//
// Every shard plays the orders without a preemption and without a death: they are few, and all others begin as one of them
// does. What such an order opens with its first preemption or death is dealt by a hash of its turns, and an opening takes
// all orders behind it along. So each order belongs to exactly one shard, and no shard has to know another one. Of orders
// with the same effect several may be played, each by another shard.
extension Shard {
    /// Whether the orders behind an opening belong to this part.
    /// - Parameter opening: Turns up to the first preemption and with it.
    func contains(_ opening: some Sequence<Turn>) -> Bool { contains(DealtOrders.name(of: opening)) }
}

/// The openings that an exploration has dealt to the shards. All shards must have dealt the same ones; otherwise orders
/// may belong to no shard.
package struct DealtOrders: Sendable {
    private var hashes: Set<UInt64> = []

    /// No openings.
    init() {}

    /// Takes an opening, unless another execution of the same order may not have it: because its last turn may be
    /// missing, or that of the process which it leaves.
    /// - Parameter left: The turn of the process that is preempted; nil for a process that waits.
    mutating func insert(_ opening: some BidirectionalCollection<Turn>, leaving left: Turn?) {
        let uncertain = [opening.last, left].compactMap(\.self).contains(where: TurnScheduler.isRelease)
        guard !uncertain else { return }
        var stream = SeedStream(seed: 0, "opening", Self.name(of: opening))
        hashes.insert(stream.next())
    }

    /// The same text for the same openings, in any order: their number, and a hash.
    package var fingerprint: String {
        let sum: UInt64 = hashes.reduce(0) { $0 &+ $1 }
        return "\(hashes.count)-\(String(sum, radix: 16))"
    }

    /// The name of an opening, the same on each machine: without the turns that may come or be missing.
    static func name(of opening: some Sequence<Turn>) -> String {
        opening.filter { !TurnScheduler.isRelease($0) }
            .map { "\($0.process): \($0.place)\($0.dies ? " dies" : "")" }.joined(separator: ", ")
    }
}
