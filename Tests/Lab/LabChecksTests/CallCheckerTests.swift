// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabPoints
import TestSupport
import Testing

/// The nearest history on each side of what a checker of calls, tokens, locks and deaths decides.
@Suite("Where the checkers of calls, tokens, locks and deaths draw the line", .endsInTime)
struct CallCheckerTests {
    private func breaches(_ history: WrittenHistory, _ checker: String) throws -> [String] {
        let result = try history.judged(by: checker)
        #expect(result.verdict == (result.breaches == 0 ? .passed : .failed), "\(result)")
        return result.breach.map { [$0.sentence] } ?? []
    }

    // MARK: Failures

    private static let unexplained = [
        "invalidActivationState", "invalidConfiguration", "signatureError", "wrongParameter", "encryption", "failed",
        "badRequest", "badArgument", "unknownCommand", "launchFailed", "internal", "timedOut",
    ]

    @Test(arguments: unexplained + ["networkError", "peerDied"])
    func `These errors are breaches; any other one is an answer`(_ error: String) throws {
        var history = WrittenHistory()
        history.call("app2", "status", outcome: "notDone", error: error)
        let what = error == "timedOut" ? "was not answered in time" : "failed with `\(error)`"
        let isBreach = Self.unexplained.contains(error)
        #expect(try breaches(history, "failures") == (isBreach ? ["status of app2#1 \(what)."] : []))
        #expect(try history.judged(by: "failures").examined == 1)
    }

    private static let changes: [(name: TraceEventName, fields: [String: JSONValue], explains: Bool)] = [
        (.stateRemoved, [:], true), (.operationStarted, [:], true), (.operationFinished, [:], true),
        (.stateLoaded, ["activation": false], true), (.stateLoaded, ["activation": true], false),
        (.stateSaved, ["bytes": 1], false),
    ]

    @Test func `A change of the activation explains a failure during the call, but no missing answer`() throws {
        for (name, fields, explains) in Self.changes {
            for (error, isExplained) in [("failed", explains), ("timedOut", false)] {
                var history = WrittenHistory()
                history.call("app1", "status", outcome: "notDone", error: error) { $0.add("app3", name, fields) }
                #expect(try breaches(history, "failures").isEmpty == isExplained, "\(name) \(error)")
            }
            var before = WrittenHistory()
            before.add("app3", name, fields)
            before.call("app1", "status", outcome: "notDone", error: "failed")
            before.add("app3", name, fields)
            #expect(try breaches(before, "failures").count == 1, "\(name) before and after the call")
        }
    }

    @Test func `A call without an answer is not judged`() throws {
        var history = WrittenHistory()
        history.add("stress", .callInvoked, operation: "app2/9", ["peer": "app2", "incarnation": 1, "call": "status"])
        #expect(try breaches(history, "failures") == [])
        #expect(try history.judged(by: "failures").examined == 0)
    }

    // MARK: Tokens

    private static let token: [String: JSONValue] = ["name": "cards"]

    @Test
    func `A token is not judged when it changed during the call, or an app died in a task since its last change`()
        throws
    {
        var history = WrittenHistory()
        history.call("app2", "tokenHeader", token: "cards", found: true)
        history.add("app1", .tokenStored, Self.token)
        history.call("app2", "tokenHeader", token: "cards", found: nil)
        history.call("app2", "tokenHeader", token: "cards", found: false) { $0.add("app1", .tokenRemoved, Self.token) }
        history.call("app2", "tokenHeader", token: "cards", found: false)
        history.add("app3", .lockTaken, ["lock": "status"])
        history.add("app3", .lockReleased, ["lock": "status"])
        #expect(try breaches(history, "tokens") == [])
        #expect(try history.judged(by: "tokens").examined == 1)

        var dead = history
        // app3 dies in its task, and may have stored the token without a record.
        dead.add("app3", .lockTaken, ["lock": "status"])
        dead.call("app2", "tokenHeader", token: "cards", found: true)
        #expect(try breaches(dead, "tokens") == [])
        #expect(try dead.judged(by: "tokens").examined == 1)
        dead.add("app1", .tokenRemoved, Self.token)
        dead.call("app2", "tokenHeader", token: "cards", found: true)
        #expect(try breaches(dead, "tokens") == ["app2#1 still sees the token that app1#1 has removed."])

        var queue = history
        queue.add("app3", .lockTaken, ["lock": "queue"])
        queue.call("app2", "tokenHeader", token: "cards", found: true)
        #expect(try breaches(queue, "tokens") == ["app2#1 still sees the token that app1#1 has removed."])
    }

    // MARK: Locks

    @Test func `A release by another process, or of another lock, frees nothing`() throws {
        for release in [("app2#1", "status"), ("app1#2", "status"), ("app1#1", "queue")] {
            var history = WrittenHistory()
            history.add("app1", .lockTaken, ["lock": "status"])
            history.add(release.0, .lockReleased, ["lock": .string(release.1)])
            history.add("app1", .lockTaken, ["lock": "operation"])
            #expect(try breaches(history, "order") == [], "\(release)")
            history.add("app3", .lockTaken, ["lock": "status"])
            history.add("app1", .log, ["message": "it lives"])
            #expect(
                try breaches(history, "exclusion") == ["app3#1 took the lock `status` that app1#1 held."], "\(release)")
        }
    }

    @Test
    func `A process that takes a lock again, and the next process of an app whose process died, break no rule`() throws
    {
        var history = WrittenHistory()
        history.add("app1", .lockTaken, ["lock": "status"])
        history.add("app1", .lockTaken, ["lock": "status"])
        history.add("app1#2", .lockTaken, ["lock": "status"])
        #expect(try breaches(history, "exclusion") == [])
        history.add("app1", .log, ["message": "the first process lives"])
        #expect(try breaches(history, "exclusion") == ["app1#2 took the lock `status` that app1#1 held."])
    }

    @Test func `Only the owner ends a pending operation: by its end, or by the release of the operation lock`() throws {
        let (lock, fields): ([String: JSONValue], [String: JSONValue]) = (["lock": "operation"], ["type": "activation"])
        let ends: [(process: String, name: TraceEventName, lock: String?, isEnd: Bool)] = [
            ("app1", .operationFinished, nil, true), ("app2", .operationFinished, nil, false),
            ("app1", .lockReleased, "operation", true), ("app1", .lockReleased, "queue", false),
            ("app2", .lockReleased, "operation", false),
        ]
        for (process, name, released, isEnd) in ends {
            var history = WrittenHistory()
            history.add("app1", .lockTaken, lock)
            history.add("app1", .operationStarted, fields)
            history.add(process, name, released.map { ["lock": .string($0)] } ?? fields)
            history.add("app2", .lockTaken, lock)
            history.add("app2", .operationStarted, fields)
            history.add("app1", .log, ["message": "it lives"])
            let sentence = "app2#1 began an operation while that of app1#1 was pending."
            #expect(try breaches(history, "pending operations") == (isEnd ? [] : [sentence]), "\(name) of \(process)")
        }
        var again = WrittenHistory()
        again.add("app1", .lockTaken, lock)
        again.add("app1", .operationStarted, fields)
        again.add("app1", .operationStarted, fields)
        again.add("app1", .log, ["message": "it lives"])
        #expect(try breaches(again, "pending operations") == [], "an owner may begin another one")
    }

    // MARK: Deaths

    /// What precedes the end of `app1#1`, how it ends, and whether that is a breach.
    private static let ends: [(reason: String, how: [String: JSONValue], isBreach: Bool)] = [
        ("", ["signal": "SIGKILL"], true), ("", ["status": 0], true),
        ("", ["signal": "SIGKILL", "cause": "memory"], false),
        ("wanted", ["signal": "SIGKILL"], false), ("wanted", ["signal": "SIGTERM"], false),
        ("wanted", ["status": 0], false), ("wanted", ["signal": "SIGSEGV"], true),
        ("wanted 2", ["signal": "SIGKILL"], true), ("kill", ["signal": "SIGKILL"], false),
        ("kill", ["signal": "SIGBUS"], true), ("delay", ["signal": "SIGKILL"], true),
    ]

    @Test func `A wanted process may end by the wanted signals, any process by its system`() throws {
        for (reason, how, isBreach) in Self.ends {
            var history = WrittenHistory()
            switch reason {
            case "wanted": history.add("stress", .deathWanted, ["peer": "app1", "incarnation": 1])
            case "wanted 2": history.add("stress", .deathWanted, ["peer": "app1", "incarnation": 2])
            case "kill", "delay": history.add("app1", .faultFired, ["action": .string(reason)])
            default: break
            }
            let fields: [String: JSONValue] = ["peer": "app1", "incarnation": 1, "reason": "r"]
            history.add("phone", .processEnded, fields.merging(how) { $1 })
            history.add("stress", .stressEnding)
            #expect(
                try breaches(history, "deaths") == (isBreach ? ["app1#1 ended by itself: r."] : []), "\(reason) \(how)")
            #expect(try history.judged(by: "deaths").examined == 1)
        }
    }

    @Test func `The excerpt of a death has the last five events of its process`() throws {
        var history = WrittenHistory()
        for number in 1...6 { history.add("app1", .log, ["message": .string("\(number)")]) }
        history.add("app1#2", .log, ["message": "another process"])
        history.add("phone", .processEnded, ["peer": "app1", "incarnation": 1])
        history.add("stress", .callInvoked)
        let breach = try history.judged(by: "deaths").breach
        #expect(breach?.sentence == "app1#1 ended by itself: reason unknown.")
        #expect(breach?.excerpt.compactMap { $0.fields["message"] } == ["2", "3", "4", "5", "6"])
    }

    // MARK: Answers

    @Test func `A command changes the activation that its own process has signed for`() throws {
        for (process, operation) in [("app1#1", "app1/1"), ("app1#1", "app1/2"), ("app1#2", "app1/1")] {
            var history = WrittenHistory()
            history.add(
                "app1", .counterUsed, operation: "app1/1",
                ["counter": "c", "activationId": "A", "factor": "possession"])
            history.add(process, .stateLoaded, ["activationId": "B"])
            history.add(process, .stateSaved, operation: operation, ["activationId": "B"])
            let isOwn = process == "app1#1" && operation == "app1/1"
            let sentence = "app1#1 changed another activation than the one that the server had answered."
            #expect(try breaches(history, "late answers") == (isOwn ? [sentence] : []), "\(process) \(operation)")
            #expect(try history.judged(by: "late answers").examined == (isOwn ? 1 : 0))
        }
    }
}
