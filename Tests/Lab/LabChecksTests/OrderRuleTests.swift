// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

/// The rules that search an order of calls about one thing: for each a history that keeps it, and the nearest one that
/// breaks it.
@Suite("The checkers that search an order", .endsInTime)
struct OrderRuleTests {
    /// A rule with a history, as a test states what it decides.
    private func expect(
        _ history: WrittenHistory, keeps rule: String, examined: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try history.judged(by: rule)
        #expect(result.verdict == .passed, "\(result)", sourceLocation: sourceLocation)
        #expect(result.examined == examined, sourceLocation: sourceLocation)
    }

    /// A breach is found once, says this after the name of the thing, and shows exactly these events.
    private func expect(
        _ history: WrittenHistory, breaks rule: String, as sentence: String, shownBy excerpt: [TraceEvent],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try history.judged(by: rule)
        #expect(result.verdict == .failed, "\(result)", sourceLocation: sourceLocation)
        #expect(result.breaches == 1, sourceLocation: sourceLocation)
        let things = [
            "token order": "the token `cards` of the activation A", "operation order": "the pending operation",
            "password order": "the password of the activation A",
        ]
        let beginning = "What happened to \(things[rule] ?? "") has no order: "
        #expect(result.breach?.sentence == beginning + sentence, sourceLocation: sourceLocation)
        #expect(result.breach?.excerpt == excerpt, sourceLocation: sourceLocation)
    }

    // MARK: Tokens

    @Test func `After a removal no app finds the token until it is requested again`() throws {
        var history = WrittenHistory()
        history.look("app2", nil)
        history.request("app1", "t1")
        history.look("app2", "t1")
        history.request("app2", "t1")
        let removal = history.remove("app2")
        history.look("app1", nil)
        var again = history
        again.request("app1", "t2")
        again.look("app2", "t2")
        again.remove("app2")
        again.remove("app1")
        try expect(again, keeps: "token order", examined: 10)
        let look = history.look("app1", "t1")
        try expect(
            history, breaks: "token order",
            as: "after 6 of 7 steps it is not there (removed: t1), but app1#1 found it as t1.",
            shownBy: removal + look)
    }

    @Test func `A token that was requested is found by every app`() throws {
        var history = WrittenHistory()
        let request = history.request("app1", "t1")
        let look = history.look("app2", nil)
        try expect(
            history, breaks: "token order", as: "after 1 of 2 steps it is there as t1, but app2#1 did not find it.",
            shownBy: request + look)
    }

    @Test func `Two requests without a removal between them are given the same token`() throws {
        var history = WrittenHistory()
        let first = history.request("app1", "t1")
        let second = history.request("app2", "t2")
        try expect(
            history, breaks: "token order", as: "after 1 of 2 steps it is there as t1, but app2#1 was given it as t2.",
            shownBy: first + second)
    }

    @Test func `A removed token is not given again, and no app finds another one than was given`() throws {
        var removed = WrittenHistory()
        removed.request("app1", "t1")
        let removal = removed.remove("app1")
        let request = removed.request("app2", "t1")
        try expect(
            removed, breaks: "token order",
            as: "after 2 of 3 steps it is not there (removed: t1), but app2#1 was given it as t1.",
            shownBy: removal + request)
        var other = WrittenHistory()
        let given = other.request("app1", "t1")
        let look = other.look("app2", "t2")
        try expect(
            other, breaks: "token order", as: "after 1 of 2 steps it is there as t1, but app2#1 found it as t2.",
            shownBy: given + look)
    }

    @Test func `During a removal the token is found or not, but no app finds it after another one did not`() throws {
        var history = WrittenHistory()
        history.request("app1", "t1")
        let removal = history.begin("app1", "removeToken", token: "cards")
        history.look("app2", "t1")
        history.look("app3", nil)
        var back = history
        history.end(removal, answer: ["activationId": "A"])
        try expect(history, keeps: "token order", examined: 4)
        let look = back.look("app2", "t1")
        let end = back.end(removal, answer: ["activationId": "A"])
        try expect(
            back, breaks: "token order",
            as: "after 4 of 5 steps it is not there (removed: t1), but app2#1 found it as t1.",
            shownBy: [removal] + look + [end])
    }

    @Test func `A request without an answer may have made a token, which is the same for all that find it`() throws {
        var history = WrittenHistory()
        history.call("app1", "requestToken", token: "cards", outcome: "unknown", error: "peerDied")
        history.look("app2", nil)
        var never = history
        never.look("app3", nil)
        try expect(never, keeps: "token order", examined: 2)
        let first = history.look("app2", "t1")
        try expect(history, keeps: "token order", examined: 2)
        let second = history.look("app3", "t2")
        try expect(
            history, breaks: "token order", as: "after 3 of 4 steps it is there as t1, but app3#1 found it as t2.",
            shownBy: first + second)
    }

    @Test func `A removal without an answer takes the token away once, at any time`() throws {
        var history = WrittenHistory()
        history.request("app1", "t1")
        let removal = history.call("app1", "removeToken", token: "cards", outcome: "unknown")
        history.look("app2", "t1")
        history.look("app3", nil)
        try expect(history, keeps: "token order", examined: 3)
        let look = history.look("app2", "t1")
        try expect(
            history, breaks: "token order",
            as: "after 4 of 5 steps it is not there (removed: t1), but app2#1 found it as t1.",
            shownBy: removal + look)
    }

    @Test func `A call that was not done has changed nothing`() throws {
        var request = WrittenHistory()
        request.call("app1", "requestToken", token: "cards", outcome: "notDone", error: "missingActivation")
        request.look("app2", nil)
        try expect(request, keeps: "token order", examined: 1)
        let look = request.look("app2", "t1")
        try expect(
            request, breaks: "token order", as: "after 1 of 2 steps it is not there, but app2#1 found it as t1.",
            shownBy: look)
        var removal = WrittenHistory()
        let given = removal.request("app1", "t1")
        removal.call("app1", "removeToken", token: "cards", outcome: "notDone", error: "invalidToken")
        let missed = removal.look("app2", nil)
        try expect(
            removal, breaks: "token order", as: "after 1 of 2 steps it is there as t1, but app2#1 did not find it.",
            shownBy: given + missed)
    }

    @Test func `Each token of each activation is judged by itself`() throws {
        var history = WrittenHistory()
        history.request("app1", "t1")
        history.look("app2", nil, token: "accounts")
        history.look("app2", nil, of: "B")
        history.request("app1", "t2", token: "accounts")
        history.request("app1", "t3", of: "B")
        try expect(history, keeps: "token order", examined: 5)
        history.request("app2", "t4", token: "accounts")
        history.request("app2", "t5", of: "B")
        #expect(try history.judged(by: "token order").breaches == 2)
    }

    @Test func `A call during which the activation changed may concern each one that existed, and no later one`() throws
    {
        func history(isLater: Bool) -> WrittenHistory {
            var history = WrittenHistory()
            let birth: [String: JSONValue] = ["activationId": "A", "to": "ACTIVE"]
            if !isLater { history.add("server", .serverActivation, birth) }
            history.call("app1", "requestToken", token: "cards", answer: ["tokenIdentifier": "t1"])
            if isLater { history.add("server", .serverActivation, birth) }
            return history
        }
        var open = history(isLater: false)
        open.call("app2", "tokenHeader", token: "cards", found: false)
        try expect(open, keeps: "token order", examined: 0)
        open.look("app2", "t1")
        try expect(open, keeps: "token order", examined: 1)
        var later = history(isLater: true)
        let look = later.look("app2", "t1")
        try expect(
            later, breaks: "token order", as: "at the beginning it is not there, but app2#1 found it as t1.",
            shownBy: look)
    }

    @Test(arguments: [("peerDied", false), ("timedOut", true)])
    func `A call that was not answered in time may concern a later activation, one of an app that died may not`(
        error: String, mayConcernIt: Bool
    ) throws {
        var history = WrittenHistory()
        history.call("app1", "requestToken", token: "cards", outcome: "unknown", error: error)
        history.activate()
        let look = history.look("app2", "t1")
        guard !mayConcernIt else { return try expect(history, keeps: "token order", examined: 1) }
        try expect(
            history, breaks: "token order", as: "at the beginning it is not there, but app2#1 found it as t1.",
            shownBy: look)
    }

    // MARK: Passwords

    @Test func `After a change the server accepts the new password, and the old one no longer`() throws {
        var history = WrittenHistory()
        history.sign("app2", 0)
        let change = history.change("app1", to: 1)
        history.sign("app2", 1)
        try expect(history, keeps: "password order", examined: 4)
        let signature = history.sign("app2", 0)
        try expect(
            history, breaks: "password order",
            as: "after 4 of 5 steps it is number 1, but app2#1 signed with number 0, which the server accepted.",
            shownBy: change + signature)
    }

    @Test func `The server refuses a former password, but not the current one`() throws {
        var history = WrittenHistory()
        history.activate()
        let change = history.change("app1", to: 1)
        history.sign("app2", 0, isAccepted: false)
        history.add("app2", .log)
        try expect(history, keeps: "password order", examined: 3)
        let signature = history.sign("app3", 1, isAccepted: false)
        history.add("app3", .log)
        try expect(
            history, breaks: "password order",
            as: "after 3 of 4 steps it is number 1, but app3#1 signed with number 1, which the server refused.",
            shownBy: change + signature)
    }

    @Test(arguments: ["not active", "blocked", "dead"])
    func `A refusal that the state of the activation or a death explains is not judged`(cause: String) throws {
        var history = WrittenHistory()
        if cause != "not active" { history.activate() }
        history.sign("app1", 0, isAccepted: false)
        if cause == "blocked" { history.add("server", .serverActivation, ["activationId": "A", "to": "BLOCKED"]) }
        if cause != "dead" { history.add("app1", .log) }
        try expect(history, keeps: "password order", examined: 0)
    }

    @Test func `A change without an answer takes effect once, at any time after its start, or never`() throws {
        var history = WrittenHistory()
        let change = history.change("app1", to: 1, outcome: "unknown")
        history.sign("app2", 0)
        try expect(history, keeps: "password order", examined: 2)
        history.sign("app2", 1)
        try expect(history, keeps: "password order", examined: 3)
        let signature = history.sign("app2", 0)
        try expect(
            history, breaks: "password order",
            as: "after 4 of 5 steps it is number 1, but app2#1 signed with number 0, which the server accepted.",
            shownBy: change + signature)
    }

    @Test(arguments: [true, false])
    func `A change that was not done, or whose signature was refused, changes nothing`(isAccepted: Bool) throws {
        var history = WrittenHistory()
        history.change("app1", to: 1, outcome: isAccepted ? "notDone" : "unknown", isAccepted: isAccepted)
        let signature = history.sign("app2", 1)
        let place = isAccepted ? "after 1 of 2 steps" : "at the beginning"
        try expect(
            history, breaks: "password order",
            as: "\(place) it is number 0, but app2#1 signed with number 1, which the server accepted.",
            shownBy: signature)
    }

    @Test func `A signature that was made before a change may be accepted after it`() throws {
        var history = WrittenHistory()
        let slow = history.begin("app2", "knowledgeSignature")
        history.change("app1", to: 1)
        history.judge(slow, isAccepted: true)
        history.end(slow, answer: ["password": 0])
        try expect(history, keeps: "password order", examined: 3)
    }

    @Test func `Passwords of other activations and signatures with other factors are not compared`() throws {
        var history = WrittenHistory()
        history.change("app1", to: 1)
        history.sign("app2", 0, of: "B")
        history.sign("app2", 0, type: "POSSESSION_BIOMETRY")
        history.sign("app2", 0, type: "POSSESSION")
        try expect(history, keeps: "password order", examined: 3)
        history.sign("app2", 0, type: "possession_knowledge")
        #expect(try history.judged(by: "password order").breaches == 1)
    }
}

extension WrittenHistory {
    private static func answer(_ identifier: String?, of activation: String) -> [String: JSONValue] {
        var answer: [String: JSONValue] = ["activationId": .string(activation)]
        answer["tokenIdentifier"] = identifier.map { .string($0) }
        return answer
    }

    /// An app requests a token, and is given one.
    @discardableResult
    fileprivate mutating func request(
        _ app: String, _ identifier: String, token: String = "cards", of activation: String = "A"
    ) -> [TraceEvent] {
        call(app, "requestToken", token: token, answer: Self.answer(identifier, of: activation))
    }

    /// An app looks for a token, and finds this one or none.
    @discardableResult
    fileprivate mutating func look(
        _ app: String, _ identifier: String?, token: String = "cards", of activation: String = "A"
    ) -> [TraceEvent] {
        call(
            app, "tokenHeader", token: token, found: identifier != nil,
            answer: Self.answer(identifier, of: activation))
    }

    @discardableResult
    fileprivate mutating func remove(_ app: String) -> [TraceEvent] {
        call(app, "removeToken", token: "cards", answer: Self.answer(nil, of: "A"))
    }

    fileprivate mutating func activate() {
        add("server", .serverActivation, ["activationId": "A", "to": "ACTIVE"])
    }

    /// The server judges the signature of a call.
    @discardableResult
    fileprivate mutating func judge(
        _ call: TraceEvent, isAccepted: Bool, of activation: String = "A", type: String = "POSSESSION_KNOWLEDGE"
    ) -> TraceEvent {
        add(
            "server", .serverSignature, operation: call.operation,
            ["activationId": .string(activation), "type": .string(type), "valid": .bool(isAccepted)])
    }

    /// An app signs; the result is the beginning of the call, and the server's judgement.
    @discardableResult
    fileprivate mutating func sign(
        _ app: String, _ password: Int64, isAccepted: Bool = true, of activation: String = "A",
        type: String = "POSSESSION_KNOWLEDGE"
    ) -> [TraceEvent] {
        let begin = begin(app, "knowledgeSignature")
        let signature = judge(begin, isAccepted: isAccepted, of: activation, type: type)
        end(begin, outcome: isAccepted ? "done" : "unknown", answer: ["password": .integer(password)])
        return [begin, signature]
    }

    /// An app changes the first password; the result is the call.
    @discardableResult
    fileprivate mutating func change(
        _ app: String, to password: Int64, outcome: String = "done", isAccepted: Bool = true
    ) -> [TraceEvent] {
        let begin = begin(app, "changePassword")
        judge(begin, isAccepted: isAccepted)
        return [begin, end(begin, outcome: outcome, answer: ["password": 0, "newPassword": .integer(password)])]
    }
}
