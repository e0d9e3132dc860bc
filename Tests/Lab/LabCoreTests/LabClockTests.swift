// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabPoints
import LabSystem
import Synchronization
import TestSupport
import Testing

@testable import LabCore

@Suite("The lab's clock", .endsInTime)
struct LabClockTests {
    let directory: TemporaryDirectory
    let clock: LabClock

    init() throws {
        directory = try TemporaryDirectory()
        clock = try LabClock.create(directory.file("clock"))
    }

    @Test func `A following clock shows the other one's time, keeps its own lead, and reports it`() throws {
        let directory = try TemporaryDirectory()
        let owner = try LabClock.create(directory.file("owner"))
        let guest = try LabClock.create(directory.file("guest"))
        try owner.advance(by: .minutes(5))
        #expect(try guest.follow(owner.setting) == .zero)
        try owner.freeze()
        // The guest kept running meanwhile and does not go back.
        let before = guest.now()
        let lead = try guest.follow(owner.setting)
        #expect(lead > .zero && guest.isFrozen && guest.now() >= before)
        try owner.advance(by: lead)
        #expect(owner.now() == guest.now())
        #expect(try guest.follow(owner.setting) == .zero)
        try owner.advance(by: .seconds(1))
        #expect(try guest.follow(owner.setting) == .zero)
        #expect(owner.now() == guest.now())
    }

    @Test func `A new clock shows real time`() {
        let before = SteadyClock.nanoseconds()
        let shown = clock.now().nanoseconds
        let after = SteadyClock.nanoseconds()
        #expect((before...after).contains(shown))
        #expect(abs(RealTimeClock.nanoseconds() - SteadyClock.nanoseconds()) < 3_600_000_000_000)
    }

    //  wall clock   13:00 ── set back by an administrator ── 12:00
    //  instance     made                                     read by a process that starts now
    @Test func `Setting the wall clock back while the instance runs does not change lab time in any process`() throws {
        // The view of a process whose wall clock differs from the creator's: its own epoch does not count.
        let directory = try TemporaryDirectory()
        let hour: Int64 = 3_600_000_000_000
        let made = try LabClock.create(directory.file("clock"), epoch: SteadyClock.epoch + hour)
        let before = made.now()
        let opened = try LabClock.open(directory.file("clock"))
        #expect(opened.now() >= before)
        let steady = SteadyClock.nanoseconds()
        #expect(opened.now().nanoseconds - steady >= hour)
        #expect(opened.offset == .zero, "real time of the instance is the one that it began with")
        #expect(try opened.waitUntil(before + .milliseconds(5)))
        try opened.freeze()
        try made.run(rate: 2)
        #expect(made.now() >= before + .milliseconds(5))
    }

    @Test func `An advance is seen through every mapping`() throws {
        let other = try LabClock.open(directory.file("clock"))
        let before = other.now()
        try clock.advance(by: .minutes(5))
        #expect(other.now() - before >= .minutes(5))
        #expect(other.offset == .minutes(5))
    }

    @Test func `A change is traced by the process that makes it`() throws {
        let trace = try TraceWriter(directory: directory.file("traces"), process: "clock", incarnation: 1)
        clock.traceChanges(to: trace)
        try clock.advance(by: .minutes(5))
        try LabClock.open(directory.file("clock")).advance(by: .minutes(1))
        try clock.freeze()
        let events = try TraceReader.readAll(directory.file("traces"))
        #expect(events.map(\.name) == [.clockChanged, .clockChanged])
        #expect(events.first?.fields == ["offset": 300_000, "frozen": false, "rate": 1])
        #expect(events.last?.fields["frozen"] == true)
    }

    @Test func `A frozen clock moves only by advances`() throws {
        try clock.freeze()
        let frozen = clock.now()
        #expect(clock.isFrozen)
        try clock.freeze()
        #expect(clock.now() == frozen)
        try clock.advance(by: .seconds(1))
        #expect(clock.now() - frozen == .seconds(1))
    }

    @Test func `Time does not jump when it runs again after a freeze`() throws {
        try clock.freeze()
        try clock.advance(by: .minutes(1))
        let frozen = clock.now()
        try clock.run()
        #expect(!clock.isFrozen)
        #expect(clock.now() >= frozen)
        #expect(clock.now() - frozen < .minutes(1))
    }

    @Test func `At a rate of 600, ten lab minutes pass per second, starting at the clock's current time`() throws {
        try clock.advance(by: .minutes(5))
        let (before, begin) = (clock.now(), SteadyClock.nanoseconds())
        try clock.run(rate: 600)
        #expect(clock.rate == 600)
        #expect(clock.now() - before < .minutes(10))
        #expect(try clock.waitUntil(before + .seconds(60)))
        let real = SteadyClock.nanoseconds() - begin
        #expect(real >= 100_000_000, "a lab minute is a tenth of a second")
        #expect(clock.now() - before <= LabDuration(nanoseconds: (real + 100_000_000) * 600))
        try clock.freeze()
        let frozen = clock.now()
        try clock.run()
        #expect(clock.rate == 1)
        #expect(clock.now() >= frozen && clock.now() - frozen < .minutes(1))
    }

    @Test func `A fast clock can be advanced, and stops at the end of its range`() throws {
        try clock.run(rate: 86_400)
        let before = clock.now()
        try clock.advance(by: .minutes(60))
        #expect(clock.now() - before >= .minutes(60))
        try clock.run(rate: .max)
        #expect(clock.now() >= before)
        #expect(try clock.waitUntil(before + .minutes(61)))
    }

    @Test func `Time never runs back`() throws {
        #expect(throws: InstanceError.clockBackwards(by: .seconds(-1))) { try clock.advance(by: .seconds(-1)) }
    }

    @Test(arguments: [false, true])
    func `An instance that returns to an earlier state has its earlier time, and runs or stands still from there`(
        isFrozen: Bool
    ) throws {
        let before = clock.now()
        try clock.advance(by: .minutes(60))
        try clock.set(before, rate: 600, isFrozen: isFrozen)
        #expect(clock.isFrozen == isFrozen && clock.rate == 600)
        if isFrozen {
            #expect(clock.now() == before)
        } else {
            #expect(clock.now() >= before)
            #expect(try clock.waitUntil(before + .seconds(1)))
        }
        try clock.set(before, rate: 0, isFrozen: false)
        #expect(clock.rate == 1, "time does not run slower than real time")
    }

    @Test func `An advance beyond the range is refused`() throws {
        let tooFar = LabDuration(nanoseconds: 8_640_000_000_000_000_000)
        #expect(throws: InstanceError.clockTooFar(by: tooFar)) { try clock.advance(by: tooFar) }
        try clock.freeze()
        #expect(throws: InstanceError.clockTooFar(by: tooFar)) { try clock.advance(by: tooFar) }
        try clock.run()
    }

    @Test func `A past deadline is reached at once`() throws {
        #expect(try clock.waitUntil(clock.now()))
    }

    @Test func `An advance wakes a waiter of another mapping`() throws {
        let other = try LabClock.open(directory.file("clock"))
        try clock.freeze()
        let deadline = clock.now() + .minutes(60)
        let reached = Flag()
        let waiter = runOnThread(name: "waiter") { if (try? other.waitUntil(deadline)) == true { reached.set() } }
        try clock.advance(by: .minutes(59))
        #expect(!reached.isSet)
        try clock.advance(by: .minutes(1))
        waiter.join()
        #expect(reached.isSet)
    }

    @Test func `A change wakes a thread that sleeps until a later time`() throws {
        let other = try LabClock.open(directory.file("clock"))
        try clock.freeze()
        let deadline = clock.now() + .minutes(60)
        let status = Mutex("")
        let started = DispatchSemaphore(value: 0)
        let waiter = runOnThread(name: "waiter") {
            let thread = (try? Files.readLink("/proc/thread-self")) ?? ""
            status.withLock { $0 = "/proc/\(thread)/stat" }
            started.signal()
            _ = try? other.waitUntil(deadline)
        }
        started.wait()
        try waitUntilAsleep(status: status.withLock { $0 })
        try clock.advance(by: .minutes(60))
        waiter.join()
    }

    /// Waits until a thread sleeps in the kernel.
    ///
    /// - Parameter path: the file in which the kernel shows the state of the thread.
    private func waitUntilAsleep(status path: String) throws {
        while true {
            let text = String(decoding: try Files.read(path), as: UTF8.self)
            // The state follows the name, which is in brackets.
            if text[(text.lastIndex(of: ")") ?? text.startIndex)...].hasPrefix(") S") { return }
            sched_yield()
        }
    }

    @Test func `Real time passing ends a wait of a running clock`() throws {
        try clock.advance(by: .minutes(10))
        #expect(try clock.waitUntil(clock.now() + .milliseconds(5)))
    }

    @Test func `A cancelled wait returns false`() throws {
        let cancellation = clock.makeCancellation()
        let cancelled = Flag()
        let deadline = clock.now() + .minutes(60)
        let waiter = runOnThread(name: "waiter") { [clock] in
            if (try? clock.waitUntil(deadline, orCancelled: cancellation)) == false { cancelled.set() }
        }
        cancellation.cancel()
        waiter.join()
        #expect(cancelled.isSet)
    }

    @Test func `Readers never see a half-written record`() throws {
        // Frozen times are whole hours here, so a mix of two records would give another value.
        try clock.freeze()
        let start = clock.now()
        let done = Flag()
        let torn = Flag()
        let reader = runOnThread(name: "reader") { [clock] in
            while !done.isSet {
                if (clock.now() - start).nanoseconds % 3_600_000_000_000 != 0 { torn.set() }
            }
        }
        for _ in 0..<500 { try clock.advance(by: .minutes(60)) }
        done.set()
        reader.join()
        #expect(!torn.isSet)
        #expect(clock.now() - start == .minutes(500 * 60))
    }

    // A writer may be killed in the middle of a record: it never writes the record that readers use.
    @Test func `A change does not modify the record in use`() throws {
        try clock.freeze()
        for _ in 0..<3 {
            let before = [UInt8](try Files.read(directory.file("clock")))
            try clock.advance(by: .seconds(1))
            let after = [UInt8](try Files.read(directory.file("clock")))
            let records = [64..<88, 128..<152]
            #expect(records.count { before[$0] != after[$0] } == 1)
            let used = records[Int(before[8] % 2)]
            #expect(before[used] == after[used])
        }
    }

    @Test func `No advance is lost when several threads write`() throws {
        try clock.freeze()
        let start = clock.now()
        let threads = (0..<4).map { _ in
            runOnThread(name: "writer") { [clock] in for _ in 0..<50 { try? clock.advance(by: .seconds(1)) } }
        }
        threads.forEach { $0.join() }
        #expect(clock.now() - start == .seconds(200))
    }

    @Test func `A damaged page is refused`() throws {
        try Files.write(Data(count: 4_096), to: directory.file("zeros"))
        #expect(throws: InstanceError.self) { try LabClock.open(directory.file("zeros")) }
        try Files.write(Data(count: 10), to: directory.file("short"))
        #expect(throws: SystemError.self) { try LabClock.open(directory.file("short")) }
    }

    @Test(
        arguments: [
            ("250ms", 250_000_000), ("2s", 2_000_000_000), ("1.5s", 1_500_000_000), ("5m", 300_000_000_000),
            ("1h", 3_600_000_000_000), ("1d", 86_400_000_000_000), ("3us", 3_000), ("7ns", 7), ("0s", 0),
        ])
    func `Durations are read with their units`(text: String, nanoseconds: Int64) throws {
        let duration = try #require(LabDuration(text))
        #expect(duration.nanoseconds == nanoseconds)
        #expect(LabDuration(duration.description) == duration)
    }

    @Test(arguments: ["", "5", "s", "5 s", "-5s", "5x", "1.s", ".5s", "1.2.3s", "99999999999999d", "٣s"])
    func `Other texts are not durations`(text: String) {
        #expect(LabDuration(text) == nil)
    }
}
