import Foundation
import HTTPClient
import SimulatedDevice
import Synchronization

/// Gives an exchange up when its time is over.
///
/// Thread rule: any thread.
final class Patience: Sendable {
    private struct State {
        var entry: DeviceTimer.Entry?
        var exchange: (any HTTPExchange)?
        var isOver = false
        var hasEnded = false
    }

    private let state = Mutex(State())

    /// Whether the time was over before the exchange ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    /// Starts to count. Before the exchange does: a clock that is moved as soon as the server has the request must find the
    /// limit set.
    ///
    /// - Parameter limit: seconds of the device's time.
    func begin(limit: TimeInterval, timer: DeviceTimer) {
        let entry = timer.schedule(after: limit) { [self] in
            let exchange = state.withLock { state in
                if !state.hasEnded { state.isOver = true }
                return state.exchange
            }
            exchange?.cancel()
        }
        let isTooLate = state.withLock { state in
            if !state.hasEnded { state.entry = entry }
            return state.hasEnded
        }
        if isTooLate { entry.cancel() }
    }

    /// Sets the exchange to cancel; at once if the time is over already.
    func hold(_ exchange: any HTTPExchange) {
        let givesUp = state.withLock { state in
            if !state.hasEnded { state.exchange = exchange }
            return state.isOver && !state.hasEnded
        }
        if givesUp { exchange.cancel() }
    }

    /// The exchange has ended.
    func end() {
        let entry = state.withLock { state in
            state.hasEnded = true
            state.exchange = nil
            defer { state.entry = nil }
            return state.entry
        }
        entry?.cancel()
    }
}
