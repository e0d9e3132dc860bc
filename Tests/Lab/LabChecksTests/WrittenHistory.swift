// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints

/// A history written by hand: an event a line, a microsecond apart.
struct WrittenHistory {
    private(set) var events: [TraceEvent] = []
    private var now: UInt64 = 0

    /// Lets a second pass before the next event.
    mutating func passASecond() { now += 1_000_000_000 }

    /// Adds an event.
    ///
    /// - Parameters:
    ///   - process: The actor name, with `#2` for a second incarnation.
    ///   - operation: The call that caused it.
    @discardableResult
    mutating func add(
        _ process: String, _ name: TraceEventName, operation: String? = nil, _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        let parts = process.split(separator: "#")
        now += 1_000
        let event = TraceEvent(
            time: now, process: String(parts[0]),
            incarnation: parts.count > 1 ? Int(parts[1]) ?? 1 : 1, name: name, operation: operation, fields: fields)
        events.append(event)
        return event
    }

    /// Adds a call with its answer, and returns both events.
    @discardableResult
    mutating func call(
        _ process: String, _ call: String, token: String? = nil, outcome: String = "done", error: String? = nil,
        found: Bool? = nil, answer: [String: JSONValue] = [:], during body: (inout WrittenHistory) -> Void = { _ in }
    ) -> [TraceEvent] {
        let begin = begin(process, call, token: token)
        body(&self)
        return [begin, end(begin, outcome: outcome, error: error, found: found, answer: answer)]
    }

    /// Adds the beginning of a call; ``end(_:outcome:error:found:answer:)`` adds its answer.
    mutating func begin(_ process: String, _ call: String, token: String? = nil) -> TraceEvent {
        let parts = process.split(separator: "#")
        var fields: [String: JSONValue] = [
            "peer": .string(String(parts[0])), "incarnation": .integer(Int64(parts.count > 1 ? parts[1] : "1") ?? 1),
            "call": .string(call),
        ]
        fields["token"] = token.map { .string($0) }
        return add("stress", .callInvoked, operation: "\(process)/\(events.count)", fields)
    }

    /// Adds the answer of a call.
    ///
    /// - Parameter answer: Further fields of the answer.
    @discardableResult
    mutating func end(
        _ begin: TraceEvent, outcome: String = "done", error: String? = nil, found: Bool? = nil,
        answer: [String: JSONValue] = [:]
    ) -> TraceEvent {
        var fields = begin.fields.merging(answer) { $1 }
        fields["outcome"] = .string(outcome)
        fields["error"] = error.map { .string($0) }
        fields["found"] = found.map { .bool($0) }
        return add("stress", .callCompleted, operation: begin.operation, fields)
    }

    /// What a checker finds in it.
    func judged(by name: String) throws -> Examination.Result {
        let checker = SharingCheckers.all.filter { $0.name == name }
        return try Examination(RecordedHistory(events), by: checker).results.first.orThrow("no checker \(name)")
    }
}

/// A required value is missing.
struct Missing: Error {
    let what: String
}

extension Optional {
    /// The value, or an error that says what is missing.
    func orThrow(_ what: String) throws -> Wrapped {
        guard let self else { throw Missing(what: what) }
        return self
    }
}
