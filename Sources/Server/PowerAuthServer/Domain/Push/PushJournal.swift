import LabKit
import Synchronization

/// The newest notifications, for inspection of the server.
///
/// Thread rule: any thread.
final class PushJournal: Sendable {
    /// One notification for one device.
    struct Entry: Encodable, Sendable {
        /// From 1.
        var number = 0
        let id: Identifier
        let token: String
        let userId: Identifier
        let activationId: Identifier
        let kind: PushNotification.Kind
        let priority: Int
        let payload: [String: JSONValue]
        /// The outcome of the delivery; nil on a server without push gateway.
        @ExplicitNull var outcome: PushOutcome?
    }

    private struct State {
        var last = 0
        var entries: [Entry] = []
    }

    /// How many are kept.
    static let limit = 1000

    private let state = Mutex(State())

    /// - Returns: the entry with its number.
    func add(_ entry: Entry) -> Entry {
        state.withLock { state in
            state.last += 1
            var numbered = entry
            numbered.number = state.last
            state.entries.append(numbered)
            if state.entries.count > Self.limit { state.entries.removeFirst(Self.limit / 10) }
            return numbered
        }
    }

    /// Those after the notification of a number, oldest first.
    func entries(after number: Int) -> [Entry] {
        state.withLock { state in state.entries.filter { $0.number > number } }
    }

    func clear() {
        state.withLock { $0.entries.removeAll() }
    }
}
