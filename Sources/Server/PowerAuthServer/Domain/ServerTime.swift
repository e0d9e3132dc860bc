// SPDX-License-Identifier: Apache-2.0

import LabSystem
import Synchronization

/// A moment as the protocol counts it: milliseconds of Unix time.
public struct ServerTime: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// Creates a moment.
    /// - Parameter milliseconds: milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Whole seconds since 1970, for JWT claims.
    public var seconds: Int64 { milliseconds / 1000 }

    public static func < (earlier: ServerTime, later: ServerTime) -> Bool { earlier.milliseconds < later.milliseconds }

    /// The moment `milliseconds` later (or earlier, when negative). Saturates at the ends of the range,
    /// because clients choose some of the operands.
    func advanced(by milliseconds: Int64) -> ServerTime {
        let (sum, overflow) = self.milliseconds.addingReportingOverflow(milliseconds)
        return overflow ? ServerTime(milliseconds: milliseconds > 0 ? .max : .min) : ServerTime(milliseconds: sum)
    }
}

/// Where the server reads the time from: the machine's clock, or the clock page of a lab instance.
///
/// Implementations are called from any thread; ``now()`` must not block.
public protocol ServerClock: Sendable {
    /// The current moment.
    func now() -> ServerTime

    /// Blocks until a moment has come or the alarm was rung since the last wait for it.
    /// - Parameters:
    ///   - deadline: nil waits for the alarm alone.
    ///   - alarm: only one thread waits for it.
    func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm)
}

extension ServerClock {
    /// For clocks that run at the speed of real time.
    public func wait(until deadline: ServerTime?, orRung alarm: ServerAlarm) {
        guard let deadline else { return alarm.wait(milliseconds: nil) }
        alarm.wait(milliseconds: max(0, deadline.advanced(by: -now().milliseconds).milliseconds))
    }
}

/// Wakes the one thread that waits for a moment of the server's clock.
///
/// Thread rule: any thread may ring; one thread waits.
public final class ServerAlarm: Sendable {
    private struct State {
        var isRung = false
        var wake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Creates an alarm that was not rung.
    public init() {}

    /// Ends the wait under way, or else the next one. Returns at once.
    public func ring() {
        let wake = state.withLock { state in
            state.isRung = true
            return state.wake
        }
        wake?()
    }

    /// Blocks until rung, or for a time.
    /// - Parameter milliseconds: of real time; nil waits without end.
    public func wait(milliseconds: Int64?) {
        let isRung = OneShot<Void>()
        wait(wakingBy: { isRung.set() }) {
            if let milliseconds {
                _ = isRung.wait(timeoutNanoseconds: min(max(milliseconds, 0), 86_400_000) * 1_000_000)
            } else {
                isRung.wait()
            }
        }
    }

    /// Runs a wait of another kind, which a ring ends by calling `wake`; not at all if rung before.
    public func wait(wakingBy wake: @escaping @Sendable () -> Void, _ body: () -> Void) {
        let mustWait = state.withLock { state in
            if !state.isRung { state.wake = wake }
            return !state.isRung
        }
        if mustWait { body() }
        state.withLock { $0 = State() }
    }
}

/// Time that a fault takes, by the server's clock: a lab that moves its clock ends it.
struct Delay: Sendable {
    let clock: any ServerClock

    /// Waits on a thread of its own, because the clock's wait blocks.
    func wait(until end: ServerTime) async {
        await onThread(named: "server delay") { [clock] in
            let alarm = ServerAlarm()
            while clock.now() < end { clock.wait(until: end, orRung: alarm) }
        }
    }
}
