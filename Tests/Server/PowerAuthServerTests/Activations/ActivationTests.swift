// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Activations", .endsInTime)
struct ActivationTests {
    @Test(
        .verifies("server.md", "B-4", "B-10", "B-11"),
        .verifies("rest-api.md", "B-1", "B-25"), arguments: ProtocolVersion.allCases)
    func `A device exchanges keys, is committed and reads its status`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            #expect(try await client.activationStatus(id).text("activationStatus") == "CREATED")

            var device = try TestDevice(client, version)
            let answer = try await device.activate(code: code, attributes: ["lang": "cs"])
            #expect(answer.status == 200)
            #expect(device.activationId == id)
            #expect(try await device.status()?.state == .pendingCommit)

            #expect(try await client.backOffice("activation/commit", ["activationId": id]).flag("activated") == true)
            let blob = try #require(try await device.status())
            #expect(blob.state == .active)
            #expect(blob.failedAttempts == 0)
            #expect(blob.maxFailedAttempts == 5)
            if version.usesStatusChallenge {
                let counter = try #require(blob.counter)
                #expect(counter.byte == 0)
                #expect(counter.lookAhead == 20)
                let transport = try #require(device.keys).transport
                #expect(
                    counter.dataHash == StatusBlob.counterDataHash(transportKey: transport, counter: device.counter))
            }

            let detail = try await client.activationStatus(id)
            #expect(detail.text("activationStatus") == "ACTIVE")
            #expect(detail.text("devicePublicKeyFingerprint") == device.fingerprint)
            #expect(detail.text("activationName") == "Lab phone")
            #expect(detail.text("platform") == "ios")
            #expect(detail.text("deviceInfo") == "iPhone15,2")
            #expect(detail.text("extras") == "blue")
            #expect(detail.number("version") == 3)
            #expect(detail.isNull("activationCode"))
        }
    }

    @Test func `The activation code is signed by the master key`() async throws {
        try await ServerFixture.run { client in
            let answer = try await client.backOffice("activation/init", ["userId": "alice", "applicationId": "lab"])
            let code = try ActivationCode(#require(answer.text("activationCode")))
            let signature = try answer.bytes("activationSignature")
            let masterKey = try #require(client.configuration).masterServerKey()
            #expect(code.isSigned(signature, by: masterKey))
            #expect(!code.isSigned(signature, by: try PrivateKey.generate().publicKey))
        }
    }

    @Test(arguments: ProtocolVersion.allCases) func `A code works once`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            let (_, code) = try await client.initiate()
            var first = try TestDevice(client, version)
            var second = try TestDevice(client, version)
            #expect(try await first.activate(code: code).status == 200)
            let answer = try await second.activate(code: code)
            #expect(answer.status == 400)
            #expect(answer.code == "ERR_ACTIVATION")
            #expect(answer.text("message") == "POWER_AUTH_ACTIVATION_INVALID")
        }
    }

    @Test(.verifies("rest-api.md", "B-20")) func `An unknown code is refused`() async throws {
        try await ServerFixture.run { client in
            var device = try TestDevice(client, .v3_3)
            let unknownCode = try await device.activate(code: ActivationCode.generate().text)
            #expect(unknownCode.status == 400 && unknownCode.code == "ERR_ACTIVATION")
        }
    }

    @Test func `An activation that is not finished in time is removed`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            client.clock.advance(milliseconds: 300_001)
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code).status == 400)
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")

            let (pendingId, pendingCode) = try await client.initiate()
            #expect(try await device.activate(code: pendingCode).status == 200)
            client.clock.advance(milliseconds: 300_001)
            let commit = try await client.backOffice("activation/commit", ["activationId": pendingId])
            #expect(commit.code == "ERR0007")
            #expect(try await device.status()?.state == .removed)
        }
    }

    @Test func `A device key that is no point of the curve removes the activation`() async throws {
        try await ServerFixture.run { client in
            for key in [StrictBase64.encode(Data([2] + [UInt8](repeating: 0xFF, count: 32))), "???"] {
                let (id, code) = try await client.initiate()
                var device = try TestDevice(client, .v3_3)
                #expect(try await device.activate(code: code, devicePublicKey: key).code == "ERR_ACTIVATION")
                #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
            }
        }
    }

    @Test(.verifies("server.md", "B-5"))
    func `Commit is possible once, and only after the key exchange`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            #expect(try await client.backOffice("activation/commit", ["activationId": id]).code == "ERR0008")
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: code)
            #expect(try await client.backOffice("activation/commit", ["activationId": id]).status == 200)
            #expect(try await client.backOffice("activation/commit", ["activationId": id]).code == "ERR0008")
            try await client.backOffice("activation/remove", ["activationId": id]).expectOK()
            #expect(try await client.backOffice("activation/commit", ["activationId": id]).code == "ERR0007")
            #expect(try await client.backOffice("activation/commit", ["activationId": "unknown"]).code == "ERR0009")
        }
    }

    @Test(.verifies("server.md", "B-8")) func `Blocking keeps the first reason, unblocking forgets it`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let id = device.activationId
            let block = try await client.backOffice("activation/block", ["activationId": id, "reason": "TEST-REASON"])
            #expect(block.text("activationStatus") == "BLOCKED")
            #expect(block.text("blockedReason") == "TEST-REASON")
            let again = try await client.backOffice("activation/block", ["activationId": id, "reason": "OTHER"])
            #expect(again.text("blockedReason") == "TEST-REASON")
            #expect(try await device.status()?.state == .blocked)
            #expect(try await device.validateSignature() == 401)

            let unblock = try await client.backOffice("activation/unblock", ["activationId": id])
            #expect(unblock.text("activationStatus") == "ACTIVE")
            #expect(try await client.activationStatus(id).isNull("blockedReason"))
            #expect(try await device.validateSignature() == 200)

            try await client.backOffice("activation/block", ["activationId": id]).expectOK()
            #expect(try await client.activationStatus(id).text("blockedReason") == "NOT_SPECIFIED")
        }
    }

    @Test func `A device removes its activation with a strong signature only`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            let path = "/pa/v3/activation/remove"
            let weak = try await device.sendSigned(path, uriId: "/pa/activation/remove", type: .possession)
            #expect(weak.status == 401)
            let strong = try await device.sendSigned(path, uriId: "/pa/activation/remove")
            #expect(strong.status == 200)
            #expect(strong.text("activationId") == device.activationId)
            #expect(try await device.status()?.state == .removed)
            #expect(try await device.validateSignature() == 401)
        }
    }

    @Test(.verifies("server.md", "B-7")) func `An unknown activation has a status that reveals nothing`() async throws {
        try await ServerFixture.run { client in
            let challenge = StrictBase64.encode(Random.bytes(16))
            let id = UUID().uuidString.lowercased()
            let body = try JSONEncoder().encode(["requestObject": ["activationId": id, "challenge": challenge]])
            let answer = try await client.send("/pa/v3/activation/status", body: body)
            #expect(answer.status == 200)
            #expect(try answer.bytes("encryptedStatusBlob").count == 32)
            #expect(try answer.bytes("nonce").count == 16)

            let detail = try await client.activationStatus(id)
            #expect(detail.text("activationStatus") == "REMOVED")
            #expect(detail.text("userId") == "unknown")
            #expect(detail.text("timestampCreated") == "1970-01-01T00:00:00.000+00:00")
        }
    }

    @Test func `An activation removed before any device came answers a challenge with a nonce`() async throws {
        try await ServerFixture.run { client in
            let (id, _) = try await client.initiate()
            try await client.backOffice("activation/remove", ["activationId": id]).expectOK()
            let challenge = StrictBase64.encode(Random.bytes(16))
            let answer = try await client.backOffice("activation/status", ["activationId": id, "challenge": challenge])
            #expect(try answer.bytes("encryptedStatusBlobNonce").count == 16)
            let short = try await client.backOffice("activation/status", ["activationId": id, "challenge": "AAAA"])
            #expect(short.code == "ERR0022")
        }
    }

    @Test(.verifies("server.md", "B-21")) func `Init refuses invalid values`() async throws {
        try await ServerFixture.run { (client: ServerClient) async throws in
            func code(_ request: [String: any Sendable]) async throws -> String? {
                try await client.backOffice("activation/init", request).code
            }
            let base: [String: any Sendable] = ["userId": "alice", "applicationId": "lab"]
            #expect(try await code(["applicationId": "lab"]) == "ERR0024")
            #expect(try await code(["userId": "alice"]) == "ERR0002")
            #expect(try await code(["userId": "alice", "applicationId": "other"]) == "ERR0015")
            #expect(try await code(base.merging(["maxFailureCount": 0]) { $1 }) == "ERR0040")
            #expect(try await code(base.merging(["activationOtpValidation": "ON_COMMIT"]) { $1 }) == "ERR0024")
            let both = ["activationOtpValidation": "ON_COMMIT", "commitPhase": "ON_COMMIT", "activationOtp": "1"]
            #expect(try await code(base.merging(both) { $1 }) == "ERR0024")
            #expect(try await code(base.merging(["commitPhase": "SOMETIMES"]) { $1 }) == "ERROR_HTTP_REQUEST")
        }
    }

    @Test(.verifies("server.md", "B-14"))
    func `Lists are newest first, filtered before they are cut into pages`() async throws {
        try await ServerFixture.run { client in
            var ids: [String] = []
            for _ in 0..<3 {
                ids.insert(try await client.initiate().id, at: 0)
                client.clock.advance(milliseconds: 10)
            }
            try await client.backOffice("activation/remove", ["activationId": ids[1]]).expectOK()
            let all = try await client.backOffice("activation/list", ["userId": "alice"])
            #expect((0..<3).map { all.text("activations.\($0).activationId") } == ids)
            let page: [String: any Sendable] = [
                "userId": "alice", "activationStatuses": ["CREATED"], "pageNumber": 1, "pageSize": 1,
            ]
            let second = try await client.backOffice("activation/list", page)
            #expect(second.text("activations.0.activationId") == ids[2])
            #expect(second.value("activations.1") == nil)
            #expect(second.isNull("activations.0.applicationName"))
        }
    }

    @Test(.verifies("server.md", "B-6")) func `History has one item for every saved change`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let request: [String: any Sendable] = [
                "activationId": device.activationId, "timestampFrom": 0,
                "timestampTo": "2124-01-01T00:00:00Z",
            ]
            let history = try await client.backOffice("activation/history", request)
            #expect(
                (0..<3).map { history.text("items.\($0).activationStatus") } == ["ACTIVE", "PENDING_COMMIT", "CREATED"])
            #expect(history.value("items.3") == nil)
        }
    }

    @Test(arguments: [false, true])
    func `An activation lives exactly until it expires, and is removed a millisecond later`(hasKeys: Bool) async throws
    {
        try await ServerFixture.run { client in
            let expires = client.timestamp + 1_000
            let (id, code) = try await client.initiate(["timestampActivationExpire": Int(expires)])
            if hasKeys {
                var device = try TestDevice(client, .v3_3)
                #expect(try await device.activate(code: code).status == 200)
            }
            let alive = hasKeys ? "PENDING_COMMIT" : "CREATED"
            client.clock.advance(milliseconds: 1_000)
            #expect(try await client.activationStatus(id).text("activationStatus") == alive)
            client.clock.advance(milliseconds: 1)
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
        }
    }

    @Test(.verifies("size", "ServerPolicy.activationValidity"))
    func `An activation is committed to the last millisecond of its time`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate(["timestampActivationExpire": Int(client.timestamp + 1_000)])
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: code).status == 200)
            client.clock.advance(milliseconds: 1_000)
            try await client.backOffice("activation/commit", ["activationId": id]).expectOK()
        }
    }

    @Test(arguments: [CommitPhase.onKeyExchange, .onCommit])
    func `A one-time password is taken to the last millisecond of an activation`(phase: CommitPhase) async throws {
        for (wait, isTaken) in [(1_000, true), (1_001, false)] {
            try await ServerFixture.run { client in
                let (id, code) = try await client.initiate([
                    "timestampActivationExpire": Int(client.timestamp) + 1_000, "activationOtp": "12345",
                    "commitPhase": phase.name,
                ])
                var device = try TestDevice(client, .v3_3)
                if phase == .onKeyExchange {
                    client.clock.advance(milliseconds: Int64(wait))
                    let activated = try await device.activate(code: code, otp: "12345")
                    #expect((activated.status == 200) == isTaken)
                } else {
                    try await device.activate(code: code).expectOK()
                    client.clock.advance(milliseconds: Int64(wait))
                    let committed = try await client.backOffice(
                        "activation/commit", ["activationId": id, "activationOtp": "12345"])
                    #expect((committed.status == 200) == isTaken)
                }
            }
        }
    }
}

extension Answer {
    func expectOK(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(status == 200, "answered \(code ?? "nothing")", sourceLocation: sourceLocation)
    }
}
