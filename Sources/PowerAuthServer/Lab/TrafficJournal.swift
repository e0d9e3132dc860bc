import Foundation
import HTTPTypes
import PowerAuthProtocol
import Synchronization

/// One request and its answer as the traffic journal shows them.
struct TrafficEntry: Encodable, Sendable {
    /// The content of an envelope and of the one that answered it.
    struct Decrypted: Encodable, Sendable {
        let purpose: String
        let request: String
        @ExplicitNull var response: String?
    }

    /// Counted from 1 since the server started.
    var number = 0
    /// Milliseconds of Unix time, by the server's clock.
    let received: Int64
    @ExplicitNull var operation: String?
    let method: String
    let path: String
    @ExplicitNull var query: String?
    let headers: [String: String]
    let body: String
    let decrypted: [Decrypted]
    /// The status that was answered; null when the connection was dropped.
    @ExplicitNull var status: Int?
    let answer: String
    /// The identifier of the fault rule that had a hand in it.
    @ExplicitNull var fault: String?
}

/// The newest requests with everything that was encrypted in them, in memory only.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class TrafficJournal: Sendable {
    private struct State {
        var entries: ArraySlice<TrafficEntry> = []
        var count = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: how many entries are kept; the oldest give way.
    init(capacity: Int = 1_000) {
        self.capacity = capacity
    }

    func add(_ entry: TrafficEntry) {
        state.withLock { state in
            state.count += 1
            var entry = entry
            entry.number = state.count
            state.entries.append(entry)
            if state.entries.count > capacity { state.entries.removeFirst() }
        }
    }

    /// The entries after a number, oldest first.
    func entries(after number: Int) -> [TrafficEntry] {
        state.withLock { Array($0.entries.drop { $0.number <= number }) }
    }

    func clear() {
        state.withLock { $0.entries = [] }
    }
}

extension TrafficEntry {
    /// Text when the bytes are UTF-8, otherwise Base64 with a prefix that says so.
    static func text(_ bytes: Data) -> String {
        String(data: bytes, encoding: .utf8) ?? "base64:" + bytes.base64EncodedString()
    }
}

extension TrafficEntry {
    /// - Parameter answer: nil when the connection was dropped.
    init(
        _ request: ServerRequest, at received: ServerTime, operation: String?, plaintexts: PlaintextLog,
        answer: ServerResponse?, fault: String?
    ) {
        self.init(
            received: received.milliseconds, operation: operation, method: request.method, path: request.path,
            query: request.query,
            headers: Dictionary(request.headers.map { ($0.name.rawName, $0.value) }) { _, last in last },
            body: Self.text(request.body),
            decrypted: plaintexts.exchanges.map {
                Decrypted(
                    purpose: Self.text($0.purpose.bytes), request: Self.text($0.request),
                    response: $0.response.map(Self.text))
            },
            status: answer?.status, answer: answer.map { Self.text($0.body) } ?? "", fault: fault)
    }
}

extension ServerResponse {
    /// The same answer with a changed byte in the middle of its body.
    func corrupted() -> ServerResponse {
        var body = body
        if !body.isEmpty { body[body.startIndex + body.count / 2] ^= 0x01 }
        return ServerResponse(status: status, body: body, contentType: contentType)
    }
}
