// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPeer
import LabPoints
import LabVocabulary
import SimulatedDevice
import Synchronization
import WatchConnectivity
import WatchKit

/// A watch app's use of its time in the background: it owns the delegate, completes each task when it has what it
/// needs, and keeps what it was given for scenarios to look at.
///
/// Thread rule: any thread; the delegate's function runs on the main queue.
final class BackgroundTaskHandlers: NSObject, Sendable {
    private struct State {
        var given: [WKRefreshBackgroundTask] = []
        var expiring: Set<UUID> = []
    }

    private static let preference = "keepsBackgroundTasks"

    private let state = Mutex(State())
    /// Of the session; they live as long as this object.
    private let observations = Mutex<[NSKeyValueObservation]>([])
    /// The app remembers across its processes whether it leaves its tasks to scenarios.
    private let preferences: DefaultsSuite?

    /// Registers the commands; the peer keeps the delegate.
    static func register(on peer: Peer) {
        let handlers = BackgroundTaskHandlers(preferences: peer.sandbox.defaults())
        let application = WKApplication.shared()
        application.delegate = handlers
        handlers.follow(WCSession.default)
        let (clock, timer) = (peer.sandbox.clock, peer.sandbox.timer)
        peer.handle(ScheduleBackgroundRefresh.self) { arguments, reply in
            let date = clock.now().addingTimeInterval(arguments.after.seconds)
            application.scheduleBackgroundRefresh(
                withPreferredDate: date, userInfo: arguments.userInfo.map { NSDictionary(dictionary: $0.propertyList) }
            ) { error in
                reply(Outcome.of(ScheduleBackgroundRefresh.Result { $0.date = date.timeIntervalSince1970 }, error))
            }
        }
        peer.handleSync(KeepBackgroundTasks.self) { arguments in handlers.keepTasks(arguments.isKeeping) }
        peer.handleSync(ReceivedBackgroundTasks.self) { _ in handlers.received }
        peer.handleSync(CompleteBackgroundTask.self) { arguments in
            let tasks = handlers.open.filter { arguments.id == nil || arguments.id == $0.id.uuidString }
            // Later: with its last task the process is stopped, which must have answered by then.
            _ = timer.schedule(after: arguments.after.seconds) {
                for task in tasks { task.setTaskCompletedWithSnapshot(false) }
            }
            return tasks.count
        }
    }

    private init(preferences: DefaultsSuite?) {
        self.preferences = preferences
        super.init()
    }

    /// Content that has arrived may be all that a task was for.
    private func follow(_ session: WCSession) {
        let pending = session.observe(\.hasContentPending) { [weak self] _, _ in self?.completeSoon() }
        let activation = session.observe(\.activationState) { [weak self] _, _ in self?.completeSoon() }
        observations.withLock { $0 = [pending, activation] }
    }

    /// The session must not be kept waiting.
    private func completeSoon() { DispatchQueue.main.async { self.completeWhatIsDone() } }

    private func keepTasks(_ isKeeping: Bool) { preferences?.set(isKeeping, forKey: Self.preference) }

    private var open: [WKRefreshBackgroundTask] { state.withLock { $0.given }.filter { !$0.isCompleted } }

    private func completeWhatIsDone() {
        let tasks = open
        // Most news of the session are about no task; the preferences are on the disk.
        guard !tasks.isEmpty, preferences?.bool(forKey: Self.preference) != true else { return }
        let session = WCSession.default
        let hasContent = session.activationState == .activated && !session.hasContentPending
        for task in tasks where hasContent || !(task is WKWatchConnectivityRefreshBackgroundTask) {
            task.setTaskCompletedWithSnapshot(false)
        }
    }

    private var received: [ReceivedBackgroundTasks.Task] {
        let (given, expiring) = state.withLock { ($0.given, $0.expiring) }
        return given.map { task in
            ReceivedBackgroundTasks.Task {
                $0.id = task.id.uuidString
                $0.kind = task is WKWatchConnectivityRefreshBackgroundTask ? .watchConnectivity : .applicationRefresh
                $0.userInfo = (task.userInfo as? NSDictionary).map(Self.members)
                $0.isCompleted = task.isCompleted
                $0.isExpiring = expiring.contains(task.id)
            }
        }
    }

    private static func members(of dictionary: NSDictionary) -> [String: JSONValue] {
        var members: [String: Any] = [:]
        for case (let key as String, let value) in dictionary { members[key] = value }
        return [String: JSONValue](propertyList: members)
    }
}

extension BackgroundTaskHandlers: WKApplicationDelegate {
    func handle(_ backgroundTasks: Set<WKRefreshBackgroundTask>) {
        for task in backgroundTasks {
            let id = task.id
            task.expirationHandler = { [weak self] in self?.state.withLock { _ = $0.expiring.insert(id) } }
            state.withLock { $0.given.append(task) }
        }
        completeWhatIsDone()
    }
}
