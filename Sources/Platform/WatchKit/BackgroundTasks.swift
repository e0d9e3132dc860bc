// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import SimulatedDevice
import Synchronization

/// The background tasks of a process, for the two types under which an app knows itself.
///
/// Thread rule: any thread. The delegate is called on the main queue.
final class BackgroundTasks: Sendable {
    /// Hands tasks to a delegate.
    typealias Handler = @MainActor @Sendable (AnyObject, Set<WKRefreshBackgroundTask>) -> Void

    private struct State {
        var delegate = Reference()
        var handle: Handler?
        /// The tasks that the app was given and has not completed, which the system may still have news about.
        var open: [UUID: WKRefreshBackgroundTask] = [:]
    }

    /// Holds the delegate weakly.
    private struct Reference: @unchecked Sendable {
        // Sendable is safe: the state's lock guards reading and writing, and the object is used on the main queue.
        weak var value: AnyObject?
    }

    private let service: BackgroundTaskService?
    private let state = Mutex(State())

    static let ofProcess = BackgroundTasks(sandbox: Sandbox.currentIfEntered)

    /// - Parameter sandbox: what the system gives the app; nil for a process without a device.
    init(sandbox: Sandbox?) {
        service = sandbox?.backgroundTasks
        service?.onNews { [weak self] news in self?.receive(news) }
    }

    var delegate: AnyObject? { state.withLock { $0.delegate }.value }

    func setDelegate(_ delegate: AnyObject?, _ handle: @escaping Handler) {
        let reference = Reference(value: delegate)
        state.withLock { state in
            state.delegate = reference
            state.handle = handle
        }
    }

    // MARK: Scheduling

    func schedule(
        at date: Date, _ userInfo: (any NSSecureCoding & NSObjectProtocol)?,
        _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        do {
            let archive = try userInfo.map { try Self.archive($0) }
            guard let service else { return completion(Self.error("The process is on no device.")) }
            service.schedule(at: Self.milliseconds(date), userInfo: archive) { completion($0.map(Self.error)) }
        } catch {
            completion(error)
        }
    }

    func schedule(at date: Date, _ userInfo: (any NSSecureCoding & NSObjectProtocol)?) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            schedule(at: date, userInfo) { error in
                continuation.resume(with: error.map { .failure($0) } ?? .success(()))
            }
        }
    }

    /// Never later than the date; one beyond those that the lab's clock can show becomes its first or last one.
    private static func milliseconds(_ date: Date) -> Int64 {
        Int64(min(max(date.timeIntervalSince1970, 0), 9_000_000_000) * 1_000)
    }

    private static func archive(_ userInfo: any NSSecureCoding & NSObjectProtocol) throws -> Data {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: userInfo, requiringSecureCoding: true)
        guard archive.count <= WatchContent.messageLimit else {
            throw error(
                "The archive of `userInfo` has \(archive.count) bytes; the system takes at most "
                    + "\(WatchContent.messageLimit).")
        }
        return archive
    }

    /// The object that this app has archived; nil for an archive that it can no longer read.
    private static func userInfo(in archive: Data) -> (any NSSecureCoding & NSObjectProtocol)? {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: archive) else { return nil }
        // It was written by this app, whose classes the system does not know.
        unarchiver.requiresSecureCoding = false
        defer { unarchiver.finishDecoding() }
        return unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey) as? any NSSecureCoding & NSObjectProtocol
    }

    /// Apple documents no codes for a refusal.
    private static func error(_ reason: String) -> NSError {
        NSError(domain: NSCocoaErrorDomain, code: 3_000, userInfo: [NSLocalizedDescriptionKey: reason])
    }

    // MARK: Tasks

    private func receive(_ news: BackgroundTaskNews) {
        switch news {
        case .started(let task):
            let given = make(task)
            state.withLock { $0.open[task.id] = given }
            Task { @MainActor in self.give(given) }
        case .isExpiring(let id):
            guard let task = state.withLock({ $0.open[id] }) else { return }
            Task { @MainActor in task.expire() }
        }
    }

    @MainActor
    private func give(_ task: WKRefreshBackgroundTask) {
        let (reference, handle) = state.withLock { ($0.delegate, $0.handle) }
        // The system waits for the end of the task, also if the app has no delegate.
        guard let delegate = reference.value, let handle else { return task.setTaskCompletedWithSnapshot(false) }
        handle(delegate, [task])
    }

    private func make(_ task: BackgroundTask) -> WKRefreshBackgroundTask {
        let complete: @Sendable (UUID) -> Void = { [self] id in
            state.withLock { _ = $0.open.removeValue(forKey: id) }
            service?.complete(id)
        }
        return switch task.kind {
        case .applicationRefresh:
            WKApplicationRefreshBackgroundTask(
                id: task.id, userInfo: task.userInfo.flatMap(Self.userInfo), complete: complete)
        case .watchConnectivity: WKWatchConnectivityRefreshBackgroundTask(id: task.id, complete: complete)
        }
    }
}
