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
        found: Bool? = nil, during body: (inout WrittenHistory) -> Void = { _ in }
    ) -> [TraceEvent] {
        let operation = "\(process)/\(events.count)"
        let parts = process.split(separator: "#")
        var fields: [String: JSONValue] = [
            "peer": .string(String(parts[0])), "incarnation": .integer(Int64(parts.count > 1 ? parts[1] : "1") ?? 1),
            "call": .string(call),
        ]
        fields["token"] = token.map { .string($0) }
        let begin = add("stress", .callInvoked, operation: operation, fields)
        body(&self)
        fields["outcome"] = .string(outcome)
        fields["error"] = error.map { .string($0) }
        fields["found"] = found.map { .bool($0) }
        let end = add("stress", .callCompleted, operation: operation, fields)
        return [begin, end]
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
