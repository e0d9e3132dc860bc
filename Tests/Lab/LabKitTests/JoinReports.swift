import Dispatch
import Synchronization
import Testing

@testable import LabKit

/// What a ``JoinSocket`` has reported, in order.
final class JoinReports: Sendable {
    private let events = Mutex<[String]>([])
    private let changed = DispatchSemaphore(value: 0)

    func add(_ event: JoinSocket.Event) {
        let text =
            switch event {
            case .connected: "connected"
            case .keyRefused: "key refused"
            case .lost: "lost"
            case .message(.hello(let hello)): "hello \(hello.instance ?? "")"
            case .message(.bye(let reason)): "bye \(reason)"
            case .message(.refused(let reason)): "refused \(reason)"
            case .message: "message"
            }
        events.withLock { $0.append(text) }
        changed.signal()
    }

    func wait(for expected: String) throws {
        let end = DispatchTime.now() + .seconds(20)
        while !events.withLock({ $0.contains(expected) }) {
            try #require(changed.wait(timeout: end) == .success, "no \(expected) in \(events.withLock { $0 })")
        }
    }

    var all: [String] { events.withLock { $0 } }
}
