public import Foundation
import Synchronization

/// The system's notification service of one app, used by the modules `UserNotifications` and `UIKit`.
///
/// Thread rule: any thread; nothing blocks. Answers and news come on a thread of the system's and must not block it.
public final class NotificationService: Sendable {
    /// Takes the answer to a request.
    public typealias Completion = @Sendable (NotificationAnswer) -> Void
    /// Takes news; returns false if it does not handle them.
    public typealias Receiver = @Sendable (NotificationNews) -> Bool

    private struct State {
        var send: (@Sendable (UUID, NotificationRequest) -> Void)?
        var completions: [UUID: Completion] = [:]
        var receivers: [Receiver] = []
    }

    private let state = Mutex(State())

    /// A service without a system; ``connect(_:)`` names it.
    public init() {}

    /// Sets the function that sends requests to the system; before the first request.
    public func connect(_ send: @escaping @Sendable (UUID, NotificationRequest) -> Void) {
        state.withLock { $0.send = send }
    }

    // MARK: For the app

    /// Asks the system; `completion` is called once.
    public func ask(_ request: NotificationRequest, completion: @escaping Completion) {
        let id = UUID()
        let send = state.withLock { state in
            if state.send != nil { state.completions[id] = completion }
            return state.send
        }
        guard let send else { return completion(.refused("The process is on no device.")) }
        send(id, request)
    }

    /// Sends the system a report that has no reply.
    public func tell(_ request: NotificationRequest) {
        state.withLock { $0.send }?(UUID(), request)
    }

    /// Adds a receiver of all news; the first one that handles them gets them.
    public func onNews(_ receiver: @escaping Receiver) {
        state.withLock { $0.receivers.append(receiver) }
    }

    // MARK: For the system

    /// Takes the system's answer to a request.
    public func take(_ answer: NotificationAnswer, to id: UUID) {
        state.withLock { $0.completions.removeValue(forKey: id) }?(answer)
    }

    /// Takes news of the system. News without a receiver in the app are answered at once, so that the system does not
    /// wait.
    public func take(_ news: NotificationNews) {
        let receivers = state.withLock { $0.receivers }
        guard !receivers.contains(where: { $0(news) }) else { return }
        switch news {
        case .arrived(let notification):
            tell(.presented(id: notification.id, isShown: false, setsBadge: false))
        case .background(let notification): tell(.finished(id: notification.id))
        case .opened(let notification, _): tell(.handled(id: notification.id))
        }
    }
}
