// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabVocabulary
import PowerAuthProtocol
import Synchronization

/// On whose behalf a request is worked on, to be carried from one thread to another.
struct RequestScope: Sendable {
    /// The lab operation that caused the request.
    var operation: String?
    /// The lab's app that sent it; nil while nothing can hold it.
    var app: String?
    /// The plaintexts of its envelopes; nil where they are not recorded.
    var plaintexts: PlaintextLog?
    /// Its identifier in the logs of other servers.
    var correlation: String?

    /// That of the current thread or task, for work on other threads: without the app, because nothing may hold them
    /// for it.
    static var current: RequestScope {
        RequestScope(
            operation: CurrentOperation.id, plaintexts: CurrentPlaintexts.log, correlation: CurrentCorrelation.current)
    }

    private var isEmpty: Bool { operation == nil && app == nil && plaintexts == nil && correlation == nil }

    /// Runs a function on its behalf.
    func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        if isEmpty { return try body() }
        return try CurrentPlaintexts.$log.withValue(plaintexts) {
            try CurrentOperation.$id.withValue(operation) {
                try CurrentApp.$name.withValue(app) {
                    try CurrentCorrelation.$current.withValue(correlation, operation: body)
                }
            }
        }
    }

    /// Runs an asynchronous function on its behalf.
    func run<Value: Sendable>(_ body: () async throws -> Value) async rethrows -> Value {
        if isEmpty { return try await body() }
        return try await CurrentPlaintexts.$log.withValue(plaintexts) {
            try await CurrentOperation.$id.withValue(operation) {
                try await CurrentApp.$name.withValue(app) {
                    try await CurrentCorrelation.$current.withValue(correlation, operation: body)
                }
            }
        }
    }
}

/// Collects the plaintexts of one request's envelopes, for the traffic journal of a lab, and lets a fault edit the
/// answer before it is encrypted. A server without lab powers never creates one, so that no plaintext outlives its
/// request.
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

    private struct State {
        var exchanges: [Exchange] = []
        /// Whether the edit was made; nil while nothing was tried.
        var editing: Result<Void, AnswerEdit.Mistake>?
    }

    /// What a fault changes in the answer; nil for nothing.
    private let edit: AnswerEdit?
    private let state = Mutex(State())

    init(edit: AnswerEdit? = nil) { self.edit = edit }

    var exchanges: [Exchange] { state.withLock { $0.exchanges } }

    /// Notes the content of a request's envelope.
    func note(request: Data, purpose: EciesSharedInfo1) {
        state.withLock { $0.exchanges.append(Exchange(purpose: purpose, request: request)) }
    }

    /// Edits the content of the envelope that answers the newest request of the same purpose, and notes it.
    /// - Returns: the content that is to be encrypted.
    @discardableResult
    func note(response: Data, purpose: EciesSharedInfo1) -> Data {
        state.withLock { state in
            guard let index = state.exchanges.lastIndex(where: { $0.purpose == purpose }) else { return response }
            // A signed envelope in an envelope: what the request had innermost came last.
            let part: EditAnswers.Part = index == state.exchanges.count - 1 ? .content : .outer
            var sealed = response
            if let edit, edit.editedPart == part {
                state.editing = Result { () throws(AnswerEdit.Mistake) in sealed = try edit.applied(to: response) }
            }
            state.exchanges[index].response = sealed
            return sealed
        }
    }

    /// Edits an answer in which everything is encrypted that has to be.
    /// - Throws: why the edit could not be made, there or in what is encrypted; then the answer leaves as it was made.
    func edited(_ answer: ServerResponse) throws(AnswerEdit.Mistake) -> ServerResponse {
        guard let edit else { return answer }
        if let editing = state.withLock({ $0.editing }) {
            try editing.get()
            return answer
        }
        guard edit.editedPart != .outer else {
            throw AnswerEdit.Mistake(
                description: "the answer does not have two encrypted layers; leave out `part` to edit its content")
        }
        return answer.with(body: try edit.applied(to: answer.body))
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
