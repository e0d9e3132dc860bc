// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import PowerAuthProtocol
import Synchronization
import TestSupport
import Testing

@testable import PowerAuthServer

/// Requests answered without a worker obey the same rules as all others.
@Suite("Quick answers", .endsInTime)
struct QuickAnswerTests {
    @Test func `Cached data is answered while every worker is busy`() async throws {
        let commit = HeldCommit()
        // The points exist, but the server takes them for unarmed.
        let fixture = try ServerFixture(
            faults: ServerFaults(areArmed: { false }, afterCommit: { commit.pass() })
        ) { $0.workerThreads = 1 }
        try await fixture.run { client in
            var device = try await client.activeDevice()
            let token = try await device.createToken()
            #expect(try await device.verifySignature().flag("signatureValid") == true)
            #expect(
                try await client.validate(token.header(.v3_3, timestamp: client.timestamp)).flag("tokenValid") == true)
            let flags: [String: any Sendable] = ["activationId": device.activationId, "activationFlags": ["VIP"]]
            commit.hold()
            async let busy = client.backOffice("activation/init", ["userId": "bob", "applicationId": "lab"])
            try await onThread { commit.waitUntilHeld() }
            async let waiting = client.backOffice("activation/flags/create", flags)
            #expect(try await client.activationStatus(device.activationId).text("activationStatus") == "ACTIVE")
            #expect(try await device.verifySignature().flag("signatureValid") == true)
            client.clock.advance(milliseconds: 1)
            #expect(
                try await client.validate(token.header(.v3_3, timestamp: client.timestamp)).flag("tokenValid") == true)
            commit.release()
            #expect(try await busy.status == 200)
            #expect(try await waiting.status == 200)
        }
    }

    @Test func `While a fault is armed every request passes every point`() async throws {
        let passed = Mutex<[String]>([])
        func point(_ name: String) -> @Sendable () -> Void { { passed.withLock { $0.append(name) } } }
        func request(_ name: String) -> @Sendable (String) -> Void {
            { path in passed.withLock { $0.append(name + path) } }
        }
        let fixture = try ServerFixture(
            faults: ServerFaults(
                requestReceived: request("received "), beforeTransaction: point("begin"),
                beforeCommit: point("before"), afterCommit: point("after"), responseSent: request("sent ")))
        try await fixture.run { client in
            var device = try await client.activeDevice()
            for _ in 0..<2 {
                passed.withLock { $0 = [] }
                #expect(try await device.verifySignature().flag("signatureValid") == true)
                #expect(
                    passed.withLock { $0 }
                        == [
                            "received /rest/v3/signature/verify", "begin", "before", "after",
                            "sent /rest/v3/signature/verify",
                        ])
            }
        }
    }

    @Test func `A quick answer is in the journal with its operation, like any other`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            var device = try await client.activeDevice()
            try await device.verifySignature()
            let count = fixture.journal.events.count
            try await device.verifySignature()
            let events = fixture.journal.events.dropFirst(count).map(\.event)
            try #require(events.count == 3)
            guard case .requestReceived("POST", "/rest/v3/signature/verify") = events[0],
                case .signatureVerified(device.activationId, _, true, 2, 0, false) = events[1],
                case .requestAnswered("POST", "/rest/v3/signature/verify", 200, _) = events[2]
            else { throw Unexpected("unexpected events \(events)") }
            let body = try JSONSerialization.data(
                withJSONObject: ["requestObject": ["activationId": device.activationId, "challenge": "no"]])
            let refused = try await client.send(
                "/rest/v3/activation/status", headers: [ServerHeader.operation: "op-9"], body: body)
            #expect(refused.status == 400)
            let caused = fixture.journal.events.filter { $0.operation == "op-9" }
            #expect(caused.count == 3, "received, refused, answered")
        }
    }

    @Test
    func `A request that is no JSON, has another method, or comes to a closed back office is refused as by a worker`()
        async throws
    {
        try await ServerFixture.run { client in
            let path = "/rest/v3/activation/status"
            let statuses = [
                try await client.send(path, method: .put).status,
                try await client.send(path, headers: ["Content-Type": "text/plain"]).status,
                try await client.send(path, body: Data("[".utf8)).status,
                try await client.send(path, body: Data(count: ServerLimits.bodyBytes + 1)).status,
            ]
            #expect(statuses == [405, 415, 400, 413])
        }
        let closed = try ServerFixture { $0.policy.isBackOfficeRestricted = true }
        let endpoints = closed.server.endpoints.filter { $0.face == .backOffice }
        #expect(!endpoints.isEmpty && endpoints.allSatisfy { $0.quickAnswer == nil })
    }

    @Test func `The lab's rules for requests hit quick answers, and its journal shows them`() async throws {
        try await ServerFixture { $0.hasLabPowers = true }.run { client in
            let device = try await client.activeDevice()
            for _ in 0..<2 { _ = try await client.activationStatus(device.activationId) }
            let rule = Data(#"{"path": "/rest/v3/activation/status", "status": 503, "times": 1}"#.utf8)
            #expect(try await client.send("/lab/faults", body: rule).status == 200)
            #expect(try await client.activationStatus(device.activationId).status == 503)
            #expect(try await client.activationStatus(device.activationId).status == 200)
            let answer = try await client.send("/lab/traffic", method: .get)
            let traffic = String(decoding: answer.body, as: UTF8.self)
            #expect(traffic.components(separatedBy: #""path":"/rest/v3/activation/status""#).count == 5)
        }
    }
}
