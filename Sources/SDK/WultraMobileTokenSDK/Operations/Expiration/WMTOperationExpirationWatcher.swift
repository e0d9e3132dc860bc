// SPDX-License-Identifier: Apache-2.0

public import Foundation
import PowerAuthShared
import SimulatedDevice

/// Is notified of expired operations.
public protocol WMTOperationExpirationWatcherDelegate: AnyObject {
    /// Operations have expired and are no longer watched. Called on the main queue. The service does not remove them:
    /// reload the list.
    func operationsExpired(_ expiredOperations: [any WMTExpirableOperation])
}

/// Reports when operations expire (mobile-token.md, section 11). Thread rule: any thread.
public final class WMTOperationExpirationWatcher: Sendable {
    private struct State {
        var operations: [any WMTExpirableOperation] = []
        var provider: any WMTCurrentDateProvider
        weak var delegate: (any WMTOperationExpirationWatcherDelegate)?
        var cancel: DeviceTime.Cancellation?
        /// Number of the timer that counts; an older one that fires late does nothing.
        var timer = 0
    }

    private let state = Guarded(State(provider: WMTOffsetDateProvider()))
    private let time: DeviceTime

    /// Makes a watcher that watches nothing yet.
    public convenience init() { self.init(time: .current) }

    init(time: DeviceTime) { self.time = time }

    deinit { state.withLock { $0.cancel }?() }

    /// Provides the current time; the device's clock unless changed.
    public var currentDateProvider: any WMTCurrentDateProvider {
        get { state.withLock { $0.provider } }
        set { state.withLock { $0.provider = newValue } }
    }

    /// Is notified of expired operations; held weakly.
    public var delegate: (any WMTOperationExpirationWatcherDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// The watched operations.
    public func getWatchedOperations() -> [any WMTExpirableOperation] { state.withLock { $0.operations } }

    /// Watches an operation, unless an equal one is watched already. One that has expired is reported soon.
    /// - Returns: the operations watched now.
    @discardableResult
    public func add(_ operation: any WMTExpirableOperation) -> [any WMTExpirableOperation] { add([operation]) }

    /// Watches operations, as ``add(_:)-(WMTExpirableOperation)``.
    @discardableResult
    public func add(_ operations: [any WMTExpirableOperation]) -> [any WMTExpirableOperation] {
        let now = currentDateProvider.currentDate
        if operations.contains(where: { $0.isExpired(now) }) {
            WMTLogger.warning("An operation to watch has expired already.")
        }
        return change(!operations.isEmpty) { watched in
            for operation in operations where !watched.contains(where: { operation.equals(other: $0) }) {
                watched.append(operation)
            }
        }
    }

    /// No longer watches an operation.
    /// - Returns: the operations watched now.
    @discardableResult
    public func remove(_ operation: any WMTExpirableOperation) -> [any WMTExpirableOperation] { remove([operation]) }

    /// No longer watches operations.
    @discardableResult
    public func remove(_ operations: [any WMTExpirableOperation]) -> [any WMTExpirableOperation] {
        change(!operations.isEmpty) { watched in
            watched.removeAll { item in operations.contains { $0.equals(other: item) } }
        }
    }

    /// Stops watching all operations.
    @discardableResult
    public func removeAll() -> [any WMTExpirableOperation] { change(true) { $0 = [] } }

    private func change(
        _ isChange: Bool, _ body: (inout [any WMTExpirableOperation]) -> Void
    ) -> [any WMTExpirableOperation] {
        guard isChange else { return getWatchedOperations() }
        let now = currentDateProvider.currentDate
        return state.withLock { state in
            body(&state.operations)
            arm(&state, now)
            return state.operations
        }
    }

    /// Sets the one timer to the first expiration; the one before no longer counts.
    private func arm(_ state: inout State, _ now: Date) {
        state.cancel?()
        state.cancel = nil
        state.timer += 1
        guard let first = state.operations.map(\.operationExpires).min() else { return }
        let delay = max(5, first.timeIntervalSince(now)) + 0.1
        state.cancel = time.after(delay) { [weak self, timer = state.timer] in self?.ring(timer) }
    }

    /// Reports expired operations and waits for the rest, also if none has expired because the clock was set back.
    private func ring(_ timer: Int) {
        let now = currentDateProvider.currentDate
        let expired = state.withLock { state -> [any WMTExpirableOperation] in
            guard state.timer == timer else { return [] }
            let expired = state.operations.filter { $0.isExpired(now) }
            state.operations.removeAll { $0.isExpired(now) }
            arm(&state, now)
            return expired
        }
        guard !expired.isEmpty else { return }
        let given = UncheckedTransfer(expired)
        DispatchQueue.main.async { [weak self] in self?.delegate?.operationsExpired(given.value) }
    }
}

/// What expires (mobile-token.md, section 11).
public protocol WMTExpirableOperation {
    /// When it expires.
    var operationExpires: Date { get }

    /// Whether it is the same operation as another one.
    func equals(other: any WMTExpirableOperation) -> Bool
}

extension WMTExpirableOperation where Self: AnyObject {
    /// Operations are the same by identifier, data and expiration; other objects, if they are one.
    public func equals(other: any WMTExpirableOperation) -> Bool {
        if let own = self as? any WMTOperation, let theirs = other as? any WMTOperation {
            return own.id == theirs.id && own.data == theirs.data && operationExpires == other.operationExpires
        }
        return self === other as AnyObject
    }
}

extension WMTExpirableOperation {
    /// Whether it has expired at a date. It has not yet at the very moment.
    func isExpired(_ date: Date) -> Bool { operationExpires < date }
}

extension WMTUserOperation: WMTExpirableOperation {}

/// Provides the current time.
public protocol WMTCurrentDateProvider {
    /// The date now. Asked on any thread.
    var currentDate: Date { get }
}

/// The device's date, moved by a fixed time.
public final class WMTOffsetDateProvider: WMTCurrentDateProvider, Sendable {
    private let offset: TimeInterval

    /// - Parameter offset: seconds that are added to the device's date.
    public init(offset: TimeInterval = 0) { self.offset = offset }

    /// The date now.
    public var currentDate: Date { DeviceTime.current.now().addingTimeInterval(offset) }
}
