// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabPoints
import TestSupport
import Testing

@testable import LabControl
@testable import LabCore

@Suite("Messages between two labs", .endsInTime)
struct JoinMessageTests {
    private static let server = ServerReady(
        baseURL: "b", enrollmentURL: "e", backOfficeURL: "o", applicationId: "a", configuration: "c", pid: 1, port: 2)

    private static let fault = FaultTable.Armed(
        id: 9,
        rule: FaultRule(
            point: .httpRequestSent, process: "main", action: .delay(.milliseconds(7)), subject: "s", pass: 2, limit: 3),
        fired: 1, passed: 4)

    /// Checks how a message is written, and that it is read back.
    private func check(
        _ message: JoinMessage, _ json: JSONValue, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try JSONValue(encoding: message) == json, sourceLocation: sourceLocation)
        #expect(try JSONValue(encoding: json.decode(JoinMessage.self)) == json, sourceLocation: sourceLocation)
    }

    @Test func `A guest's messages are written with all their values, and read back`() throws {
        try check(
            .hello(JoinHello(instance: "i", devices: ["d"])),
            ["hello": ["_0": ["version": 1, "instance": "i", "devices": ["d"]]]])
        try check(.hello(JoinHello(instance: nil, devices: [])), ["hello": ["_0": ["version": 1, "devices": []]]])
        try check(.measure(sent: 1), ["measure": ["sent": 1]])
        try check(.ready, ["ready": .object([:])])
        try check(.settled(number: 1, lead: -2), ["settled": ["number": 1, "lead": -2]])
        try check(
            .reply(JoinReply(id: 1, .success(["r": 2]), handling: 3)),
            ["reply": ["_0": ["id": 1, "result": ["r": 2], "handling": 3]]])
        try check(
            .reply(JoinReply(id: 1, .failure(ControlError(domain: "d", code: 2, message: "m")), handling: nil)),
            ["reply": ["_0": ["id": 1, "error": ["domain": "d", "code": 2, "message": "m"]]]])
        try check(.event(["t": 1]), ["event": ["_0": ["t": 1]]])
    }

    @Test func `An owner's messages are written with all their values, and read back`() throws {
        try check(.refused("no"), ["refused": ["_0": "no"]])
        try check(.measured(sent: 1, real: -2, monotonic: 3), ["measured": ["sent": 1, "real": -2, "monotonic": 3]])
        let fault: JSONValue = [
            "id": 9, "point": "http.requestSent", "process": "main", "action": "delay", "delayNanoseconds": 7_000_000,
            "error": "", "subject": "s", "pass": 2, "limit": 2,
        ]
        let clock: JSONValue = ["offset": 2, "frozenAt": 3, "fastSince": 4, "gain": 5]
        try check(
            .state(
                JoinState(
                    number: 1, clock: ClockSetting(offset: 2, frozenAt: 3, fastSince: 4, gain: 5),
                    faults: [JoinFault(Self.fault)], invitations: ["l": ["port": 6]])),
            ["state": ["_0": ["number": 1, "clock": clock, "faults": [fault], "invitations": ["l": ["port": 6]]]]])
        // The actor of the request is the owner's name for it.
        let request = ControlRequest(command: "c", arguments: ["x": 2], actor: "other", operation: "o")
        try check(
            .call(JoinCall(id: 1, actor: "watch", request: request)),
            ["call": ["_0": ["id": 1, "actor": "watch", "command": "c", "arguments": ["x": 2], "operation": "o"]]])
    }

    @Test func `The messages of both sides are written with all their values, and read back`() throws {
        try check(.stream(id: 1, data: Data([1, 2, 3])), ["stream": ["id": 1, "data": "AQID"]])
        try check(.streamEnd(id: 2), ["streamEnd": ["id": 2]])
        try check(.bye("b"), ["bye": ["_0": "b"]])
        try check(.probe, ["probe": .object([:])])
    }

    @Test func `A welcome has everything that a guest needs before it makes its instance`() throws {
        let topology = Topology(name: "t", devices: [DeviceSpec(name: "w", kind: .watch, apps: [])])
        let cast = try JSONValue(encoding: topology)
        let json = try JSONValue(
            encoding: JoinWelcome(
                instance: "i", topology: topology, seed: 1, devices: ["w"], server: Self.server, authority: "pem",
                bootsBefore: 2))
        let expected: JSONValue = [
            "instance": "i", "topology": cast, "seed": 1, "devices": ["w"],
            "server": [
                "baseURL": "b", "enrollmentURL": "e", "backOfficeURL": "o", "applicationId": "a",
                "configuration": "c", "pid": 1, "port": 2,
            ],
            "authority": "pem", "bootsBefore": 2,
        ]
        #expect(json == expected)
        #expect(try JSONValue(encoding: json.decode(JoinWelcome.self)) == json)
    }

    @Test func `The outcome of a command arrives as it was, an empty one too`() throws {
        let failure = ControlError(domain: "d", code: 2, name: "n", message: "m", userInfo: ["u": 1])
        for outcome in [.success(["r": 1]), .success(.null), .failure(failure)] as [Result<JSONValue, ControlError>] {
            let reply = try JSONValue(encoding: JoinReply(id: 1, outcome, handling: nil)).decode(JoinReply.self)
            #expect(reply.outcome == outcome)
        }
    }

    @Test func `A fault travels with the number of times that it may still fire, at least once, or without a limit`() {
        for (limit, fired, left) in [(0, 5, 0), (3, 0, 3), (3, 1, 2), (3, 3, 1), (3, 4, 1)] {
            let rule = FaultRule(point: .stateSave, process: "main", action: .kill, limit: limit)
            let fault = JoinFault(FaultTable.Armed(id: 1, rule: rule, fired: fired, passed: fired))
            #expect(fault.rule?.limit == left, "\(fired) of \(limit)")
        }
    }

    @Test func `Every action of a fault arrives; a point that this program does not have is no rule`() throws {
        for action in [.kill, .delay(.seconds(3)), .fail("EIO")] as [FaultRule.Action] {
            let rule = FaultRule(point: .stateSave, process: "main", action: action, subject: nil, pass: 4, limit: 0)
            var json = try JSONValue(encoding: JoinFault(FaultTable.Armed(id: 1, rule: rule, fired: 0, passed: 0)))
            #expect(try json.decode(JoinFault.self).rule == rule)
            var members = try #require(json.objectValue)
            members["point"] = "nonsense"
            json = .object(members)
            #expect(try json.decode(JoinFault.self).rule == nil)
        }
    }

    @Test func `The part of an instance is written with all its members`() throws {
        let bare = HostAssignment(side: .guest, devices: ["d"])
        let expected: JSONValue = ["side": "guest", "devices": ["d"], "linkAddresses": .object([:]), "bootsBefore": 0]
        #expect(try JSONValue(encoding: bare) == expected)
        let whole = HostAssignment(side: .owner, devices: ["d"], linkAddresses: ["l": "tcp://a:1"], bootsBefore: 2)
        #expect(
            try JSONValue(encoding: whole)
                == ["side": "owner", "devices": ["d"], "linkAddresses": ["l": "tcp://a:1"], "bootsBefore": 2])
    }

    @Test func `The next ports are counted from an address; a port that the system chooses stays one`() {
        #expect(JoinAddress(host: "h", port: 7).next(3) == JoinAddress(host: "h", port: 10))
        #expect(JoinAddress(host: "h", port: 0).next(3) == JoinAddress(host: "h", port: 0))
        #expect(JoinAddress("tcp://h:0") == JoinAddress(host: "h", port: 0))
        #expect(JoinAddress("h:65535")?.port == 65_535)
        #expect(JoinAddress("h:-1") == nil)
    }

    @Test
    func `Clocks count as equal up to half the round trip and a millisecond; of equal round trips the first decides`() {
        for (ahead, expected) in [(2_000_000, 0), (2_000_001, 2_000_001), (-2_000_000, 0), (-2_000_001, -2_000_001)]
            as [(Int64, Int64)]
        {
            var difference = MachineDifference()
            // Half of the way is a millisecond.
            difference.take(
                sent: 10_000_000, ownerReal: 500, ownerMonotonic: 11_000_000, now: 12_000_000,
                realNow: 500 + 1_000_000 + ahead)
            #expect(difference.real == expected && difference.monotonic == 0)
            difference.take(sent: 20_000_000, ownerReal: 0, ownerMonotonic: 0, now: 22_000_000, realNow: 0)
            // An answer before its question counts as little.
            difference.take(sent: 20_000_000, ownerReal: 0, ownerMonotonic: 0, now: 19_000_000, realNow: 0)
            #expect(difference.real == expected && difference.monotonic == 0)
        }
    }
}
