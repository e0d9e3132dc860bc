// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// Time that the system gives a watch app in the background for one purpose (watch.md, section 9.9). An app completes
/// each task that it is given, within fifteen seconds of the lab's time. Thread rule: any thread.
public class WKRefreshBackgroundTask: NSObject, @unchecked Sendable {
    // Sendable is safe: what the app has handed over is never changed, only read, and the rest is Sendable or behind
    // `state`. The app's handler is called on the main queue alone.

    private struct State {
        var isCompleted = false
        var expirationHandler: UncheckedHandler?
    }

    /// A handler of the app.
    private struct UncheckedHandler: @unchecked Sendable {
        // Sendable is safe: threads only pass it on; it is called on the main queue alone.
        let body: () -> Void
    }

    /// What the app has scheduled the task with.
    public let userInfo: (any NSSecureCoding & NSObjectProtocol)?

    /// Identifies the task in traces.
    package let id: UUID
    private let complete: @Sendable (UUID) -> Void
    private let state = Mutex(State())

    /// - Parameter complete: reports to the system that the app has completed the task.
    init(
        id: UUID, userInfo: (any NSSecureCoding & NSObjectProtocol)? = nil,
        complete: @escaping @Sendable (UUID) -> Void
    ) {
        self.id = id
        self.userInfo = userInfo
        self.complete = complete
        super.init()
    }

    /// Called on the main queue two seconds before the time for the task is over.
    public var expirationHandler: (() -> Void)? {
        get { state.withLock { $0.expirationHandler }?.body }
        set {
            let handler = newValue.map(UncheckedHandler.init(body:))
            state.withLock { $0.expirationHandler = handler }
        }
    }

    /// Completes the task; the system suspends an app in the background that has no other. A second call does nothing.
    /// - Parameter refreshSnapshot: whether the picture of the app in the dock is to be taken anew; the lab has none.
    public func setTaskCompletedWithSnapshot(_ refreshSnapshot: Bool) {
        let isFirst = state.withLock { state in
            defer { state.isCompleted = true }
            return !state.isCompleted
        }
        if isFirst { complete(id) }
    }

    /// Whether the app has completed the task.
    package var isCompleted: Bool { state.withLock { $0.isCompleted } }

    /// On the main queue.
    func expire() { if !isCompleted { expirationHandler?() } }
}

/// Time at a moment for which the app has asked. Thread rule: any thread.
public final class WKApplicationRefreshBackgroundTask: WKRefreshBackgroundTask, @unchecked Sendable {
    // Sendable is safe: it has no members of its own.
}

/// Time for content that the phone has sent. The app completes it when `WCSession` is activated and its
/// `hasContentPending` is false. Thread rule: any thread.
public final class WKWatchConnectivityRefreshBackgroundTask: WKRefreshBackgroundTask, @unchecked Sendable {
    // Sendable is safe: it has no members of its own.
}
