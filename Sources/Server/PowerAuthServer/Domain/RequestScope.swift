// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import Synchronization

/// On whose behalf a request is worked on, to be carried from one thread to another.
struct RequestScope: Sendable {
    /// The lab operation that caused the request.
    var operation: String?
    /// The plaintexts of its envelopes; nil where they are not recorded.
    var plaintexts: PlaintextLog?
    /// Its identifier in the logs of other servers.
    var correlation: String?

    /// That of the current thread or task.
    static var current: RequestScope {
        RequestScope(
            operation: CurrentOperation.id, plaintexts: CurrentPlaintexts.log, correlation: CurrentCorrelation.current)
    }

    private var isEmpty: Bool { operation == nil && plaintexts == nil && correlation == nil }

    /// Runs a function on its behalf.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        if isEmpty { return try body() }
        return try CurrentPlaintexts.$log.withValue(plaintexts) {
            try CurrentOperation.$id.withValue(operation) {
                try CurrentCorrelation.$current.withValue(correlation, operation: body)
            }
        }
    }

    /// Runs an asynchronous function on its behalf.
    func run<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        if isEmpty { return try await body() }
        return try await CurrentPlaintexts.$log.withValue(plaintexts) {
            try await CurrentOperation.$id.withValue(operation) {
                try await CurrentCorrelation.$current.withValue(correlation, operation: body)
            }
        }
    }
}

/// Collects the plaintexts of one request's envelopes, for the traffic journal of a lab. A server without lab powers
/// never creates one, so that no plaintext outlives its request.
///
/// Thread rule: any thread; the state is guarded by the mutex.
final class PlaintextLog: Sendable {
    /// One envelope and the one that answered it.
    struct Exchange: Sendable {
        /// The shared info that binds the envelope to its use, such as `/pa/activation`.
        let purpose: EciesSharedInfo1
        let request: Data
        var response: Data?
    }

    private let noted = Mutex<[Exchange]>([])

    var exchanges: [Exchange] { noted.withLock { $0 } }

    /// Notes the content of a request's envelope.
    func note(request: Data, purpose: EciesSharedInfo1) {
        noted.withLock { $0.append(Exchange(purpose: purpose, request: request)) }
    }

    /// Notes the content of the envelope that answers the newest request of the same purpose.
    func note(response: Data, purpose: EciesSharedInfo1) {
        noted.withLock { exchanges in
            guard let index = exchanges.lastIndex(where: { $0.purpose == purpose }) else { return }
            exchanges[index].response = response
        }
    }
}

/// The log of the request that the current thread works on.
enum CurrentPlaintexts { @TaskLocal static var log: PlaintextLog? }

/// The identifier under which a caller finds a request again in the logs of all servers that it passed
/// (server.md, section 25).
struct CurrentCorrelation: Sendable {
    @TaskLocal static var current: String?

    let id: String

    /// Nil for a text that has no place in a log.
    init?(_ text: String) {
        guard (8...1024).contains(text.utf8.count), text.utf8.allSatisfy(Self.accepts) else { return nil }
        id = text
    }

    private static func accepts(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
