// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthShared
import SimulatedDevice
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
    private let observers: UncheckedTransfer<[any NSObjectProtocol]>
    private let center: UncheckedTransfer<NotificationCenter>

    init(_ polling: OperationPolling, center: NotificationCenter = .default) {
        func observe(
            _ name: Notification.Name, _ body: @escaping @Sendable (OperationPolling) -> Void
        ) -> any NSObjectProtocol {
            center.addObserver(forName: name, object: nil, queue: nil) { [weak polling] _ in
                if let polling { body(polling) }
            }
        }
        self.center = UncheckedTransfer(center)
        observers = UncheckedTransfer([
            observe(UIApplication.willResignActiveNotification) { $0.pause() },
            observe(UIApplication.didBecomeActiveNotification) { $0.resume() },
        ])
    }

    deinit {
        for observer in observers.value { center.value.removeObserver(observer) }
    }
}

/// The operations that the service knows, and what an app is notified of when they change (mobile-token.md, section
/// 6.3).
struct OperationRegister {
    /// What the delegate is notified of.
    struct Change {
        let operations: [WMTUserOperation]
        var removed: [WMTUserOperation] = []
        var added: [WMTUserOperation] = []
    }

    /// Whether known operations keep content and place when they are listed again (mobile-token.md, section 24, item
    /// 2).
    let keepsOldOperations: Bool
    private var operations: [WMTUserOperation] = []

    init(keepsOldOperations: Bool) { self.keepsOldOperations = keepsOldOperations }

    /// Takes the server's list, in its order; each operation once.
    mutating func replace(with listed: [WMTUserOperation]) -> Change {
        let known = Set(operations.map(\.id))
        let removed = operations.filter { old in !listed.contains { $0.id == old.id } }
        if keepsOldOperations {
            let added = listed.filter { !known.contains($0.id) }
            operations.removeAll { old in removed.contains { $0.id == old.id } }
            operations += added
            return Change(operations: operations, removed: removed, added: added)
        }
        var seen: Set<String> = []
        operations = listed.filter { seen.insert($0.id).inserted }
        return Change(operations: operations, removed: removed, added: operations.filter { !known.contains($0.id) })
    }

    /// Appends a claimed operation; nil when it is known.
    mutating func add(_ operation: WMTUserOperation) -> Change? {
        guard !operations.contains(where: { $0.id == operation.id }) else { return nil }
        operations.append(operation)
        return Change(operations: operations, added: [operation])
    }

    /// Removes an operation that is done; nil when it is not known.
    mutating func remove(id: String) -> Change? {
        guard let index = operations.firstIndex(where: { $0.id == id }) else { return nil }
        let removed = operations.remove(at: index)
        return Change(operations: operations, removed: [removed])
    }
}
