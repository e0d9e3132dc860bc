// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import PowerAuthShared
import SimulatedDevice

/// The clock and the timer of the app's device, or those of the machine for a process without a device.
///
/// Thread rule: any thread; actions run on a thread of the timer's own.
struct DeviceTime: Sendable {
    /// Keeps an action from running.
    typealias Cancellation = @Sendable () -> Void

    let now: @Sendable () -> Date
    /// Runs an action once, after a number of seconds.
    let after: @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Cancellation

    static var current: DeviceTime { Sandbox.currentIfEntered.map(DeviceTime.init) ?? machine }

    init(_ sandbox: Sandbox) {
        now = { sandbox.clock.now() }
        after = { [timer = sandbox.timer] seconds, action in
            let entry = timer.schedule(after: seconds, action)
            return { entry.cancel() }
        }
    }

    /// Another clock, with its own timer.
    init(
        now: @escaping @Sendable () -> Date,
        after: @escaping @Sendable (TimeInterval, @escaping @Sendable () -> Void) -> Cancellation
    ) {
        self.now = now
        self.after = after
    }

    private static let machine = DeviceTime(
        now: { Date(timeIntervalSince1970: Double(RealTimeClock.nanoseconds()) / 1e9) },
        after: { seconds, action in
            let source = DispatchSource.makeTimerSource()
            source.schedule(deadline: .now() + seconds)
            source.setEventHandler(handler: action)
            source.activate()
            // Sources may be cancelled on any thread.
            let timer = UncheckedTransfer(source)
            return { timer.value.cancel() }
        })
}
