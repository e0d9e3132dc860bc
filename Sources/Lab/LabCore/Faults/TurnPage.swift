// SPDX-License-Identifier: Apache-2.0

public import Dispatch
import Glibc
public import LabPoints
import LabSystem

/// The turns of a block whose order is decided by a scheduler, in memory that all processes of an instance map; a view
/// of the memory of the ``FaultTable``.
///
/// While a scheduler is at work, each process that it has named is held at every fault point until it is granted the
/// next turn. When the process of the scheduler ends, however it ends, the held threads continue within a tenth of a
/// second.
///
/// Thread rule: any thread of any process; one scheduler at a time. Arrivals, begin and end exclude each other by the
/// lock of the table's file, which the kernel releases when a process dies; no thread is held while it has that lock.
public final class TurnPage: Sendable {
    /// How many processes of one block can be given turns.
    public static let slotCount = 16

    /// Where a process is.
    public enum Place: Hashable, Sendable {
        /// It holds no thread.
        case running
        /// It holds a thread at a place: the name of a fault point, or what ``TurnPage/arrive(at:process:)`` was called
        /// with. The thread may be one of the server, which works on a request of the process.
        case held(at: String)
    }

    /// What a thread of an app does.
    public enum Role: UInt32, Sendable {
        /// It receives what the device sends, and handles it, one after the other.
        case connection = 1
        /// It calls the app back about that, in the same order.
        case callbacks = 2
        /// It works on a command of the app's branch, as a thread of the server may for it; or anything else.
        case branch = 4

        /// The role of the calling thread, unless it serves a queue that has one.
        @TaskLocal public static var current: Role = .branch
        /// Gives a queue a role.
        public static let key = DispatchSpecificKey<Role>()
    }

    /// What a process has to do and waits for, as far as it is counted.
    public struct Tasks: Hashable, Sendable {
        /// How many frames and requests were given to it that it has not handled.
        public let work: UInt32
        /// How many events have callbacks that have not returned; of apps only.
        public let callbacks: UInt32
        /// For how many answers of its device it waits.
        public let waits: UInt32
        /// The roles of the threads that are held, or wait for the grant of another thread of the process: the sum of the
        /// raw values.
        let parked: UInt32

        /// Whether it has something to do, and is not held at that.
        public var isBusy: Bool {
            work > 0 && !isParked(.connection) || callbacks > 0 && !isParked(.callbacks)
        }

        /// Whether a thread of a role is held, or waits for the grant of another thread of the process.
        public func isParked(_ role: Role) -> Bool { parked & role.rawValue != 0 }
    }

    // Layout, from `FaultSlot.turnsOffset`: round (4), process id of the scheduler (4), changes, a futex word (4),
    // number of slots in use (4), waits of the scheduler's process (4), 44 unused bytes, then the slots. The round is odd
    // while a scheduler is at work; it never goes back, so a thread that was held in a round that has ended leaves,
    // whatever the slots say since then.
    static let size = headerSize + slotCount * TurnSlot.size

    private static let headerSize = 64
    /// How long a held thread waits, in nanoseconds, before it looks whether the process of the scheduler is alive.
    private static let lookAgain: Int64 = 100_000_000

    private let table: FaultTable
    private let round: MappedWord32
    private let scheduler: MappedWord32
    private let changed: MappedWord32
    private let used: MappedWord32
    private let ownWaits: MappedWord32

    init(_ table: FaultTable) {
        self.table = table
        round = table.memory.word32(at: FaultSlot.turnsOffset)
        scheduler = table.memory.word32(at: FaultSlot.turnsOffset + 4)
        changed = table.memory.word32(at: FaultSlot.turnsOffset + 8)
        used = table.memory.word32(at: FaultSlot.turnsOffset + 12)
        ownWaits = table.memory.word32(at: FaultSlot.turnsOffset + 16)
    }

    /// Begins: from now on the named processes are held at each point, and their arrivals are counted from zero. The
    /// calling process is the one of the scheduler.
    ///
    /// - Parameter processes: different actor names, e.g. `main`; at most ``slotCount``, of at most 111 bytes in UTF-8.
    /// - Throws: `InstanceError.tooManyTurns`, `.faultTextTooLong`; `.turnsTaken` while another scheduler is at work
    ///   whose process is alive; what the system reports when the table's file cannot be locked.
    public func begin(_ processes: [String]) throws { try begin(processes, scheduler: getpid()) }

    /// Begins on behalf of a process.
    func begin(_ processes: [String], scheduler pid: Int32) throws {
        guard processes.count <= Self.slotCount else {
            throw InstanceError.tooManyTurns(processes: processes.count, slots: Self.slotCount)
        }
        for process in processes where process.utf8.count >= FaultSlot.textSize {
            throw InstanceError.faultTextTooLong(process, bytes: FaultSlot.textSize - 1)
        }
        try table.changing {
            if areGiven {
                let other = Int32(bitPattern: scheduler.loadRelaxed())
                guard !ProcessTable.isAlive(other) else { throw InstanceError.turnsTaken(pid: other) }
                release(round.loadAcquire())
            }
            for (index, process) in processes.enumerated() { slot(at: index).reset(process) }
            ownWaits.storeRelaxed(0)
            used.storeRelease(UInt32(processes.count))
            scheduler.storeRelaxed(UInt32(bitPattern: pid))
            round.storeRelease(round.loadRelaxed() &+ 1)
        }
    }

    /// Ends: all held threads continue, nothing is held any longer. Without a scheduler at work it does nothing.
    public func end() { end(round.loadAcquire()) }

    /// Where a process is, with the number of its arrivals since the scheduler began. A process that holds no thread,
    /// or is given no turns, is running.
    public func place(of process: String) -> (place: Place, arrivals: UInt32) {
        slot(of: process)?.read() ?? (.running, 0)
    }

    /// Lets the held thread of a process continue to its next point. For a process that holds none it does nothing.
    public func grant(_ process: String) { slot(of: process)?.grant() }

    /// What a process has to do and waits for; nothing for a process that is given no turns.
    ///
    /// The counts of several processes belong together if ``changes`` is the same before and after they were read.
    public func tasks(of process: String) -> Tasks {
        slot(of: process)?.tasks ?? Tasks(work: 0, callbacks: 0, waits: 0, parked: 0)
    }

    /// For how many answers of devices the branches wait that the process of the scheduler carries out.
    public var waitsOfBranches: UInt32 { ownWaits.loadAcquire() }

    /// Notes that something was given to a process, before it can have it, or that the process has handled it. What was
    /// given to it before the scheduler began is not counted, so the count may end below what is there to handle, and
    /// never goes below zero. Any thread of any process may call it; for a process that is given no turns it does
    /// nothing.
    ///
    /// - Parameters:
    ///   - process: the actor name of the process that has to handle it: an app, or a device for its agent.
    ///   - change: what is added to the count.
    public func changeWork(of process: String, by change: Int) {
        guard areGiven, change != 0, let slot = slot(of: process) else { return }
        Self.change(slot.work, by: change)
        wake()
    }

    /// Notes that callbacks about an event of an app begin, or have returned; as ``changeWork(of:by:)``.
    /// - Returns: Whether it is counted.
    public func changeCallbacks(of process: String, by change: Int) -> Bool {
        guard areGiven, let slot = slot(of: process) else { return false }
        Self.change(slot.callbacks, by: change)
        wake()
        return true
    }

    /// Notes that a process begins to wait for an answer of its device, or has it; as ``changeWork(of:by:)``.
    /// - Parameter process: the actor name of an app; nil for a branch that the calling process carries out, if it is that
    ///   of the scheduler.
    public func changeWaits(of process: String?, by change: Int) {
        guard areGiven, let count = waits(of: process) else { return }
        Self.change(count, by: change)
        wake()
    }

    private func waits(of process: String?) -> MappedWord32? {
        // Others ask devices, too, and no branch waits for their answers.
        guard let process else { return scheduler.loadRelaxed() == UInt32(bitPattern: getpid()) ? ownWaits : nil }
        return slot(of: process)?.waits
    }

    /// Forgets what a process has to do and waits for: it has died.
    public func forgetTasks(of process: String) {
        guard areGiven else { return }
        slot(of: process)?.forgetTasks()
        wake()
    }

    /// Forgets what was given to a process: it is suspended. What it waits for, and which of its threads are held, stays.
    public func forgetWork(of process: String) {
        guard areGiven else { return }
        slot(of: process)?.forgetWork()
        wake()
    }

    private static func change(_ count: MappedWord32, by change: Int) {
        while true {
            let before = count.loadAcquire()
            let after = UInt32(clamping: Int(before) + change)
            if count.compareExchange(expected: before, desired: after) { return }
        }
    }

    /// Waits until a process has arrived somewhere, or ``wake()`` was called, since the count of changes was read;
    /// returns at once if that has happened already. A caller that reads ``changes`` before the places of the
    /// processes misses nothing.
    ///
    /// - Parameters:
    ///   - seen: the value of ``changes``.
    ///   - timeout: how long at most, in real time.
    public func waitForChange(since seen: UInt32, timeout: LabDuration) {
        let now = Int64(MonotonicClock.nanoseconds())
        let end = now + min(max(timeout.nanoseconds, 0), .max - now)
        while changes == seen {
            guard (try? Futex.wait(changed, while: seen, until: end)) == .lookAgain else { return }
        }
    }

    /// Counts arrivals, wakes and what ``tasks(of:)`` is about, of all processes, with wrap-around.
    public var changes: UInt32 { changed.loadAcquire() }

    /// Ends the waits for a change, of all processes.
    public func wake() {
        changed.add(1)
        Futex.wakeAll(changed)
    }

    /// Holds the calling thread of a process at a place until it is granted, or the scheduler has ended. Returns at
    /// once for a process that is given no turns. A second thread of the same process waits for the first one's grant
    /// before it arrives itself.
    ///
    /// - Parameters:
    ///   - place: the name of the place, at most 111 bytes in UTF-8.
    ///   - process: the actor name of the calling process, or of the one for which the thread arrives.
    public func arrive(at place: String, process: String) {
        let current = round.loadAcquire()
        guard Self.isAtWork(current), let slot = slot(of: process) else { return }
        let role = DispatchQueue.getSpecific(key: Role.key) ?? Role.current
        var number: UInt32?
        while round.loadAcquire() == current {
            let granted = slot.granted.loadAcquire()
            if let number {
                // Another thread of the process may have arrived and been granted since this one was.
                if Int32(bitPattern: granted &- number) >= 0 { return resume(slot, from: place) }
            } else if slot.arrivals.loadAcquire() == granted {
                do {
                    number = try table.changing { claim(slot, at: place, in: current) }
                } catch {
                    // A table that cannot be locked belongs to an instance that has ended: its threads are not held.
                    return
                }
                if number != nil { park(slot, role) }
                continue
            } else if !slot.tasks.isParked(role) {
                park(slot, role)
            }
            wait(for: slot, after: granted, in: current)
        }
    }

    /// Notes that a process has an access to something that processes share. Any thread of any process may call it; for
    /// a process that is given no turns it does nothing.
    ///
    /// - Parameters:
    ///   - writing: whether the access can change something.
    ///   - process: the actor name of the process, e.g. `main`.
    public func touch(_ thing: SharedThing, writing: Bool, process: String) {
        var footprint = Footprint()
        if writing { footprint.write(thing) } else { footprint.read(thing) }
        touch(footprint, process: process)
    }

    /// Notes that something is done for a process which may have an access to anything.
    public func touchEverything(process: String) { touch(.everything, process: process) }

    /// What all processes have touched since the last call, or since the scheduler began.
    ///
    /// For the scheduler, while all processes stand still: then it is what was done in one turn, by its process and by
    /// those that were given a lock in it.
    public func takeFootprint() -> Footprint {
        (0..<slotsInUse).reduce(into: Footprint()) { $0.formUnion(slot(at: $1).takeFootprint()) }
    }

    private func touch(_ footprint: Footprint, process: String) {
        guard areGiven else { return }
        slot(of: process)?.touch(footprint)
    }

    /// Notes what a process may touch after an arrival was granted. At a point of the server it arrives on behalf of an
    /// app, and only the server knows what it does there.
    private func resume(_ slot: TurnSlot, from place: String) {
        guard FaultPoint(rawValue: place)?.owners == [.server] else { return }
        var footprint = Footprint()
        footprint.write(.server)
        slot.touch(footprint)
    }

    /// Whether a scheduler is at work.
    public var areGiven: Bool { Self.isAtWork(round.loadAcquire()) }

    private static func isAtWork(_ round: UInt32) -> Bool { round % 2 == 1 }

    private func slot(at index: Int) -> TurnSlot {
        TurnSlot(memory: table.memory, base: FaultSlot.turnsOffset + Self.headerSize + index * TurnSlot.size)
    }

    private func slot(of process: String) -> TurnSlot? {
        (0..<slotsInUse).lazy.map(slot(at:)).first { $0.process == process }
    }

    private var slotsInUse: Int { min(Int(used.loadAcquire()), Self.slotCount) }

    private func park(_ slot: TurnSlot, _ role: Role) {
        slot.parked.or(role.rawValue)
        wake()
    }

    /// Arrives; the table's lock is held.
    /// - Returns: the number of the arrival; nil when another thread of the process came first, or the round is over.
    private func claim(_ slot: TurnSlot, at place: String, in current: UInt32) -> UInt32? {
        let arrivals = slot.arrivals.loadRelaxed()
        guard round.loadAcquire() == current, arrivals == slot.granted.loadAcquire() else { return nil }
        slot.arrive(at: place, number: arrivals &+ 1)
        return arrivals &+ 1
    }

    /// Waits until more of a slot's arrivals are granted than were before.
    private func wait(for slot: TurnSlot, after granted: UInt32, in current: UInt32) {
        let end = Int64(MonotonicClock.nanoseconds()) + Self.lookAgain
        if (try? Futex.wait(slot.granted, while: granted, until: end)) == .lookAgain { return }
        if !ProcessTable.isAlive(Int32(bitPattern: scheduler.loadRelaxed())) { self.end(current) }
    }

    private func end(_ current: UInt32) {
        guard Self.isAtWork(current) else { return }
        // A table that cannot be locked belongs to an instance that has ended; its threads must not stay held for that.
        do { try table.changing { release(current) } } catch { release(current) }
    }

    /// Lets all threads of a round continue, once.
    private func release(_ current: UInt32) {
        guard round.compareExchange(expected: current, desired: current &+ 1) else { return }
        for index in 0..<Self.slotCount { slot(at: index).grant() }
    }
}

/// The turns of one process.
///
/// A slot is 256 bytes: arrivals (4), how many of them are granted, a futex word (4), the things that were read (4) and
/// written (4) since the scheduler looked, then two texts as in a `FaultSlot`: process, place; then the numbers of
/// `TurnPage.Tasks`: work (4), waits (4), callbacks (4), parked (4). Of all arrivals only the last one can be not granted.
private struct TurnSlot {
    static let size = 256

    let memory: MappedMemory
    let base: Int

    var arrivals: MappedWord32 { memory.word32(at: base) }
    var granted: MappedWord32 { memory.word32(at: base + 4) }
    var process: String { memory.text(at: processOffset) }
    var work: MappedWord32 { memory.word32(at: tasksOffset) }
    var waits: MappedWord32 { memory.word32(at: tasksOffset + 4) }
    var callbacks: MappedWord32 { memory.word32(at: tasksOffset + 8) }
    var parked: MappedWord32 { memory.word32(at: tasksOffset + 12) }

    var tasks: TurnPage.Tasks {
        TurnPage.Tasks(
            work: work.loadAcquire(), callbacks: callbacks.loadAcquire(), waits: waits.loadAcquire(),
            parked: parked.loadAcquire())
    }

    private var reads: MappedWord32 { memory.word32(at: base + 8) }
    private var writes: MappedWord32 { memory.word32(at: base + 12) }
    private var processOffset: Int { base + 16 }
    private var placeOffset: Int { processOffset + FaultSlot.textSize }
    private var tasksOffset: Int { placeOffset + FaultSlot.textSize }

    /// Gives the slot to a process; the table's lock is held.
    func reset(_ process: String) {
        arrivals.storeRelaxed(0)
        granted.storeRelaxed(0)
        reads.storeRelaxed(0)
        writes.storeRelaxed(0)
        forgetTasks()
        memory.store(process, at: processOffset)
    }

    func forgetWork() { for count in [work, callbacks] { count.storeRelease(0) } }

    func forgetTasks() { for count in [work, waits, callbacks, parked] { count.storeRelease(0) } }

    /// Writes an arrival; the table's lock is held, and all earlier ones are granted.
    func arrive(at place: String, number: UInt32) {
        precondition(place.utf8.count < FaultSlot.textSize, "the name of the place '\(place)' is too long")
        // A reader that has seen a part of the new place also sees that the one before was granted, and reads again.
        MemoryFence.release()
        memory.store(place, at: placeOffset)
        arrivals.storeRelease(number)
    }

    func grant() {
        // A thread that stays behind another one parks again; until then it counts as busy.
        parked.storeRelease(0)
        granted.storeRelease(arrivals.loadAcquire())
        Futex.wakeAll(granted)
    }

    func touch(_ footprint: Footprint) {
        if footprint.reads != 0 { reads.or(footprint.reads) }
        if footprint.writes != 0 { writes.or(footprint.writes) }
    }

    func takeFootprint() -> Footprint { Footprint(reads: reads.exchange(0), writes: writes.exchange(0)) }

    func read() -> (place: TurnPage.Place, arrivals: UInt32) {
        while true {
            let number = arrivals.loadAcquire()
            let before = granted.loadAcquire()
            if number == before { return (.running, number) }
            let place = memory.text(at: placeOffset)
            MemoryFence.acquire()
            if arrivals.loadRelaxed() == number, granted.loadRelaxed() == before { return (.held(at: place), number) }
        }
    }
}
