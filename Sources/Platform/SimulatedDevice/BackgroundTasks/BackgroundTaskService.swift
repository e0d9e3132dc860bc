// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LabPoints
import Synchronization

/// The system's background tasks of one watch app, used by the module `WatchKit` (watch.md, section 9.9).
///
/// Thread rule: any thread; nothing blocks. Answers and news come on a thread of the system's and must not block it.
public final class BackgroundTaskService: Sendable {
    /// Takes the answer to a request: nil, or why the system refuses it.
    public typealias Completion = @Sendable (_ refusal: String?) -> Void
    /// Takes news about the app's tasks.
    public typealias Receiver = @Sendable (BackgroundTaskNews) -> Void

    private struct State {
        var send: (@Sendable (UUID, BackgroundTaskRequest) -> Void)?
        var completions: [UUID: Completion] = [:]
        var receiver: Receiver?
    }

    private let state = Mutex(State())

    /// A service without a system; ``connect(_:)`` names it.
    public init() {}

    /// Sets the function that sends requests to the system; before the first request.
    public func connect(_ send: @escaping @Sendable (UUID, BackgroundTaskRequest) -> Void) {
        state.withLock { $0.send = send }
    }

    // MARK: For the app

    /// Asks the system for a task at a time; it takes the place of an earlier one that is not due yet.
    /// - Parameters:
    ///   - date: milliseconds since 1970 on the clock of the device.
    ///   - userInfo: what the task carries, at most ``WatchContent/messageLimit`` bytes.
    ///   - completion: called once.
    public func schedule(at date: Int64, userInfo: Data?, completion: @escaping Completion) {
        let id = UUID()
        let send = state.withLock { state in
            if state.send != nil { state.completions[id] = completion }
            return state.send
        }
        guard let send else { return completion("The process is on no device.") }
        send(id, .schedule(date: date, userInfo: userInfo))
    }

    /// Reports to the system that the app has completed a task.
    public func complete(_ task: UUID) { state.withLock { $0.send }?(UUID(), .completed(id: task)) }

    /// Sets the receiver of all news, before the app has finished launching.
    public func onNews(_ receiver: @escaping Receiver) { state.withLock { $0.receiver = receiver } }

    // MARK: For the system

    /// Takes the system's answer to a request.
    public func take(_ answer: BackgroundTaskAnswer, to id: UUID) {
        state.withLock { $0.completions.removeValue(forKey: id) }?(answer.refusal)
    }

    /// Takes news of the system. An app that uses no background tasks has completed each at once.
    public func take(_ news: BackgroundTaskNews) {
        if let receiver = state.withLock({ $0.receiver }) { return receiver(news) }
        if case .started(let task) = news { complete(task.id) }
    }
}

/// A task for which the system gives a watch app time in the background.
public struct BackgroundTask: Codable, Equatable, Sendable {
    /// Identifies it.
    public let id: UUID
    /// Why the app gets it.
    public let kind: BackgroundTaskKind
    /// What the app has scheduled it with; nil without such.
    public let userInfo: Data?

    /// Describes a task.
    public init(id: UUID = UUID(), kind: BackgroundTaskKind, userInfo: Data? = nil) {
        (self.id, self.kind, self.userInfo) = (id, kind, userInfo)
    }
}

/// A request or report of an app about its background tasks; body of `backgroundTaskRequest`.
public enum BackgroundTaskRequest: Codable, Equatable, Sendable {
    /// A task is wanted; answered by ``BackgroundTaskAnswer``. The date is in milliseconds since 1970 on the device's
    /// clock.
    case schedule(date: Int64, userInfo: Data?)
    /// The app has completed a task.
    case completed(id: UUID)
}

/// The system's answer to ``BackgroundTaskRequest/schedule(date:userInfo:)``; body of `backgroundTaskAnswer`.
public struct BackgroundTaskAnswer: Codable, Equatable, Sendable {
    /// Why the app gets no task; nil when it will.
    public let refusal: String?

    /// Creates the answer.
    public init(refusal: String? = nil) { self.refusal = refusal }
}

/// What the system reports to an app about its background tasks; body of `backgroundTask`.
public enum BackgroundTaskNews: Codable, Equatable, Sendable {
    /// The app has a task, and time for it until it completes it.
    case started(BackgroundTask)
    /// The time for a task is nearly over.
    case isExpiring(id: UUID)
}
