import Foundation
import SimulatedDevice
import Synchronization

/// Gives an exchange up when its time is over.
///
/// Thread rule: any thread.
final class Patience: Sendable {
    private struct State {
        var entry: DeviceTimer.Entry?
        var isOver = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the time was over before the exchange ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts to count; without effect once the exchange has ended.
    ///
    /// - Parameter limit: seconds of the device's time.
    func begin(_ exchange: any HTTPExchange, limit: TimeInterval, timer: DeviceTimer) {
        let entry = timer.schedule(after: limit) { [self] in
            let givesUp = state.withLock { state in
                if !state.hasEnded { state.isOver = true }
                return state.isOver
            }
            if givesUp { exchange.cancel() }
        }
        let isTooLate = state.withLock { state in
            if !state.hasEnded { state.entry = entry }
            return state.hasEnded
        }
        if isTooLate { entry.cancel() }
    }

    /// The exchange has ended.
    func end() {
        let entry = state.withLock { state in
            state.hasEnded = true
            defer { state.entry = nil }
            return state.entry
        }
        entry?.cancel()
    }
}
