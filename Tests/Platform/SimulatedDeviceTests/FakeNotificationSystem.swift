import Foundation
import SimulatedDevice
import Synchronization

/// The system's side of notifications, played by a test.
final class FakeNotificationSystem: Sendable {
    let service = NotificationService()
    private let requests = Mutex<[NotificationRequest]>([])

    /// - Parameter answer: the answer to a request; nil for one that has none.
    init(answer: @escaping @Sendable (NotificationRequest) -> NotificationAnswer? = { _ in nil }) {
        service.connect { [self] id, request in
            requests.withLock { $0.append(request) }
            if let answer = answer(request) { service.take(answer, to: id) }
        }
    }

    /// The requests and reports of the app, oldest first.
    var log: [NotificationRequest] { requests.withLock { $0 } }
}
