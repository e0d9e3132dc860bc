// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabVocabulary
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("The server's commands", .endsInTime)
struct ServerCommandTests {
    /// Calls a command the way the control channel does.
    private func call<C: Command>(
        _ command: C, on fixture: ServerFixture
    ) async throws -> C.Result {
        let request = ControlRequest(command: C.name, arguments: try JSONValue(encoding: command), operation: "op-1")
        return try await answer(request, on: fixture).get().decode()
    }

    private func answer(
        _ request: ControlRequest, on fixture: ServerFixture
    ) async throws -> Result<JSONValue, ControlError> {
        let table = try ServerHandlers.table(for: fixture.server)
        return await withCheckedContinuation { continuation in
            table.perform(request, by: fixture.server) { continuation.resume(returning: $0) }
        }
    }

    @Test func `The back office drives an activation by commands`() async throws {
        let fixture = try ServerFixture()
        let initiated = try await call(
            InitActivation {
                $0.userId = "bob"
                $0.maxFailureCount = 3
            }, on: fixture)
        #expect(initiated.userId == "bob")
        #expect(initiated.applicationId == "lab")
        var device = try await fixture.run { client in
            var device = try TestDevice(client, .v3_3)
            try await device.activate(code: initiated.activationCode)
            return device
        }
        let id = device.activationId
        _ = try await call(CommitActivation { $0.activationId = id }, on: fixture)
        let header = try device.signature(uriId: "/login", body: Data("body".utf8))
        let login = VerifySignature {
            $0.header = header.value
            $0.method = .post
            $0.uriId = "/login"
            $0.body = "body"
        }
        let verified = try await call(login, on: fixture)
        #expect(verified.signatureValid)
        #expect(verified.signatureType == "POSSESSION_KNOWLEDGE")
        let again = try await call(login, on: fixture)
        #expect(!again.signatureValid)
        #expect(again.remainingAttempts == 2)

        let status = try await call(LabVocabulary.ActivationStatus { $0.activationId = id }, on: fixture)
        #expect(status.activationStatus == .active)
        #expect(status.counter == 1)
        #expect(status.failedAttempts == 1)
        #expect(status.maxFailedAttempts == 3)
        #expect(status.devicePublicKeyFingerprint == device.fingerprint)
        #expect(status.tokens == 0)

        _ = try await call(
            BlockActivation {
                $0.activationId = id
                $0.reason = "TEST"
            }, on: fixture)
        #expect(
            try await call(LabVocabulary.ActivationStatus { $0.activationId = id }, on: fixture).blockedReason == "TEST"
        )
        _ = try await call(UnblockActivation { $0.activationId = id }, on: fixture)
        _ = try await call(RemoveServerActivation { $0.activationId = id }, on: fixture)
        #expect(
            try await call(LabVocabulary.ActivationStatus { $0.activationId = id }, on: fixture).activationStatus
                == .removed)
        let changes = fixture.journal.events.filter { $0.operation == "op-1" }.map(\.event).filter {
            if case .activationChanged = $0 { true } else { false }
        }
        #expect(changes.count == 5)
    }

    @Test func `The status of an unknown activation is that of a removed one without history`() async throws {
        let fixture = try ServerFixture { $0.policy.maxFailedAttempts = 7 }
        let status = try await call(LabVocabulary.ActivationStatus { $0.activationId = "no" }, on: fixture)
        #expect(status.activationId == "no" && status.activationStatus == .removed && status.userId == "unknown")
        #expect(status.failedAttempts == 0 && status.maxFailedAttempts == 7)
        #expect(status.counter == 0 && status.tokens == 0)
        let texts = [
            status.blockedReason, status.activationName, status.devicePublicKeyFingerprint, status.platform,
            status.deviceInfo,
        ]
        #expect(texts.compactMap(\.self).isEmpty)
    }

    @Test func `A token header is validated by command`() async throws {
        let fixture = try ServerFixture()
        let header = try await fixture.run { client in
            var device = try await client.activeDevice()
            return try await device.createToken(type: .possession).header(.v3_3, timestamp: client.timestamp)
        }
        let valid = try await call(ValidateToken { $0.header = header.value }, on: fixture)
        #expect(valid.tokenValid)
        #expect(valid.signatureType == "POSSESSION")
        await #expect(throws: ControlError.self) {
            try await call(ValidateToken { $0.header = header.value }, on: fixture)
        }
    }

    @Test func `A header of protocol 4 is verified by the same command`() async throws {
        let fixture = try ServerFixture()
        let header = try await fixture.run { client in
            var device = try await client.activeDeviceV4()
            return try device.header(uriId: "/login", body: Data("body".utf8))
        }
        let login = VerifySignature {
            $0.header = header.value
            $0.method = .post
            $0.uriId = "/login"
            $0.body = "body"
        }
        let verified = try await call(login, on: fixture)
        #expect(verified.signatureValid && verified.activationId == header.activationId)
        #expect(verified.signatureType == "POSSESSION_KNOWLEDGE")
        let again = try await call(login, on: fixture)
        #expect(!again.signatureValid && again.remainingAttempts == 4)
        var incomplete = login
        incomplete.header = #"PowerAuth pa_version="4.0""#
        let request = ControlRequest(command: VerifySignature.name, arguments: try JSONValue(encoding: incomplete))
        guard case .failure(let error) = try await answer(request, on: fixture) else {
            Issue.record("an incomplete header is accepted")
            return
        }
        #expect(error.name == "badArgument")
    }

    @Test func `A one-time password of a command is due in the key exchange`() async throws {
        let fixture = try ServerFixture()
        let initiated = try await call(InitActivation { $0.activationOtp = "4321" }, on: fixture)
        try await fixture.run { client in
            var device = try TestDevice(client, .v3_3)
            #expect(try await device.activate(code: initiated.activationCode).status == 400)
            #expect(try await device.activate(code: initiated.activationCode, otp: "4321").status == 200)
            #expect(try await device.status()?.state == .active)
        }
    }

    @Test func `Errors name the code and the cause`() async throws {
        let fixture = try ServerFixture()
        func error(_ command: String, _ arguments: JSONValue) async throws -> ControlError? {
            let request = ControlRequest(command: command, arguments: arguments)
            guard case .failure(let error) = try await answer(request, on: fixture) else { return nil }
            return error
        }
        let unknown = try await error("commitActivation", ["activationId": "unknown-id"])
        #expect(unknown?.name == "ERR0009")
        #expect(unknown?.message.contains("unknown-id") == true)
        #expect(try await error("commitActivation", [:])?.name == "badArgument")
        #expect(
            try await error("verifySignature", ["header": "x", "method": "POST", "uriId": "/"])?.name == "badArgument")
        let misspelt = try await error("comitActivation", [:])
        #expect(misspelt?.name == "unknownCommand")
        #expect(misspelt?.message.contains("commitActivation") == true)
    }

    @Test func `Call reaches every resource of the back office and of the lab`() async throws {
        let fixture = try ServerFixture { $0.hasLabPowers = true }
        func called(
            _ path: String, method: ResourceMethod = .post, _ request: [String: JSONValue]? = nil
        ) async throws -> JSONValue {
            try await call(
                CallResource {
                    $0.path = path
                    $0.method = method
                    $0.request = request
                }, on: fixture)
        }
        let initiated = try await called("/rest/v3/activation/init", ["userId": "alice", "applicationId": "lab"])
        let id = try #require(initiated["activationId"]?.stringValue)
        let removed = try await called("/rest/v3/activation/remove", ["activationId": .string(id)])
        #expect(removed["activationId"] == .string(id))
        let snapshot = try await called("/lab/snapshots", ["name": "before"])
        #expect(snapshot["snapshots"] == ["before"])
        #expect(try await called("/lab/snapshots/before", method: .delete)["snapshots"] == [])
        #expect(try await called("/lab/traffic?after=0", method: .get)["entries"] == [])
    }

    @Test func `Call reports what the resource refuses, and a path that leads nowhere`() async throws {
        let fixture = try ServerFixture()
        func error(_ path: String, _ request: [String: JSONValue] = [:]) async -> ControlError? {
            await #expect(throws: ControlError.self) {
                try await call(
                    CallResource {
                        $0.path = path
                        $0.request = request
                    }, on: fixture)
            }
        }
        #expect(await error("/rest/v3/activation/commit", ["activationId": "unknown-id"])?.name == "ERR0009")
        #expect(await error("/rest/v3/activation/commit")?.name == "ERR0024")
        #expect(await error("/rest/v3/nothing")?.name == "badArgument")
        #expect(await error("/pa/v3/status")?.name == "badArgument", "devices have commands of their own")
        #expect(await error("/lab/traffic")?.name == "badArgument", "this server has no lab powers")
    }
}
