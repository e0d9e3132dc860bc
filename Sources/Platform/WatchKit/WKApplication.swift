// SPDX-License-Identifier: Apache-2.0

@_exported public import Foundation
package import SimulatedDevice

/// The running watch app, as far as background tasks are concerned (watch.md, section 9.9). Thread rule: any thread.
public final class WKApplication: NSObject, Sendable {
    private let tasks: BackgroundTasks

    private static let instance = WKApplication(tasks: .ofProcess)

    /// The app of this process.
    public class func shared() -> WKApplication { instance }

    init(tasks: BackgroundTasks) {
        self.tasks = tasks
        super.init()
    }

    /// An app on a device, for tests in one process.
    package convenience init(sandbox: Sandbox) { self.init(tasks: BackgroundTasks(sandbox: sandbox)) }

    /// Gets the app's tasks; held weakly. Apple's system sets it, here the app does, before it has finished launching.
    public weak var delegate: (any WKApplicationDelegate)? {
        get { tasks.delegate as? any WKApplicationDelegate }
        set {
            tasks.setDelegate(newValue) { delegate, tasks in
                (delegate as? any WKApplicationDelegate)?.handle(tasks)
            }
        }
    }

    /// Asks for a ``WKApplicationRefreshBackgroundTask`` at a moment, instead of an earlier one that is not due yet.
    /// - Parameters:
    ///   - preferredFireDate: by the clock of the device. The lab's system is punctual.
    ///   - userInfo: what the task carries; at most 65,536 bytes in an archive.
    ///   - scheduledCompletion: called once, on a thread of the system's, with the reason if the system refuses.
    public func scheduleBackgroundRefresh(
        withPreferredDate preferredFireDate: Date, userInfo: (any NSSecureCoding & NSObjectProtocol)?,
        scheduledCompletion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        tasks.schedule(at: preferredFireDate, userInfo, scheduledCompletion)
    }

    /// The same; returns when the system has taken the request.
    public func scheduleBackgroundRefresh(
        withPreferredDate preferredFireDate: Date, userInfo: (any NSSecureCoding & NSObjectProtocol)?
    ) async throws {
        try await tasks.schedule(at: preferredFireDate, userInfo)
    }
}

/// Calls of the system to a watch app, on the main queue.
@MainActor
public protocol WKApplicationDelegate: NSObjectProtocol {
    /// The app has time for these tasks, and completes each of them.
    func handle(_ backgroundTasks: Set<WKRefreshBackgroundTask>)
}

extension WKApplicationDelegate {
    /// Completes the tasks.
    public func handle(_ backgroundTasks: Set<WKRefreshBackgroundTask>) {
        for task in backgroundTasks { task.setTaskCompletedWithSnapshot(false) }
    }
}

/// The running watch app under its older name.
public typealias WKExtension = WKApplication

/// The delegate of the running watch app under its older name.
public typealias WKExtensionDelegate = WKApplicationDelegate
