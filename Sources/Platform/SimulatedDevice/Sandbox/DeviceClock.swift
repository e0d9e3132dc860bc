// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabCore
import LabSystem
import Synchronization

/// The wall clock of a device: the lab's clock plus the device's own deviation.
///
/// The deviation lives in an 8-byte page that all processes of the device map, so that a change is seen at once.
/// Thread rule: any thread; nothing blocks.
public final class DeviceClock: Sendable {
    private let clock: LabClock
    private let page: MappedMemory

    /// Opens the clock of a device; the page is created with `initialSkew` (milliseconds) if it does not exist yet.
    public init(layout: InstanceLayout, device: String, clock: LabClock, initialSkew: Int64) throws {
        self.clock = clock
        let path = layout.deviceDirectory(device) + "/clock-skew"
        if !Files.exists(path) {
            try Files.createDirectory(layout.deviceDirectory(device))
            // One process makes the page; the others map that one, and never an empty one.
            try FileLock(path: path + ".lock").withLock {
                guard !Files.exists(path) else { return }
                try Files.write(withUnsafeBytes(of: initialSkew) { Data($0) }, to: path)
            }
        }
        page = try MappedMemory.file(path, size: MemoryLayout<Int64>.size, create: false)
    }

    /// How far the clock is ahead of the lab's, in milliseconds.
    public var skewMilliseconds: Int64 { Int64(bitPattern: page.word64(at: 0).loadRelaxed()) }

    /// Sets how far the clock is ahead of the lab's, in milliseconds, for all processes of the device.
    public func setSkew(milliseconds: Int64) { page.word64(at: 0).storeRelaxed(UInt64(bitPattern: milliseconds)) }

    /// Milliseconds since 1970 on this device.
    public var currentTimeMillis: Int64 { clock.now().milliseconds + skewMilliseconds }

    /// The date on this device.
    public func now() -> Date { Date(timeIntervalSince1970: clock.now().seconds + Double(skewMilliseconds) / 1000) }
}

/// Calls back when a length of the device's time has passed: the lab's time, so that moving the lab's clock ends the wait.
///
/// Thread rule: any thread. Actions run on a thread of the timer's own and must not block.
public final class DeviceTimer: Sendable {
    /// An action that waits for its time.
    public struct Entry: Sendable {
        fileprivate let number: UInt64
        fileprivate let timer: DeviceTimer

        /// Keeps the action from running, unless it runs already.
        public func cancel() { timer.remove(number) }
    }

    private struct State {
        var next: UInt64 = 0
        var actions: [UInt64: (time: LabTime, action: @Sendable () -> Void)] = [:]

        /// Takes out the first timer that is due; of those with the same time, the one scheduled first.
        mutating func takeFirst(until now: LabTime) -> (@Sendable () -> Void)? {
            let due = actions.filter { $0.value.time <= now }.min { ($0.value.time, $0.key) < ($1.value.time, $1.key) }
            return due.flatMap { actions.removeValue(forKey: $0.key)?.action }
        }
    }

    /// Shared with the alarm's thread, which must not keep the timer alive.
    private final class Actions: Sendable {
        let state = Mutex(State())
    }

    private let clock: LabClock
    private let actions: Actions
    private let alarm: LabAlarm

    init(clock: LabClock) {
        let actions = Actions()
        self.clock = clock
        self.actions = actions
        alarm = LabAlarm(clock: clock) { Self.runDue(actions, clock, $0) }
    }

    deinit { alarm.stop() }

    /// Runs an action once, after a time.
    /// - Parameter seconds: of lab time.
    public func schedule(after seconds: TimeInterval, _ action: @escaping @Sendable () -> Void) -> Entry {
        let time = clock.now() + LabDuration(nanoseconds: Int64(min(max(0, seconds), 1e9) * 1e9))
        let number = actions.state.withLock { state in
            state.next += 1
            state.actions[state.next] = (time, action)
            return state.next
        }
        alarm.set(time.nanoseconds)
        return Entry(number: number, timer: self)
    }

    private func remove(_ number: UInt64) { actions.state.withLock { _ = $0.actions.removeValue(forKey: number) } }

    private static func runDue(_ actions: Actions, _ clock: LabClock, _ alarm: LabAlarm) {
        let now = clock.now()
        // One at a time: an action may cancel another one that is due as well.
        while let action = actions.state.withLock({ $0.takeFirst(until: now) }) { action() }
        alarm.set(actions.state.withLock { $0.actions.values.map(\.time).min()?.nanoseconds })
    }
}
