// SPDX-License-Identifier: Apache-2.0

public import LabCore
public import LabSystem
import Synchronization

/// Arms in a guest's table what the owner has armed for the guest's processes.
///
/// Thread rule: any thread.
public final class FaultMirror: Sendable {
    private let table: FaultTable
    /// The arming here for each of the owner's.
    private let armings = Mutex<[UInt32: UInt32]>([:])

    /// Mirrors into a table.
    public init(_ table: FaultTable) { self.table = table }

    /// Arms what is new, and disarms what is gone.
    public func follow(_ faults: [JoinFault]) throws {
        try armings.withLock { armings in
            let wanted = Set(faults.map(\.id))
            for (id, own) in armings where !wanted.contains(id) {
                try table.disarm(id: own)
                armings[id] = nil
            }
            for fault in faults where armings[fault.id] == nil {
                guard let rule = fault.rule else { continue }
                armings[fault.id] = try table.arm(rule)
            }
        }
    }

    /// The owner's number of an arming; nil when it is not the owner's.
    public func ownersID(of id: UInt32) -> UInt32? { armings.withLock { $0.first { $0.value == id }?.key } }
}

/// How far the clocks of an owner's machine are from those of this one, as measured by questions and answers.
///
/// A value that decides and does nothing else.
public struct MachineDifference: Sendable {
    /// By how much this machine's real time is ahead of the owner's, in nanoseconds.
    public private(set) var real: Int64 = 0
    /// The same of the monotonic clocks, which count from the start of each machine.
    public private(set) var monotonic: Int64 = 0
    /// How long the best question was under way.
    private var shortest = Int64.max

    /// Nothing is known yet.
    public init() {}

    /// Takes an answer into account; the one that came fastest counts.
    /// - Parameters:
    ///   - sent: when the question left, on this machine's monotonic clock.
    ///   - ownerReal: the owner's real time when it answered.
    ///   - ownerMonotonic: the owner's monotonic time then.
    public mutating func take(
        sent: UInt64, ownerReal: Int64, ownerMonotonic: UInt64,
        now: UInt64 = MonotonicClock.nanoseconds(), realNow: Int64 = SteadyClock.nanoseconds()
    ) {
        guard now >= sent, Int64(now - sent) < shortest else { return }
        shortest = Int64(now - sent)
        let half = shortest / 2
        // A difference within the error of the measurement is ignored: the same machine, or clocks that agree.
        func difference(_ mine: Int64, _ theirs: Int64) -> Int64 {
            let difference = mine - half - theirs
            return abs(difference) <= half + 1_000_000 ? 0 : difference
        }
        real = difference(realNow, ownerReal)
        monotonic = difference(Int64(clamping: now), Int64(clamping: ownerMonotonic))
    }
}
