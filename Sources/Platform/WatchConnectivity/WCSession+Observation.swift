// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Observation by key path, which Foundation on Linux does not have. An app that was given a
/// `WKWatchConnectivityRefreshBackgroundTask` waits with it until everything has arrived (watch.md, section 9.9).
extension WCSession {
    /// Calls back after each change of ``activationState`` or of ``hasContentPending``. No other property is observed:
    /// the delegate gets their changes.
    /// - Parameters:
    ///   - keyPath: The property.
    ///   - options: What is reported, and whether also at once.
    ///   - changeHandler: Called on the thread that has changed the property, as by Apple's system; it must not block.
    /// - Returns: The observation, which ends with its last reference.
    public func observe<Value>(
        _ keyPath: KeyPath<WCSession, Value>, options: NSKeyValueObservingOptions = [],
        changeHandler: @escaping (WCSession, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        let observer = Observer(keyPath: keyPath) { session in
            changeHandler(
                session, NSKeyValueObservedChange(newValue: options.contains(.new) ? session[keyPath: keyPath] : nil))
        }
        if options.contains(.initial) { observer.notify(self) }
        let number = observers.withLock { observers in
            observers.next += 1
            observers.all[observers.next] = observer
            return observers.next
        }
        return NSKeyValueObservation { [weak self] in
            _ = self?.observers.withLock { $0.all.removeValue(forKey: number) }
        }
    }

    /// Changes the state; what is observed and has changed is reported afterwards, without the lock.
    func change(_ body: (inout State) -> Void) {
        let (before, after) = state.withLock { state in
            let before = (activation: state.activation, isPending: state.hasContentPending)
            body(&state)
            return (before, (activation: state.activation, isPending: state.hasContentPending))
        }
        if before.activation != after.activation { report(\WCSession.activationState) }
        if before.isPending != after.isPending { report(\WCSession.hasContentPending) }
    }

    private func report(_ keyPath: AnyKeyPath) {
        let all = observers.withLock { $0.all }
        for (_, observer) in all.sorted(by: { $0.key < $1.key }) where observer.keyPath == keyPath {
            observer.notify(self)
        }
    }

    /// The observers of a session, in the order in which they came.
    struct Observers: Sendable {
        var next = 0
        var all: [Int: Observer] = [:]
    }

    struct Observer: @unchecked Sendable {
        // Sendable is safe: the path names a property and holds no values, and the handler runs on any thread because
        // the app has asked for that, as on Apple's system.
        let keyPath: AnyKeyPath
        let notify: (WCSession) -> Void
    }
}

/// Keeps an observation alive. Thread rule: any thread.
public final class NSKeyValueObservation: NSObject, Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) {
        self.end = end
        super.init()
    }

    deinit { end() }

    /// Ends the observation.
    public func invalidate() { end() }
}

/// A change of an observed property.
public struct NSKeyValueObservedChange<Value> {
    /// The value after the change; nil without the option ``NSKeyValueObservingOptions/new``.
    public let newValue: Value?
}

/// What an observer gets.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: UInt

    /// - Parameter rawValue: The options as bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value with each change.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// A first call at once.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}
