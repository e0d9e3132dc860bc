// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

@Suite("The checker of the order of pending operations", .endsInTime)
struct OperationOrderTests {
    private static let status: [String: JSONValue] = ["lock": "status"]
    private static let operation: [String: JSONValue] = ["lock": "operation"]

    private func expect(
        _ history: WrittenHistory, keepsFor examined: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try history.judged(by: "operation order")
        #expect(result.verdict == .passed, "\(result)", sourceLocation: sourceLocation)
        #expect(result.examined == examined, sourceLocation: sourceLocation)
    }

    private func expect(
        _ history: WrittenHistory, breaksAs sentence: String, shownBy excerpt: [TraceEvent],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try history.judged(by: "operation order")
        #expect(result.breaches == 1, "\(result)", sourceLocation: sourceLocation)
        #expect(
            result.breach?.sentence == "What happened to the pending operation has no order: \(sentence)",
            sourceLocation: sourceLocation)
        #expect(result.breach?.excerpt == excerpt, sourceLocation: sourceLocation)
    }

    @Test func `One operation follows the other, and meanwhile other apps are refused`() throws {
        var history = WrittenHistory()
        history.beginOperation("app1")
        history.refuse("app2")
        let end = history.endOperation("app1")
        var next = history
        next.beginOperation("app2")
        next.refuse("app1")
        next.endOperation("app2")
        try expect(next, keepsFor: 6)
        let refusal = history.refuse("app2")
        try expect(
            history,
            breaksAs: "after 3 of 4 steps it is not there, but app2#1 was refused because of another app's.",
            shownBy: end + refusal)
    }

    @Test func `An operation that begins while another one is pending is a breach`() throws {
        var history = WrittenHistory()
        let first = history.beginOperation("app1")
        let second = history.beginOperation("app2")
        history.endOperation("app1")
        try expect(
            history, breaksAs: "after 1 of 4 steps it is that of app1#1, but app2#1 began one.",
            shownBy: [first, second])
    }

    @Test func `The owner of an operation has it as long as it does something`() throws {
        var history = WrittenHistory()
        let first = history.beginOperation("app1")
        let second = history.beginOperation("app2")
        // The end of app1's process is not recorded.
        try expect(history, keepsFor: 2)
        history.add("app1", .log)
        try expect(
            history, breaksAs: "after 1 of 4 steps it is that of app1#1, but app2#1 began one.",
            shownBy: [first, second])
    }

    @Test func `An app is not refused because of its own operation, nor without any`() throws {
        var own = WrittenHistory()
        let begin = own.beginOperation("app1")
        own.refuse("app2")
        let refusal = own.refuse("app1")
        own.endOperation("app1")
        try expect(
            own,
            breaksAs: "after 2 of 4 steps it is that of app1#1, but app1#1 was refused because of another app's.",
            shownBy: [begin] + refusal)
        var none = WrittenHistory()
        let first = none.refuse("app1")
        try expect(
            none, breaksAs: "at the beginning it is not there, but app1#1 was refused because of another app's.",
            shownBy: first)
    }

    @Test func `A call that began before an operation, or ends after it, may have been refused because of it`() throws {
        var before = WrittenHistory()
        let early = before.begin("app2", "activate")
        before.beginOperation("app1")
        before.end(early, outcome: "notDone", error: "externalPendingOperation")
        before.endOperation("app1")
        try expect(before, keepsFor: 3)
        var after = WrittenHistory()
        after.beginOperation("app1")
        let late = after.begin("app2", "activate")
        after.endOperation("app1")
        after.end(late, outcome: "notDone", error: "externalPendingOperation")
        try expect(after, keepsFor: 3)
        var other = WrittenHistory()
        other.call("app2", "activate", outcome: "notDone", error: "networkError")
        try expect(other, keepsFor: 0)
    }

    @Test func `The operation of a dead process is over when its end is noticed, and maybe before`() throws {
        var history = WrittenHistory()
        history.beginOperation("app1")
        let last = history.add("app1", .log)
        history.refuse("app2")
        var early = history
        early.beginOperation("app2")
        early.add("phone", .processEnded, ["peer": "app1", "incarnation": 1, "signal": "SIGKILL"])
        try expect(early, keepsFor: 4)
        let death = history.add("phone", .processEnded, ["peer": "app1", "incarnation": 1, "signal": "SIGKILL"])
        let refusal = history.refuse("app2")
        try expect(
            history,
            breaksAs: "after 3 of 4 steps it is not there, but app2#1 was refused because of another app's.",
            shownBy: [last, death] + refusal)
    }

    @Test func `A process that dies in a task may have taken the lock, and refused others until its end is noticed`()
        throws
    {
        var history = WrittenHistory()
        history.add("app1", .lockTaken, Self.status)
        history.refuse("app2")
        history.add("phone", .processEnded, ["peer": "app1", "incarnation": 1, "signal": "SIGKILL"])
        try expect(history, keepsFor: 0)
        let refusal = history.refuse("app2")
        try expect(
            history, breaksAs: "at the beginning it is not there, but app2#1 was refused because of another app's.",
            shownBy: refusal)
    }

    @Test func `A lock is free at a moment between the report of its release and the next event of its task`() throws {
        var history = WrittenHistory()
        history.beginOperation("app1")
        history.add("app1", .lockReleased, Self.operation)
        history.beginOperation("app2")
        history.add("app1", .operationFinished)
        try expect(history, keepsFor: 3)
        var late = WrittenHistory()
        let first = late.beginOperation("app1")
        let second = late.beginOperation("app2")
        late.add("app1", .lockReleased, Self.operation)
        late.add("app1", .operationFinished)
        try expect(
            late, breaksAs: "after 1 of 4 steps it is that of app1#1, but app2#1 began one.", shownBy: [first, second])
    }

    @Test func `An operation without its lock is pending from its announcement to its end`() throws {
        var history = WrittenHistory()
        let started = history.add("app1", .operationStarted, ["type": "activation"])
        let second = history.beginOperation("app2")
        history.endOperation("app2")
        var ended = WrittenHistory()
        ended.add("app1", .operationStarted, ["type": "activation"])
        ended.refuse("app2")
        ended.add("app1", .operationFinished, ["type": "activation"])
        try expect(ended, keepsFor: 3)
        ended.refuse("app2")
        #expect(try ended.judged(by: "operation order").breaches == 1)
        history.add("app1", .log)
        try expect(
            history, breaksAs: "after 1 of 4 steps it is that of app1#1, but app2#1 began one.",
            shownBy: [started, second])
    }

    @Test func `A lock that is only taken and released is an operation, too; the other locks are none`() throws {
        var history = WrittenHistory()
        history.add("app1", .lockTaken, Self.status)
        history.add("app1", .lockTaken, Self.operation)
        history.add("app1", .lockReleased, Self.operation)
        history.add("app1", .lockReleased, Self.status)
        history.add("app1", .lockTaken, ["lock": "queue"])
        history.add("app2", .lockTaken, ["lock": "queue"])
        try expect(history, keepsFor: 2)
        history.beginOperation("app2")
        try expect(history, keepsFor: 3)
    }
}

extension WrittenHistory {
    /// An app takes the operation lock in a task; the result is the event of that.
    @discardableResult
    fileprivate mutating func beginOperation(_ app: String) -> TraceEvent {
        add(app, .lockTaken, ["lock": "status"])
        let taken = add(app, .lockTaken, ["lock": "operation"])
        add(app, .operationStarted, ["type": "activation"])
        add(app, .lockReleased, ["lock": "status"])
        return taken
    }

    /// An app ends its operation in a task; the result is the report of the release and the event after it.
    @discardableResult
    fileprivate mutating func endOperation(_ app: String) -> [TraceEvent] {
        add(app, .lockTaken, ["lock": "status"])
        let released = add(app, .lockReleased, ["lock": "operation"])
        let finished = add(app, .operationFinished, ["type": "activation"])
        add(app, .lockReleased, ["lock": "status"])
        return [released, finished]
    }

    /// A call of an app is refused because of another app's operation.
    @discardableResult
    fileprivate mutating func refuse(_ app: String) -> [TraceEvent] {
        call(app, "activate", outcome: "notDone", error: "externalPendingOperation")
    }
}
