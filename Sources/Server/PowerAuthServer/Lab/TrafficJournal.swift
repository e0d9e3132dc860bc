// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import LabVocabulary
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

    /// The bytes of all that a client can make long.
    fileprivate var size: Int {
        var texts = [query ?? "", body, answer]
        for (name, value) in headers { texts += [name, value] }
        for layer in decrypted { texts += [layer.purpose, layer.request, layer.response ?? ""] }
        return texts.reduce(0) { $0 + $1.utf8.count }
    }
}

/// The newest requests with everything that was encrypted in them, in memory only.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class TrafficJournal: Sendable {
    private struct State {
        /// By their numbers, which have no gaps: a slice would hold on to what it no longer shows.
        var entries: [Int: TrafficEntry] = [:]
        var count = 0
        /// The sizes of all entries.
        var bytes = 0

        var oldest: Int { count - entries.count + 1 }

        mutating func removeOldest() { if let removed = entries.removeValue(forKey: oldest) { bytes -= removed.size } }
    }

    private let capacity: Int
    private let byteCapacity: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: the maximum of entries; the oldest are dropped.
    ///   - byteCapacity: the maximum of their text in bytes. The newest is kept, however large it is.
    init(capacity: Int = 1_000, byteCapacity: Int = 64 * 1_048_576) {
        self.capacity = capacity
        self.byteCapacity = byteCapacity
    }

    func add(_ entry: TrafficEntry) {
        state.withLock { state in
            state.count += 1
            var entry = entry
            entry.number = state.count
            state.entries[entry.number] = entry
            state.bytes += entry.size
            while state.entries.count > capacity || (state.bytes > byteCapacity && state.entries.count > 1) {
                state.removeOldest()
            }
        }
    }

    /// The entries after a number, oldest first.
    func entries(after number: Int) -> [TrafficEntry] {
        state.withLock { state in
            // A caller may name a number that is still to come.
            (max(number, state.oldest - 1)..<max(number, state.count)).compactMap { state.entries[$0 + 1] }
        }
    }

    func clear() {
        state.withLock {
            $0.entries = [:]
            $0.bytes = 0
        }
    }
}

extension TrafficEntry {
    /// Text if the bytes are UTF-8, otherwise Base64 with a prefix.
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
        return with(body: body)
    }
}

extension RequestRecord {
    /// Records a received request.
    func received(_ request: ServerRequest) -> Int {
        let headers = Dictionary(request.headers.map { ($0.name.rawName, $0.value) }) { _, last in last }
        return begin([
            "method": .string(request.method), "path": .string(request.path),
            "headers": .object(headers.mapValues(JSONValue.string)), "body": .traffic(TrafficEntry.text(request.body)),
        ])
    }

    /// Records the outcome of a request, and its plaintexts.
    ///
    /// - Parameter number: From ``received(_:)``.
    func ended(_ entry: TrafficEntry, number: Int) {
        let told = ListRequests.Request(entry)
        add(
            [
                "status": told.status.map { .integer(Int64($0)) } ?? .null, "decrypted": told.decrypted,
                "decryptedAnswer": told.decryptedAnswer, "answer": told.answer,
                "fault": told.fault.map(JSONValue.string) ?? .null,
            ], to: number)
    }
}
