// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Activations in the back office", .endsInTime)
struct BackOfficeActivationTests {
    @Test(.verifies("server.md", "B-12")) func `Flags are merged, replaced and removed`() async throws {
        try await ServerFixture.run { client in
            let (id, _) = try await client.initiate(["flags": ["b"]])
            func flags(_ path: String, _ flags: [String]) async throws -> [String]? {
                try await client.backOffice(
                    "activation/flags/\(path)", ["activationId": id, "activationFlags": flags]
                ).value("activationFlags") as? [String]
            }
            #expect(try await flags("create", ["c", "a", "b"]) == ["a", "b", "c"])
            #expect(try await flags("remove", ["b"]) == ["a", "c"])
            #expect(try await flags("update", ["z", "y"]) == ["y", "z"])
            #expect(try await flags("list", []) == ["y", "z"])
            #expect(try await flags("create", []) == nil)
            let unknown = try await client.backOffice("activation/flags/list", ["activationId": "no"])
            #expect(unknown.code == "ERR0009")
            let history = try await client.backOffice(
                "activation/history", ["activationId": id, "timestampFrom": 0, "timestampTo": 4_000_000_000_000])
            #expect((history.value("items") as? [Any])?.count == 1)
        }
    }

    @Test(.verifies("server.md", "B-12", "B-13")) func `Lookup requires all flags and any of the users`() async throws {
        try await ServerFixture.run { client in
            let (both, _) = try await client.initiate(["flags": ["x", "y"]])
            _ = try await client.initiate(["flags": ["x"], "userId": "bob"])
            func found(_ filter: [String: any Sendable]) async throws -> [String] {
                let answer = try await client.backOffice("activation/lookup", filter)
                return (answer.value("activations") as? [[String: Any]] ?? []).compactMap {
                    $0["activationId"] as? String
                }
            }
            #expect(try await found(["userIds": ["alice", "bob"]]).count == 2)
            #expect(try await found(["userIds": ["alice", "bob"], "activationFlags": ["x", "y"]]) == [both])
            #expect(try await found(["userIds": ["alice"], "applicationIds": ["other"]]).isEmpty)
            #expect(try await found(["userIds": ["alice"], "activationStatus": "CREATED"]) == [both])
            let now = client.clock.now().milliseconds
            #expect(try await found(["userIds": ["alice"], "timestampLastUsedBefore": now]).isEmpty)
            #expect(try await found(["userIds": ["alice"], "timestampLastUsedAfter": now]) == [both])
            #expect(try await client.backOffice("activation/lookup").code == "ERR0024")
        }
    }

    @Test func `A mass status update changes one activation after the other, and none that is removed`() async throws {
        try await ServerFixture.run { client in
            let active = try await client.activeDevice().activationId
            let (created, _) = try await client.initiate()
            let (removed, _) = try await client.initiate()
            try await client.backOffice("activation/remove", ["activationId": removed]).expectOK()
            func update(_ ids: [String], _ status: String) async throws -> Answer {
                try await client.backOffice(
                    "activation/status/update", ["activationIds": ids, "activationStatus": status])
            }
            func states() async throws -> [String?] {
                var states: [String?] = []
                for id in [active, created, removed] {
                    states.append(try await client.activationStatus(id).text("activationStatus"))
                }
                return states
            }
            // Unknown and removed ones do not keep the others, before or behind them, from their status.
            for ids in [["no", removed, active, created], [created, active, removed, "no"]] {
                for status in ["BLOCKED", "PENDING_COMMIT", "ACTIVE", "CREATED", "ACTIVE"] {
                    #expect(try await update(ids, status).flag("updated") == true)
                    #expect(try await states() == [status, status, "REMOVED"])
                }
            }
            #expect(try await update([active], "BLOCKED").flag("updated") == true)
            #expect(try await client.activationStatus(active).text("blockedReason") == "NOT_SPECIFIED")
            #expect(try await update(["no", removed], "ACTIVE").code == "ERR0009")
            #expect(try await update([removed, "no"], "ACTIVE").code == "ERR0008")
            #expect(try await update([active, created, removed], "REMOVED").flag("updated") == true)
            #expect(try await states() == ["REMOVED", "REMOVED", "REMOVED"])
            #expect(try await update([active, created], "ACTIVE").code == "ERR0008")
            #expect(try await update([], "ACTIVE").code == "ERR0024")
        }
    }

    @Test func `An old activation returned to its commit has the time limit of a new one`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let id = try await client.activeDevice().activationId
            client.clock.advance(milliseconds: 400_000)
            try await client.backOffice(
                "activation/status/update", ["activationIds": [id], "activationStatus": "PENDING_COMMIT"]
            ).expectOK()
            client.clock.advance(milliseconds: 300_000)
            let jobs = CallbackTarget([])
            #expect(try await jobs.runJobs(fixture) == client.clock.now().advanced(by: 1))
            #expect(try await client.activationStatus(id).text("activationStatus") == "PENDING_COMMIT")
            client.clock.advance(milliseconds: 1)
            _ = try await jobs.runJobs(fixture)
            #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
        }
    }

    @Test func `Names change while an activation is usable`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let request = [
                "activationId": device.activationId, "activationName": "New name", "externalUserId": "admin",
            ]
            let renamed = try await client.backOffice("activation/name/update", request)
            #expect(renamed.text("activationName") == "New name")
            let blank = try await client.backOffice("activation/name/update", ["activationName": "x"])
            #expect(blank.code == "ERR0024")
            #expect(
                blank.text("message")
                    == "requestObject.activationId - must not be blank, requestObject.externalUserId - must not be blank"
            )
            try await client.backOffice("activation/block", ["activationId": device.activationId]).expectOK()
            #expect(try await client.backOffice("activation/name/update", request).code == "ERR0008")
        }
    }

    @Test(.verifies("server.md", "B-18")) func `Another password replaces the one for the commit`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate([
                "activationOtp": "11111", "activationOtpValidation": "ON_COMMIT",
            ])
            let update = ["activationId": id, "activationOtp": "22222"]
            #expect(try await client.backOffice("activation/otp/update", update).code == "ERR0008")
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: code).expectOK()
            try await client.backOffice("activation/otp/update", update).expectOK()
            let old = try await client.backOffice("activation/commit", ["activationId": id, "activationOtp": "11111"])
            #expect(old.code == "ERR0031")
            try await client.backOffice("activation/commit", update).expectOK()
            #expect(try await client.backOffice("activation/otp/update", ["activationId": id]).code == "ERR0024")
        }
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `A custom activation waits for its commit`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            var device = try TestDevice(client, version)
            let created = try await device.exchange("activation/create", ["userId": "carol", "activationOtp": "77777"])
            #expect(created.text("activationStatus") == "PENDING_COMMIT")
            let commit = ["activationId": device.activationId]
            #expect(try await client.backOffice("activation/commit", commit).code == "ERR0031")
            try await client.backOffice("activation/commit", commit.merging(["activationOtp": "77777"]) { $1 })
                .expectOK()
            #expect(try await device.validateSignature() == 200)
        }
    }

    @Test func `A refused custom activation leaves nothing behind`() async throws {
        try await ServerFixture.run { client in
            var device = try TestDevice(client, .v3_3)
            let refused = try await device.exchange(
                "activation/create", ["userId": "carol"], devicePublicKey: StrictBase64.encode(Data(count: 65)))
            #expect(refused.code == "ERR0007")
            let noUser = try await device.exchange("activation/create", [:])
            #expect(noUser.code == "ERR0024")
            let list = try await client.backOffice("activation/list", ["userId": "carol"])
            #expect((list.value("activations") as? [Any])?.isEmpty == true)
        }
    }

    @Test func `Prepare finds out the version that old clients do not send`() async throws {
        try await ServerFixture.run { client in
            for version in ProtocolVersion.allCases {
                let (_, code) = try await client.initiate()
                var device = try TestDevice(client, version)
                let prepared = try await device.exchange(
                    "activation/prepare", ["activationCode": code], sendsVersion: false)
                #expect(prepared.text("activationStatus") == "PENDING_COMMIT")
            }
        }
    }

    @Test func `A version is found without its application while only one has it`() async throws {
        try await ServerFixture.run { client in
            let version = ["applicationVersionId": "v2"]
            #expect(try await client.backOffice("application/version/support", version).code == "ERR0015")
            for (application, code) in [("lab", nil), ("other", "ERR0015")] as [(String, String?)] {
                _ = try await client.backOffice("application/create", ["applicationId": application])
                try await client.backOffice(
                    "application/version/create", version.merging(["applicationId": application]) { $1 }
                ).expectOK()
                #expect(try await client.backOffice("application/version/unsupport", version).code == code)
            }
        }
    }

    @Test func `Roles and configuration belong to applications`() async throws {
        try await ServerFixture.run { client in
            func roles(_ path: String, _ roles: [String]) async throws -> [String]? {
                try await client.backOffice(
                    "application/roles/\(path)", ["applicationId": "lab", "applicationRoles": roles]
                ).value("applicationRoles") as? [String]
            }
            #expect(try await roles("create", ["b", "a", "b"]) == ["a", "b"])
            #expect(try await roles("update", ["c"]) == ["c"])
            #expect(try await roles("list", []) == ["c"])
            #expect(try await roles("remove", ["c"]) == [])
            #expect(try await roles("remove", []) == nil)
            let entry: [String: any Sendable] = [
                "applicationId": "lab", "key": "fido2_aaguids_allowed", "values": ["x"],
            ]
            try await client.backOffice("application/config/create", entry).expectOK()
            let detail = try await client.backOffice("application/config/detail", ["applicationId": "lab"])
            #expect(detail.text("applicationConfigs.0.values.0") == "x")
            let wrong = try await client.backOffice("application/config/create", entry.merging(["key": "no"]) { $1 })
            #expect(wrong.code == "ERR0024")
            let foreign = entry.merging(["applicationId": "no"]) { $1 }
            #expect(try await client.backOffice("application/config/create", foreign).code == "ERR0015")
            try await client.backOffice("application/config/remove", entry).expectOK()
            let empty = try await client.backOffice("application/config/detail", ["applicationId": "lab"])
            #expect((empty.value("applicationConfigs") as? [Any])?.isEmpty == true)
        }
    }
}

extension TestDevice {
    /// Exchanges keys as a mobile-facing server passes it on: the inner layer alone.
    mutating func exchange(
        _ path: String, _ fields: [String: any Sendable], devicePublicKey: String? = nil, sendsVersion: Bool = true
    ) async throws -> Answer {
        let scope = try await applicationScope()
        let (sealed, decryptor) = try seal(
            ["devicePublicKey": devicePublicKey ?? StrictBase64.encode(deviceKey.publicKey.uncompressed)], scope,
            .activationLayer2)
        var request = fields
        request["applicationKey"] = configuration.applicationKeyText
        if sendsVersion { request["protocolVersion"] = version.rawValue }
        let answer = try await client.backOffice(path, request.merging(try sealed.fields()) { $1 })
        guard answer.status == 200 else { return answer }
        let plaintext = try decryptor.decrypt(
            EciesResponse(
                encryptedData: answer.bytes("encryptedData"), mac: answer.bytes("mac"),
                nonce: answer.text("nonce").flatMap { StrictBase64.decode($0) },
                timestamp: answer.number("timestamp").map(UInt64.init)))
        let inner = Answer(status: 200, body: Data(#"{"responseObject":"#.utf8) + plaintext + Data("}".utf8))
        let exchange = try ActivationKeyExchange(
            deviceKey: deviceKey, activationId: inner.required("activationId"),
            serverPublicKey: inner.bytes("serverPublicKey"), counterData: inner.bytes("ctrData"))
        activationId = exchange.activationId
        keys = exchange.keys
        serverPublicKey = exchange.peerPublicKey
        counter = exchange.counter
        recovery =
            try inner.text("activationRecovery.recoveryCode").map {
                try RecoveryData(recoveryCode: $0, puk: inner.required("activationRecovery.puk"))
            }
        return answer
    }
}

extension EciesRequest {
    /// The members as fields of a request object.
    func fields() throws -> [String: any Sendable] {
        var fields: [String: any Sendable] = [
            "ephemeralPublicKey": StrictBase64.encode(ephemeralPublicKey),
            "encryptedData": StrictBase64.encode(encryptedData), "mac": StrictBase64.encode(mac),
        ]
        fields["temporaryKeyId"] = temporaryKeyId
        fields["nonce"] = nonce.map { StrictBase64.encode($0) }
        fields["timestamp"] = timestamp
        return fields
    }
}
