import Foundation
import PowerAuthShared
import Synchronization
import UIKit

/// Refreshes the list again and again (mobile-token.md, section 6.4). The interval is the device's time.
///
/// Thread rule: any thread.
final class OperationPolling: Sendable {
    /// No shorter interval is taken.
    static let minimum: TimeInterval = 5

    private struct State {
        /// Nil while nothing is polled.
        var interval: TimeInterval?
        var isPaused = false
        var cancel: DeviceTime.Cancellation?
        /// Number of the timer that counts; an older one that fires late does nothing.
        var timer = 0
    }

    private let state = Mutex(State())
    private let time: DeviceTime
    private let refresh: @Sendable () -> Void

    /// - Parameters:
    ///   - time: the device's.
    ///   - refresh: called on any thread.
    init(time: DeviceTime, refresh: @escaping @Sendable () -> Void) {
        self.time = time
        self.refresh = refresh
    }

    deinit { state.withLock { $0.cancel }?() }

    /// Also true while paused.
    var isPolling: Bool { state.withLock { $0.interval != nil } }

    /// Begins to poll, unless it is done already: then the interval stays as it is.
    func start(interval: TimeInterval, delayStart: Bool) {
        if interval < Self.minimum {
            WMTLogger.warning("The polling interval is raised to \(Int(Self.minimum)) seconds.")
        }
        let isNew = state.withLock { state in
            guard state.interval == nil else { return false }
            state.interval = max(interval, Self.minimum)
            state.isPaused = false
            arm(&state)
            return true
        }
        guard isNew else { return WMTLogger.warning("Operations are polled already.") }
        if !delayStart { refresh() }
    }

    /// Ends it, also while paused.
    func stop() {
        state.withLock { state in
            disarm(&state)
            state.interval = nil
            state.isPaused = false
        }
    }

    /// Waits for ``resume()``.
    func pause() {
        state.withLock { state in
            guard state.interval != nil else { return }
            disarm(&state)
            state.isPaused = true
        }
    }

    /// Continues after ``pause()``, with a refresh at once.
    func resume() {
        let isPaused = state.withLock { state in
            guard state.isPaused else { return false }
            state.isPaused = false
            arm(&state)
            return true
        }
        if isPaused { refresh() }
    }

    private func arm(_ state: inout State) {
        guard let interval = state.interval else { return }
        state.timer += 1
        state.cancel = time.after(interval) { [weak self, timer = state.timer] in self?.ring(timer) }
    }

    private func disarm(_ state: inout State) {
        state.cancel?()
        state.cancel = nil
        state.timer += 1
    }

    private func ring(_ timer: Int) {
        let isDue = state.withLock { state in
            guard state.timer == timer else { return false }
            arm(&state)
            return true
        }
        if isDue { refresh() }
    }
}

/// Pauses polling while the app does not have the user's attention.
final class PollingPause: Sendable {
    private let observers: Transferred<[any NSObjectProtocol]>
    private let center: Transferred<NotificationCenter>

    init(_ polling: OperationPolling, center: NotificationCenter = .default) {
        func observe(
            _ name: Notification.Name, _ body: @escaping @Sendable (OperationPolling) -> Void
        ) -> any NSObjectProtocol {
            center.addObserver(forName: name, object: nil, queue: nil) { [weak polling] _ in
                if let polling { body(polling) }
            }
        }
        self.center = Transferred(center)
        observers = Transferred([
            observe(UIApplication.willResignActiveNotification) { $0.pause() },
            observe(UIApplication.didBecomeActiveNotification) { $0.resume() },
        ])
    }

    deinit {
        for observer in observers.value { center.value.removeObserver(observer) }
    }
}
