// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import TestSupport
import Testing

@testable import LabReports

@Suite("The causes of a failed step: faults, refusals and the ends of processes", .endsInTime)
struct CauseFinderTests {
    private static func event(
        _ name: TraceEventName, of process: String, at milliseconds: UInt64, step: String? = nil,
        _ fields: [String: JSONValue] = [:]
    ) -> TraceEvent {
        CauseRow.event(name, of: process, at: milliseconds, step: step, fields)
    }

    // MARK: Faults

    private static func fired(
        at time: UInt64, in process: String = "main", _ action: String = "kill", id: Int64 = 1
    ) -> TraceEvent {
        event(
            .faultFired, of: process, at: time,
            ["id": .integer(id), "point": "state.save", "action": .string(action)])
    }

    private static func fault(_ action: String = "kill", in process: String = "main", isKnown: Bool = true) -> String {
        let armed = isKnown ? " that step 4 armed (scenario.yaml:1:1)" : ""
        return "the fault `\(action)` at `state.save`\(armed) took effect in `\(process)`"
    }

    private static let processFaults: [CauseRow] = [
        CauseRow("a fault as the step begins", [fired(at: 900, "delay")], fault("delay")),
        CauseRow("a fault in another process", [fired(at: 950, in: "wallet", "fail")], fault("fail", in: "wallet")),
        CauseRow("a fault that no step armed", [fired(at: 950, id: 2)], fault(isKnown: false)),
        CauseRow("the same fault twice", [fired(at: 950, "fail"), fired(at: 960, "fail")], fault("fail")),
        CauseRow("a fault before the step", [fired(at: 899, "delay")]),
        CauseRow("an earlier fault that killed the actor", error: "peerDied", [fired(at: 500)], fault()),
        CauseRow("the same, when the actor does not run", error: "notRunning", [fired(at: 500)], fault()),
        CauseRow("an earlier kill, but another error", error: "timedOut", [fired(at: 500)]),
        CauseRow("an earlier kill, but no error", [fired(at: 500)]),
        CauseRow("an earlier fault that only delayed the actor", error: "peerDied", [fired(at: 500, "delay")]),
        CauseRow("an earlier kill of another app", error: "peerDied", [fired(at: 500, in: "wallet")]),
        CauseRow(
            "a kill after which the actor lived again", error: "peerDied",
            [fired(at: 500), event(.stateSaved, of: "main", at: 501)]),
    ]

    private static func faulted(at time: UInt64, step: String) -> TraceEvent {
        event(.serverFaulted, of: "server", at: time, step: step, ["path": "/status", "fault": "3s late", "id": "f1"])
    }

    private static let networkFaults: [CauseRow] = [
        CauseRow(
            "a fault of the network", [faulted(at: 900, step: "9.1")],
            "the fault of the network that step 4 armed (scenario.yaml:1:1) hit `/status`: 3s late"),
        CauseRow(
            "an answer that a fault could not edit",
            [
                event(
                    .serverUnedited, of: "server", at: 900, step: "9.1",
                    ["path": "/status", "cause": "`a` is not in the answer", "id": "f1"])
            ],
            "the fault of the network that step 4 armed (scenario.yaml:1:1) could not edit the answer of `/status`: `a` is not in the answer"
        ),
        CauseRow("one that hit another step's request", [faulted(at: 950, step: "90")]),
        CauseRow("one before the last attempt", [faulted(at: 899, step: "9")]),
    ]

    private static func lost(
        at time: UInt64, fault: LinkFaultWord = .drop, kind: LinkMessageKind = .live, of app: String = "main",
        _ direction: LinkDirection = .toPhone
    ) -> TraceEvent {
        event(
            .linkFaulted, of: "phone", at: time,
            [
                "link": "pairing", "direction": .string(direction.rawValue), "kind": .string(kind.rawValue),
                "app": .string(app), "fault": .string(fault.rawValue), "effect": "it was hit", "armed": "f2",
            ])
    }

    private static func hit(_ place: String) -> String {
        "the fault of the link `pairing` that step 4 armed (scenario.yaml:1:1) hit a message \(place): it was hit"
    }

    private static let linkFaults: [CauseRow] =
        [
            CauseRow(
                "a message that the step sent", error: "notReachable", domain: "WCErrorDomain",
                [lost(at: 900, kind: .transfer, .toWatch)], hit("to the watch (transfer)")),
            CauseRow("a message before the step", error: "notReachable", domain: "WCErrorDomain", [lost(at: 899)]),
            CauseRow(
                "an error of the watch of the SDK", error: "watchConnectivity", [lost(at: 950, kind: .context)],
                hit("to the phone (context)")),
            CauseRow(
                "an event of a link is awaited", awaited: "link.received", [lost(at: 950, kind: .reply)],
                hit("to the phone (reply)")),
            CauseRow(
                "the reachability is awaited", awaited: "session.state", [lost(at: 950, kind: .state)],
                hit("to the phone (state)")),
            CauseRow("another event is awaited", awaited: "state.saved", [lost(at: 950)]),
            CauseRow(
                "a step of a watch", of: "companion", error: "wrongState", [lost(at: 950, kind: .state, .toWatch)],
                hit("to the watch (state)")),
            CauseRow("a step of a phone that is not about the watch", error: "wrongState", [lost(at: 950)]),
            CauseRow("a guaranteed message is sent again", [lost(at: 500, kind: .transfer)]),
            CauseRow("a message for another app", [lost(at: 500, of: "wallet")]),
        ]
        + LinkFaultWord.allCases.map { word in
            let isLost = [.drop, .corrupt, .cut].contains(word)
            let events = [lost(at: 500, fault: word)]
            let title = "an immediate message of long ago: \(word)"
            return isLost ? CauseRow(title, events, hit("to the phone (live)")) : CauseRow(title, events)
        }

    // MARK: The server

    private static func refused(_ step: String = "9") -> TraceEvent {
        event(
            .serverRefused, of: "server", at: 950, step: step, ["path": "/x", "code": "E1", "cause": "it is too late"])
    }

    private static func signature(_ failed: Int64, isValid: Bool = false, step: String = "9.2") -> TraceEvent {
        event(
            .serverSignature, of: "server", at: 940, step: step,
            ["type": "possession", "valid": .bool(isValid), "failedAttempts": .integer(failed)])
    }

    private static func wrong(_ attempts: String) -> String {
        "the signature (possession) does not match at the server; the activation has \(attempts) now"
    }

    private static let serverDeath = event(.processEnded, of: "server", at: 350, ["peer": "server"])
    private static let noAnswer = event(.httpFailed, of: "main", at: 950, step: "9")
    private static let noServer = "the server does not run since step 3; `server: restart` starts it again"

    private static func leftOut(at time: UInt64 = 950, by app: String = "main", id: JSONValue? = "7") -> TraceEvent {
        var fields: [String: JSONValue] = ["cause": "responseObject[0].status is missing"]
        fields["operation"] = id
        return event(.operationsLeftOut, of: app, at: time, fields)
    }

    private static let answers: [CauseRow] = [
        CauseRow(
            "an operation that the app cannot read", [leftOut()],
            "`main` left the operation `7` out of the list: responseObject[0].status is missing"),
        CauseRow(
            "one without an identifier", [leftOut(id: nil)],
            "`main` left an operation out of the list: responseObject[0].status is missing"),
        CauseRow("one that another app cannot read", [leftOut(by: "wallet")]),
        CauseRow("one before the step", [leftOut(at: 899)]),
        CauseRow("a refusal", [refused()], "the server refused `/x` with E1: it is too late"),
        CauseRow(
            "a refusal says more than the signature", [signature(1), refused()],
            "the server refused `/x` with E1: it is too late"),
        CauseRow("a refusal of another step", [refused("8"), signature(1)], wrong("1 failed attempt")),
        CauseRow("a second wrong signature", [signature(2)], wrong("2 failed attempts")),
        CauseRow("a right signature", [signature(0, isValid: true)]),
        CauseRow("the wrong signature of another step", [signature(1, step: "8")]),
        CauseRow("a dead server", [serverDeath, noAnswer], noServer),
        CauseRow("a dead server that the step does not need", [serverDeath]),
        CauseRow(
            "a dead server that an earlier step needed",
            [serverDeath, event(.httpFailed, of: "main", at: 850, step: "8")]),
        CauseRow("a server that runs again", [serverDeath, event(.processStarted, of: "server", at: 360), noAnswer]),
        CauseRow(
            "another process ended after the server",
            [serverDeath, event(.processEnded, of: "phone", at: 400, ["peer": "wallet"]), noAnswer], noServer),
    ]

    // MARK: The end of the actor

    private static func ended(at time: UInt64, cause: TerminationCause? = nil) -> TraceEvent {
        var fields: [String: JSONValue] = ["peer": "main", "reason": "it was ended"]
        fields["cause"] = cause.map { .string($0.rawValue) }
        return event(.processEnded, of: "phone", at: time, fields)
    }

    private static func clock(at time: UInt64) -> TraceEvent {
        event(.clockChanged, of: "clock", at: time, ["frozen": true])
    }

    private static let ends: [CauseRow] =
        [
            CauseRow(
                "an end in an earlier step", error: "peerDied", [ended(at: 850)],
                "the process of `main` ended in step 8: it was ended"),
            CauseRow(
                "an end before the first step", error: "notRunning", [ended(at: 50)],
                "the process of `main` ended: it was ended"),
            CauseRow(
                "an end as the step begins", error: "peerDied", [ended(at: 900)],
                "the process of `main` ended: it was ended"),
            CauseRow("an end that the error is not about", error: "wrongState", [ended(at: 850)]),
            CauseRow(
                "an end before a new start", error: "peerDied",
                [ended(at: 850), event(.processStarted, of: "main", at: 860)]),
            CauseRow("the end of another app", of: "wallet", error: "peerDied", [ended(at: 850)]),
            CauseRow("no actor", of: nil, error: "peerDied", [ended(at: 850)]),
        ]
        + TerminationCause.allCases.map { cause in
            // The clock was moved in step 7, and the system ended the process a moment later.
            let isAboutTime = [.timeLimit, .backgroundTime].contains(cause)
            return CauseRow(
                "the system ended it: \(cause)", error: "peerDied",
                [clock(at: 250), clock(at: 750), ended(at: 850, cause: cause), clock(at: 860)],
                "the process of `main` ended in step \(isAboutTime ? 7 : 8): it was ended")
        }

    @Test(arguments: [processFaults, networkFaults, linkFaults, answers, ends].flatMap { $0 })
    func `A cause is named if the record shows it for this step, and only then`(_ row: CauseRow) throws {
        #expect(try row.found() == row.causes)
        try row.expectExplanations()
    }
}
