// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("Limits of the lab's clock", .endsInTime)
struct LabClockLimitTests {
    private let directory: TemporaryDirectory
    private let clock: LabClock

    init() throws {
        directory = try TemporaryDirectory()
        clock = try LabClock.create(directory.file("clock"))
    }

    @Test func `The clock can be moved to the beginning of 2250, and not a nanosecond further`() throws {
        #expect(LabClock.latest.text == "2250-01-01T00:00:00.000Z")
        let nanosecond = LabDuration(nanoseconds: 1)
        try clock.freeze()
        let rest = LabClock.latest - clock.now()
        #expect(throws: InstanceError.clockTooFar(by: LabDuration(nanoseconds: rest.nanoseconds + 1))) {
            try clock.advance(by: LabDuration(nanoseconds: rest.nanoseconds + 1))
        }
        try clock.advance(by: rest)
        #expect(clock.now() == LabClock.latest)
        #expect(throws: InstanceError.clockTooFar(by: nanosecond)) { try clock.advance(by: nanosecond) }
        try clock.advance(by: .zero)
        #expect(throws: InstanceError.clockBackwards(by: LabDuration(nanoseconds: -1))) {
            try clock.advance(by: LabDuration(nanoseconds: -1))
        }
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 1), (2, 2)])
    func `A clock runs at the speed of real time at least`(rate: Int, shown: Int) throws {
        try clock.run(rate: rate)
        #expect(clock.rate == shown)
        #expect(clock.setting.gain == Int64(shown) - 1)
    }

    @Test func `A clock that is frozen for a while runs on at its rate, one that was frozen before stays so`() throws {
        try clock.run(rate: 5)
        let inside = clock.whileFrozen { (clock.isFrozen, clock.now(), clock.now()) }
        #expect(inside.0 && inside.1 == inside.2)
        #expect(!clock.isFrozen && clock.rate == 5)
        #expect(throws: CancellationError.self) { try clock.whileFrozen { throw CancellationError() } }
        #expect(!clock.isFrozen && clock.rate == 5)
        try clock.freeze()
        #expect(clock.whileFrozen { clock.isFrozen })
        #expect(clock.isFrozen && clock.rate == 5)
    }

    @Test func `A setting is what was set, and equal settings need no change`() throws {
        let setting = ClockSetting(offset: 1, frozenAt: 2, fastSince: 3, gain: 4)
        try clock.set(setting)
        #expect(clock.setting == setting)
        let opened = try LabClock.open(directory.file("clock"))
        #expect(opened.setting == setting && opened.now() == LabTime(nanoseconds: 2) && opened.rate == 5)
        let before = try Files.read(directory.file("clock"))
        #expect(try clock.follow(setting) == .zero)
        #expect(try Files.read(directory.file("clock")) == before)
    }

    @Test func `An advanced setting is later by as much, frozen or not`() {
        var frozen = ClockSetting(offset: 1, frozenAt: 2, fastSince: 3, gain: 4)
        frozen.advance(by: 10)
        #expect(frozen == ClockSetting(offset: 1, frozenAt: 12, fastSince: 3, gain: 4))
        var running = ClockSetting(offset: 1, frozenAt: nil, fastSince: 3, gain: 4)
        running.advance(by: 10)
        #expect(running == ClockSetting(offset: 11, frozenAt: nil, fastSince: 3, gain: 4))
    }

    @Test(arguments: [0, 4])
    func `Pages of another kind or version are refused, of the clock and of the faults`(offset: Int) throws {
        _ = try FaultTable.create(directory.file("faults"))
        for name in ["clock", "faults"] {
            var page = try Files.read(directory.file(name))
            page[offset] += 1
            try Files.write(page, to: directory.file(name))
        }
        #expect(
            throws: InstanceError.unreadable(
                path: directory.file("clock"), expected: "a clock page of layout version 3")
        ) { try LabClock.open(directory.file("clock")) }
        #expect(
            throws: InstanceError.unreadable(
                path: directory.file("faults"), expected: "a fault table of layout version 5")
        ) { try FaultTable.open(directory.file("faults")) }
    }
}
