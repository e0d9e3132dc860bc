// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import LabPoints
import LabSystem
import Synchronization

/// The faults armed in an instance, in memory that all its processes map: arming works before a process starts and
/// takes effect in running ones at once. Behind them are the turns of a block whose order is decided, ``turns``.
///
/// Thread rule: any thread of any process. Those who arm exclude each other by a lock on the file.
public final class FaultTable: Sendable {
    /// How many rules can be armed at a time.
    public static let slotCount = 64

    private static let magic: UInt32 = 0x544C_4641

    let memory: MappedMemory
    private let path: String
    private let live: MappedWord32
    private let passes = Mutex<[Int: (arming: UInt32, count: Int)]>([:])
    private let observer = HandlerSlot<Armed>()

    /// A rule in the table.
    public struct Armed: Hashable, Sendable {
        /// Identifies the arming.
        public let id: UInt32
        /// The rule.
        public let rule: FaultRule
        /// How often it has fired, over all incarnations.
        public let fired: Int
        /// How many passes it was about, over all incarnations: zero while no process has reached the point.
        public let passed: Int
    }

    private init(_ memory: MappedMemory, path: String) {
        self.memory = memory
        self.path = path
        live = memory.word32(at: FaultSlot.liveCountOffset)
    }

    /// Makes the empty table of a new instance.
    public static func create(_ path: String) throws -> FaultTable {
        let memory = try MappedMemory.file(path, size: FaultSlot.tableSize, create: true)
        memory.word32(at: 4).storeRelaxed(FaultSlot.layoutVersion)
        memory.word32(at: 0).storeRelease(magic)
        return FaultTable(memory, path: path)
    }

    /// Opens the table of an instance.
    public static func open(_ path: String) throws -> FaultTable {
        let memory = try MappedMemory.file(path, size: FaultSlot.tableSize, create: false)
        guard memory.word32(at: 0).loadAcquire() == magic,
            memory.word32(at: 4).loadRelaxed() == FaultSlot.layoutVersion
        else {
            throw InstanceError.unreadable(
                path: path, expected: "a fault table of layout version \(FaultSlot.layoutVersion)")
        }
        return FaultTable(memory, path: path)
    }

    /// The turns of a block whose order a scheduler decides.
    public var turns: TurnPage { TurnPage(self) }

    /// Whether a pass can have an effect: a rule of the instance can still fire, or a scheduler gives turns. Costs one
    /// load.
    public var isArmed: Bool { live.loadRelaxed() != 0 }

    /// Passes a fault point. While nothing is armed in the instance, and no scheduler gives turns, this costs one load
    /// and a branch. A process that is given turns is held first (``TurnPage/arrive(at:process:)``); then the rules
    /// take effect.
    ///
    /// - Parameters:
    ///   - process: the actor name of the calling process, e.g. `main`.
    ///   - subject: what this pass is about, as ``FaultPoint/subject`` says; composed only while something is armed.
    /// - Throws: the error of a `.fail` rule.
    @inline(__always)
    public func pass(
        _ point: FaultPoint, process: String, about subject: @autoclosure () -> String = ""
    ) throws(InjectedFault) {
        if live.loadRelaxed() == 0 { return }
        try passArmed(point, process: process, subject: subject())
    }

    /// Holds the calling thread at a place until a process is granted the turn (``TurnPage/arrive(at:process:)``); no
    /// rule takes effect. While nothing is armed in the instance, and no scheduler gives turns, this costs one load and a
    /// branch.
    ///
    /// - Parameters:
    ///   - place: the name of the place, at most 111 bytes in UTF-8; composed only while something is armed.
    ///   - process: the actor name of the process whose turn it is: the calling one, or one that waits for the caller.
    @inline(__always)
    public func takeTurn(at place: @autoclosure () -> String, of process: String) {
        if live.loadRelaxed() == 0 { return }
        turns.arrive(at: place(), process: process)
    }

    /// Notes an access to something that processes share, for a scheduler that wants to know what its turns have
    /// touched. While nothing is armed in the instance, and no scheduler gives turns, this costs one load and a branch.
    ///
    /// The turn of the note must be that of the access: no fault point lies between the two.
    /// - Parameters:
    ///   - writing: whether the access can change something.
    ///   - process: the actor name of the calling process, e.g. `main`.
    @inline(__always)
    public func touch(_ thing: SharedThing, writing: Bool, process: String) {
        if live.loadRelaxed() == 0 { return }
        turns.touch(thing, writing: writing, process: process)
    }

    /// Calls `handler` in this process before a rule takes effect, also before a kill: the place to trace it. The count
    /// includes this time.
    public func onFiring(_ handler: @escaping @Sendable (Armed) -> Void) {
        observer.set(handler)
    }

    /// Arms a rule.
    ///
    /// - Returns: the id of the arming.
    /// - Throws: `InstanceError.faultTableFull`, `.faultTextTooLong`.
    @discardableResult
    public func arm(_ rule: FaultRule) throws -> UInt32 {
        try changing {
            // Rules that have fired for the last time keep their slot for the report until it is needed.
            let free = slots.first { !$0.isArmed } ?? slots.first { $0.isSpent }
            guard let slot = free else { throw InstanceError.faultTableFull(slots: Self.slotCount) }
            let lastID = memory.word32(at: FaultSlot.lastArmingOffset)
            let id = lastID.loadRelaxed() &+ 1
            lastID.storeRelaxed(id)
            try slot.write(rule, arming: id)
            return id
        }
    }

    /// Removes rules.
    ///
    /// - Parameters:
    ///   - process: only those of this process; nil means all.
    ///   - id: only the rule of this arming; nil means all.
    /// - Returns: the removed rules.
    @discardableResult
    public func disarm(process: String? = nil, id: UInt32? = nil) throws -> [Armed] {
        try changing {
            var removed: [Armed] = []
            for slot in slots {
                guard let armed = slot.read() else { continue }
                if let process, armed.rule.process != process { continue }
                if let id, armed.id != id { continue }
                slot.clear()
                removed.append(armed)
            }
            return removed
        }
    }

    /// Counts a firing that happened in the instance of another host.
    public func noteFiring(id: UInt32) throws {
        try changing {
            guard let slot = slots.first(where: { $0.read()?.id == id }), let rule = slot.read()?.rule else { return }
            slot.countPass()
            _ = slot.claimFiring(limit: rule.limit)
        }
    }

    /// All rules with their fired counts, spent ones included, in the order of their arming.
    public func rules() -> [Armed] {
        slots.compactMap { $0.read() }.sorted { $0.id < $1.id }
    }

    /// The rules with their counts, as bytes that ``restoreRules(_:)`` takes. Nothing passes a fault point meanwhile.
    package func copyOfRules() throws -> Data {
        try changing { Data(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory.bytes)[FaultSlot.slots])) }
    }

    /// Replaces all rules by those of a copy. Nothing passes a fault point meanwhile.
    /// - Throws: `InstanceError.unreadable` for bytes of another size.
    package func restoreRules(_ copy: Data) throws {
        guard copy.count == FaultSlot.slots.count else {
            throw InstanceError.unreadable(
                path: path, expected: "a copy of \(FaultSlot.slots.count) bytes of the fault rules")
        }
        try changing {
            UnsafeMutableRawBufferPointer(rebasing: memory.bytes[FaultSlot.slots]).copyBytes(from: copy)
            // In another instance the next rule would get the number of a restored one.
            let lastID = memory.word32(at: FaultSlot.lastArmingOffset)
            lastID.storeRelaxed(slots.compactMap { $0.read()?.id }.reduce(lastID.loadRelaxed(), max))
        }
    }

    private var slots: [FaultSlot] { (0..<Self.slotCount).map { FaultSlot(memory: memory, index: $0) } }

    /// Runs a change under the table's lock and recounts what a pass must look at, the live rules and a scheduler at
    /// work, which also repairs the count after a writer was killed. The lock does not nest.
    func changing<Result>(_ body: () throws -> Result) throws -> Result {
        let lock = try FileLock(path: path, create: false)
        return try lock.withLock {
            defer {
                let rules = slots.count { $0.isArmed && !$0.isSpent }
                live.storeRelease(UInt32(rules + (turns.areGiven ? 1 : 0)))
            }
            return try body()
        }
    }

    private func passArmed(_ point: FaultPoint, process: String, subject: String) throws(InjectedFault) {
        turns.arrive(at: point.rawValue, process: process)
        var failure: InjectedFault?
        for slot in slots where slot.isArmed && !slot.isSpent {
            guard let armed = slot.read(), armed.rule.point == point, armed.rule.process == process else { continue }
            let rule = armed.rule
            guard rule.isAbout(subject) else { continue }
            slot.countPass()
            let count = passes.withLock { passes in
                // A slot used again by another arming starts counting anew.
                let before = passes[slot.index].flatMap { $0.arming == armed.id ? $0.count : nil } ?? 0
                passes[slot.index] = (armed.id, before + 1)
                return before + 1
            }
            guard rule.limit == 0 ? count >= rule.pass : count == rule.pass else { continue }
            guard let fired = slot.claimFiring(limit: rule.limit) else { continue }
            // A spent rule costs the others nothing: the count of live rules is taken anew. Failing here leaves it
            // too high, which is slower and nothing worse.
            if fired == rule.limit { try? changing {} }
            observer(Armed(id: armed.id, rule: rule, fired: fired, passed: armed.passed + 1))
            switch rule.action {
            case .kill: Signals.killSelf()
            case .delay(let duration): MonotonicClock.pause(nanoseconds: duration.nanoseconds)
            case .fail(let error): failure = failure ?? InjectedFault(point: point, error: error)
            }
        }
        if let failure { throw failure }
    }
}
