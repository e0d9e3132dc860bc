// SPDX-License-Identifier: Apache-2.0

import LabPoints
import LabSystem
import Synchronization

/// The clock of an instance, one mapped page that all its processes read.
///
/// Lab time is real time plus an offset, runs some times as fast, or stands still while frozen. Real time is what the
/// wall clock showed when the instance began, carried on by the monotonic clock (``SteadyClock``): a wall clock that is
/// set back takes no token, lock or time-out of the lab with it. Reading costs one clock read and a few loads. A change
/// wakes every process that waits for a lab time.
///
/// Thread rule: any thread of any process. Writers exclude each other by a lock on the file.
public final class LabClock: Sendable {
    // Layout of the page, all words in the machine's byte order. There are two records and a generation; the record
    // with the generation's parity is current. A writer fills the other one, then publishes it by raising
    // the generation: one killed halfway leaves the current record intact.
    //   0  magic (4)   4  layout version (4)   8  generation (4)   12  changes, the futex word (4)
    //   16  what is added to the monotonic clock for real time, ns (8)
    //   64 and 128: records of offset ns (8), frozen flag (8), frozen time ns (8), real time ns since which the clock runs
    //   faster (8), by how many seconds a second (8); all zero is real time
    private static let size = 4_096
    private static let magic: UInt32 = 0x4B43_4C4C
    private static let version: UInt32 = 3

    private let memory: MappedMemory
    private let path: String
    private let generation: MappedWord32
    private let changes: MappedWord32
    /// Added to the monotonic clock for real time, in nanoseconds; the same in all processes of the instance.
    private let epoch: Int64
    private let observer = HandlerSlot<Void>()

    private init(_ memory: MappedMemory, path: String) {
        self.memory = memory
        self.path = path
        generation = memory.word32(at: 8)
        changes = memory.word32(at: 12)
        epoch = Int64(bitPattern: memory.word64(at: 16).loadRelaxed())
    }

    /// Makes the clock of a new instance; it shows real time.
    public static func create(_ path: String) throws -> LabClock { try create(path, epoch: SteadyClock.epoch) }

    /// - Parameter epoch: how far real time is ahead of the monotonic clock, in nanoseconds.
    static func create(_ path: String, epoch: Int64) throws -> LabClock {
        let memory = try MappedMemory.file(path, size: size, create: true)
        memory.word32(at: 4).storeRelaxed(version)
        memory.word64(at: 16).storeRelaxed(UInt64(bitPattern: epoch))
        memory.word32(at: 0).storeRelease(magic)
        return LabClock(memory, path: path)
    }

    /// Opens the clock of an instance.
    public static func open(_ path: String) throws -> LabClock {
        let memory = try MappedMemory.file(path, size: size, create: false)
        guard memory.word32(at: 0).loadAcquire() == magic, memory.word32(at: 4).loadRelaxed() == version else {
            throw InstanceError.unreadable(path: path, expected: "a clock page of layout version \(version)")
        }
        return LabClock(memory, path: path)
    }

    /// The lab's time.
    public func now() -> LabTime { time(of: read()) }

    /// Real time, which no setting of the clock changes.
    private var real: Int64 { Int64(MonotonicClock.nanoseconds()) + epoch }
    /// Whether the clock stands still.
    public var isFrozen: Bool { read().frozenAt != nil }
    /// How many seconds of lab time pass in a second while the clock is not frozen.
    public var rate: Int { Int(read().gain) + 1 }

    /// How far the lab's time is from real time now.
    public var offset: LabDuration {
        let (reading, real) = (read(), real)
        return LabDuration(nanoseconds: Self.time(of: reading, at: real).nanoseconds - real)
    }

    /// Moves the clock forward; threads that wait for a time that is now past wake up.
    /// - Throws: `InstanceError.clockBackwards` for a negative duration: lab time never runs back;
    ///   `InstanceError.clockTooFar` for one that would leave the range of the clock.
    public func advance(by duration: LabDuration) throws {
        guard duration >= .zero else { throw InstanceError.clockBackwards(by: duration) }
        try change { reading in
            let (time, overflow) = time(of: reading).nanoseconds.addingReportingOverflow(duration.nanoseconds)
            guard !overflow, time <= Self.latest.nanoseconds else { throw InstanceError.clockTooFar(by: duration) }
            reading.advance(by: duration.nanoseconds)
        }
    }

    /// The latest time that the clock can be moved to, the beginning of the year 2250; times are counted in
    /// nanoseconds, which reach until 2262, and a running clock needs room to advance.
    static let latest = LabTime(nanoseconds: 8_835_955_200_000_000_000)

    /// Stops the clock at its present time. A frozen one stays as it is.
    public func freeze() throws {
        try change { reading in
            reading.frozenAt = reading.frozenAt ?? time(of: reading).nanoseconds
        }
    }

    /// Lets the clock run from its present time, frozen or not.
    /// - Parameter rate: Seconds of lab time in a second of real time; 1 or more.
    public func run(rate: Int = 1) throws {
        try change { reading in
            let real = real
            let time = Self.time(of: reading, at: real).nanoseconds
            reading = ClockSetting(offset: time - real, fastSince: real, gain: Int64(max(1, rate)) - 1)
        }
    }

    /// How the clock is set.
    public var setting: ClockSetting { read() }

    /// Sets the clock of an instance in which nothing runs yet.
    public func set(_ setting: ClockSetting) throws { try change { $0 = setting } }

    /// Sets the time of an instance that returns to an earlier state, also back; nothing runs in it meanwhile.
    /// - Parameter rate: Seconds of lab time in a second of real time while the clock is not frozen; 1 or more.
    public func set(_ time: LabTime, rate: Int, isFrozen: Bool) throws {
        try change { reading in
            let real = real
            reading = ClockSetting(
                offset: time.nanoseconds &- real, frozenAt: isFrozen ? time.nanoseconds : nil, fastSince: real,
                gain: Int64(max(1, rate)) - 1)
        }
    }

    /// Copies the setting of the clock of another host, without going back: time that has passed here stays.
    /// - Returns: how far this clock is ahead of the other one from here on; zero when both agree.
    public func follow(_ setting: ClockSetting) throws -> LabDuration {
        guard read() != setting else { return .zero }
        var lead: Int64 = 0
        try change { reading in
            let real = real
            lead = max(0, Self.time(of: reading, at: real).nanoseconds - Self.time(of: setting, at: real).nanoseconds)
            reading = setting
            reading.advance(by: lead)
        }
        return LabDuration(nanoseconds: lead)
    }

    /// Ends a wait early; one object may serve several waits. Thread rule: any thread.
    public final class Cancellation: Sendable {
        private let cancelled = Atomic<Bool>(false)
        private let clock: LabClock

        fileprivate init(_ clock: LabClock) { self.clock = clock }

        /// Whether `cancel()` was called.
        public var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

        /// Makes the waits that hold this object, now and later, return false.
        public func cancel() {
            cancelled.store(true, ordering: .releasing)
            clock.wakeSleepers()
        }
    }

    /// Makes an object that can end waits on this clock.
    public func makeCancellation() -> Cancellation { Cancellation(self) }

    /// Blocks the thread until the lab's time has reached `deadline`, however it gets there: by real time passing, by
    /// `advance` in any process, or by `run` after a freeze.
    /// - Returns: false when the wait was cancelled first.
    public func waitUntil(_ deadline: LabTime, orCancelled cancellation: Cancellation? = nil) throws -> Bool {
        while true {
            // The word is read first: a change or a cancellation after this line makes the futex return at once.
            let expected = changes.loadAcquire()
            if cancellation?.isCancelled == true { return false }
            let reading = read()
            if time(of: reading) >= deadline { return true }
            var end: Int64?
            if reading.frozenAt == nil { end = Self.realTime(of: reading, at: deadline).map { $0 &- epoch } }
            _ = try Futex.wait(changes, while: expected, until: end)
        }
    }

    /// Calls `handler` after each change that is made through this object: the place to trace it.
    public func onChange(_ handler: @escaping @Sendable () -> Void) { observer.set(handler) }

    /// Makes every waiting thread of every process look at the clock again.
    private func wakeSleepers() {
        changes.add(1)
        Futex.wakeAll(changes)
    }

    private func change(_ body: (inout ClockSetting) throws -> Void) throws {
        // A lock object of its own for each change, so that two threads of one process exclude each other too.
        let lock = try FileLock(path: path, create: false)
        try lock.withLock {
            var reading = read()
            try body(&reading)
            let next = generation.loadRelaxed() &+ 1
            let record = Self.record(of: next)
            memory.word64(at: record).storeRelaxed(UInt64(bitPattern: reading.offset))
            memory.word64(at: record + 8).storeRelaxed(reading.frozenAt == nil ? 0 : 1)
            memory.word64(at: record + 16).storeRelaxed(UInt64(bitPattern: reading.frozenAt ?? 0))
            memory.word64(at: record + 24).storeRelaxed(UInt64(bitPattern: reading.fastSince))
            memory.word64(at: record + 32).storeRelaxed(UInt64(bitPattern: reading.gain))
            generation.storeRelease(next)
        }
        wakeSleepers()
        observer()
    }

    private func read() -> ClockSetting {
        while true {
            let before = generation.loadAcquire()
            let record = Self.record(of: before)
            let offset = memory.word64(at: record).loadRelaxed()
            let isFrozen = memory.word64(at: record + 8).loadRelaxed() != 0
            let frozenAt = memory.word64(at: record + 16).loadRelaxed()
            let fastSince = memory.word64(at: record + 24).loadRelaxed()
            let gain = memory.word64(at: record + 32).loadRelaxed()
            MemoryFence.acquire()
            // The record is rewritten only after the generation has moved on, so an unchanged one proves it whole.
            if generation.loadRelaxed() == before {
                return ClockSetting(
                    offset: Int64(bitPattern: offset), frozenAt: isFrozen ? Int64(bitPattern: frozenAt) : nil,
                    fastSince: Int64(bitPattern: fastSince), gain: Int64(bitPattern: gain))
            }
        }
    }

    private static func record(of generation: UInt32) -> Int { generation % 2 == 0 ? 64 : 128 }

    private func time(of reading: ClockSetting) -> LabTime { Self.time(of: reading, at: real) }

    private static func time(of reading: ClockSetting, at real: Int64) -> LabTime {
        if let frozenAt = reading.frozenAt { return LabTime(nanoseconds: frozenAt) }
        let (gained, isTooMuch) = (real &- reading.fastSince).multipliedReportingOverflow(by: reading.gain)
        let (time, isTooLate) = (real &+ reading.offset).addingReportingOverflow(gained)
        return LabTime(nanoseconds: isTooMuch || isTooLate ? .max : time)
    }

    /// When a running clock shows a time; nil when it is beyond the range.
    private static func realTime(of reading: ClockSetting, at time: LabTime) -> Int64? {
        let begin = reading.fastSince &+ reading.offset
        let (wait, isTooLong) = time.nanoseconds.subtractingReportingOverflow(begin)
        // Rounded up: a wait that ends too early would begin anew.
        let rest = wait % (reading.gain + 1) > 0 ? 1 : 0
        let (real, isTooLate) = reading.fastSince.addingReportingOverflow(wait / (reading.gain + 1) + Int64(rest))
        return isTooLong || isTooLate ? nil : real
    }

    /// Freezes lab time while `body` runs, and resumes it at the former rate. A frozen clock stays frozen.
    public func whileFrozen<Value>(_ body: () throws -> Value) rethrows -> Value {
        guard !isFrozen else { return try body() }
        let rate = rate
        // A clock whose memory is gone belongs to an instance that has ended; there is nothing left to expire.
        try? freeze()
        defer { try? run(rate: rate) }
        return try body()
    }

    /// Writes each change that is made through this object into a trace as `clock.changed`: how far the lab's time is
    /// from real time then, in milliseconds, whether the clock stands still, and how fast it runs.
    /// - Parameter trace: asked for at each change; nil writes nothing.
    public func traceChanges(to trace: @autoclosure @escaping @Sendable () -> TraceWriter?) {
        onChange { [weak self] in
            guard let self else { return }
            trace()?.emit(
                .clockChanged,
                [
                    "offset": .integer(offset.nanoseconds / 1_000_000), "frozen": .bool(isFrozen),
                    "rate": .integer(Int64(rate)),
                ])
        }
    }
}

/// How a ``LabClock`` is set: what makes the lab's time of the machine's.
public struct ClockSetting: Codable, Equatable, Sendable {
    /// Added to real time, in nanoseconds.
    var offset: Int64
    /// Where a frozen clock stands, in nanoseconds since 1970.
    var frozenAt: Int64?
    /// The real time since which the clock runs faster, in nanoseconds since 1970.
    var fastSince: Int64
    /// By how many seconds a second; 0 is the speed of real time.
    var gain: Int64

    /// The same setting for a machine whose real time is ahead of this one's by some nanoseconds, so that both show the same
    /// lab time at the same moment.
    public func onMachine(aheadBy difference: Int64) -> ClockSetting {
        var setting = self
        setting.offset &-= difference
        if gain != 0 { setting.fastSince &+= difference }
        return setting
    }

    /// Moves the clock forward.
    mutating func advance(by nanoseconds: Int64) {
        if let frozenAt { self.frozenAt = frozenAt + nanoseconds } else { offset += nanoseconds }
    }
}
