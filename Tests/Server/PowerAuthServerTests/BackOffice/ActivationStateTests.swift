// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// Every state of an activation against every operation of the back office (server.md, section 20).
@Suite("States of activations", .endsInTime)
struct ActivationStateTests {
    /// The result of an operation.
    struct Outcome: Sendable {
        /// Nil when the operation succeeds.
        let code: String?
        let state: ActivationState

        /// The operation is refused and changes nothing.
        static func refused(_ code: ServiceErrorCode, in state: ActivationState) -> Outcome {
            Outcome(code: code.rawValue, state: state)
        }

        static func done(_ state: ActivationState) -> Outcome { Outcome(code: nil, state: state) }
    }

    enum Operation: String, CaseIterable, Sendable {
        case commit = "activation/commit"
        case updateOtp = "activation/otp/update"
        case block = "activation/block"
        case unblock = "activation/unblock"
        case remove = "activation/remove"
        case rename = "activation/name/update"
        case flag = "activation/flags/create"
        case sign = "signature/ecdsa/sign"
        case payload = "signature/offline/personalized/create"

        var fields: Fields {
            switch self {
            case .updateOtp: ["activationOtp": "12345"]
            case .rename: ["activationName": "name", "externalUserId": "operator"]
            case .flag: ["activationFlags": ["f"]]
            case .sign, .payload: ["data": "YQ=="]
            default: [:]
            }
        }

        func outcome(from state: ActivationState) -> Outcome {
            switch (self, state) {
            case (.commit, .pendingCommit): .done(.active)
            case (.commit, .removed): .refused(.activationExpired, in: state)
            case (.block, .active), (.block, .blocked): .done(.blocked)
            case (.unblock, .active), (.unblock, .blocked): .done(.active)
            case (.remove, _): .done(.removed)
            case (.updateOtp, .pendingCommit), (.rename, .pendingCommit), (.rename, .active), (.sign, .active),
                (.flag, _), (.payload, _):
                .done(state)
            default: .refused(.activationIncorrectState, in: state)
            }
        }
    }

    @Test(
        .verifies("server.md", "B-9"),
        arguments: ActivationState.allCases)
    func `Operations lead where the state machine says`(state: ActivationState) async throws {
        try await World.run { world in
            for operation in Operation.allCases {
                let id = try await world.activation(state)
                let answer = try await world.client.backOffice(
                    operation.rawValue, operation.fields.merging(["activationId": id]) { $1 })
                let outcome = operation.outcome(from: state)
                #expect(answer.code == outcome.code, "\(operation.rawValue) in \(state.name)")
                let now = try await world.client.activationStatus(id).text("activationStatus")
                #expect(now == outcome.state.name, "\(operation.rawValue) in \(state.name)")
            }
        }
    }

    @Test(arguments: ActivationState.allCases)
    func `An operator sets any status of an activation that is not removed`(state: ActivationState) async throws {
        try await World.run { world in
            for wanted in ActivationState.allCases {
                let id = try await world.activation(state)
                let answer = try await world.client.backOffice(
                    "activation/status/update", ["activationIds": [id], "activationStatus": wanted.name])
                let isPossible = wanted == state || state != .removed
                #expect(answer.code == (isPossible ? nil : "ERR0008"), "\(state.name) to \(wanted.name)")
                let now = try await world.client.activationStatus(id)
                #expect(now.text("activationStatus") == (isPossible ? wanted : state).name)
                #expect(now.isNull("blockedReason") == (now.text("activationStatus") != "BLOCKED"))
                #expect(now.isNull("activationCode") == (now.text("activationStatus") != "CREATED"))
            }
        }
    }

    @Test(arguments: [ActivationState.pendingCommit, .active, .blocked])
    func `An activation whose status was set before its key exchange has no keys to sign with`(
        state: ActivationState
    ) async throws {
        try await World.run { world in
            let (id, code) = try await world.client.initiate()
            try await world.call("activation/status/update", ["activationIds": [id], "activationStatus": state.name])
            let status = try await world.client.activationStatus(id)
            #expect(status.isNull("devicePublicKeyFingerprint") && status.number("version") == 0)
            let verified = try await world.call(
                "signature/verify",
                [
                    "activationId": id, "applicationKey": try #require(world.client.configuration).applicationKeyText,
                    "data": "d", "signature": "s", "signatureType": "POSSESSION", "signatureVersion": "3.3",
                ])
            #expect(verified.flag("signatureValid") == false && verified.text("activationStatus") == state.name)
            var device = try TestDevice(world.client, .v3_3)
            #expect(try await device.exchange("activation/prepare", ["activationCode": code]).code == "ERR0009")
            // Commands that only change the status work as for any other activation.
            let steps: [(path: String, from: ActivationState)] = [
                ("commit", .pendingCommit), ("block", .active), ("unblock", .blocked), ("remove", .active),
            ]
            for step in steps.drop(while: { $0.from != state }) {
                try await world.call("activation/\(step.path)", ["activationId": id])
            }
            #expect(try await world.client.activationStatus(id).text("activationStatus") == "REMOVED")
        }
    }

    @Test func `An activation that is set back to CREATED keeps its device until another one uses the code`()
        async throws
    {
        try await World.run { world in
            func set(_ status: ActivationState, _ id: String) async throws {
                try await world.call(
                    "activation/status/update", ["activationIds": [id], "activationStatus": status.name])
            }
            var device = try await world.device(.active)
            let id = device.activationId
            try await set(.created, id)
            let waiting = try await world.client.activationStatus(id)
            #expect(waiting.isNull("devicePublicKeyFingerprint") && waiting.number("version") == 0)
            #expect(try await device.verifySignature(correct: true).flag("signatureValid") == false)
            try await set(.active, id)
            #expect(try await device.verifySignature(correct: true).flag("signatureValid") == true)
            try await set(.created, id)
            let code = try await world.client.activationStatus(id).required("activationCode")
            var other = try TestDevice(world.client, .v3_3)
            try await other.exchange("activation/prepare", ["activationCode": code]).expectOK()
            try await world.call("activation/commit", ["activationId": id])
            #expect(try await device.verifySignature(correct: true).flag("signatureValid") == false)
            #expect(try await other.verifySignature(correct: true).flag("signatureValid") == true)
        }
    }

    @Test(
        .verifies("server.md", "B-9"),
        arguments: ActivationState.allCases)
    func `Only an active activation signs, unlocks, decrypts and has tokens`(state: ActivationState) async throws {
        try await World.run { world in
            let device = try await world.device(state)
            let key = device.configuration.applicationKeyText
            let verified = try await world.client.backOffice(
                "signature/verify",
                [
                    "activationId": device.activationId, "applicationKey": key, "data": "d", "signature": "s",
                    "signatureType": "POSSESSION", "signatureVersion": "3.3",
                ])
            #expect(verified.flag("signatureValid") == false)
            #expect(verified.text("activationStatus") == state.name)
            #expect(verified.isNull("userId") == (state != .active))
            let offline = try await world.client.backOffice(
                "signature/offline/verify",
                ["activationId": device.activationId, "data": "d", "signature": "12345678-12345678"])
            #expect(offline.flag("signatureValid") == false)
            #expect(offline.isNull("remainingAttempts") == (state != .active))
            let audit = try await world.client.backOffice("signature/list", ["userId": "alice"])
            #expect((audit.value("items") as? [Any])?.count == 2)
            let message: Fields = [
                "activationId": device.activationId, "applicationKey": key, "protocolVersion": "3.1",
                "ephemeralPublicKey": StrictBase64.encode(device.deviceKey.publicKey.uncompressed),
                "nonce": StrictBase64.encode(Random.nonZeroBytes(16)),
            ]
            let keys = try await world.client.backOffice("ecies/decryptor", message)
            #expect(keys.code == (state == .active ? nil : "ERR0008"))
            let unsealed = message.merging([
                "encryptedData": StrictBase64.encode(Data(count: 16)), "mac": StrictBase64.encode(Data(count: 32)),
                "signatureType": "POSSESSION",
            ]) { $1 }
            let recovery: Fields = ["applicationId": "lab", "activationRecoveryEnabled": true]
            try await world.call("recovery/config/update", recovery)
            for path in ["token/create", "recovery/confirm"] {
                let answer = try await world.client.backOffice(path, unsealed)
                #expect(answer.code == (state == .active ? "ERR0018" : "ERR0008"), "\(path) in \(state.name)")
            }
            let upgrade = try await world.client.backOffice("upgrade/start", unsealed)
            #expect(["ERR0008", "ERR0018"].contains(upgrade.code))
            let vault = try await world.client.backOffice(
                "vault/unlock",
                unsealed.merging([
                    "signedData": "d", "signature": "s", "signatureType": "POSSESSION_KNOWLEDGE",
                    "signatureVersion": "3.1",
                ]) { $1 })
            #expect(state == .active ? vault.code == "ERR0018" : vault.flag("signatureValid") == false)
            guard device.keys != nil else { return }
            let jwt = try device.temporaryKeyRequest(activation: true).jwt
            let temporary = try await world.client.backOffice("keystore/create", ["jwt": jwt])
            let hasKeys = state == .active || state == .blocked
            #expect(temporary.code == (hasKeys ? nil : "ERR0009"))
        }
    }

    @Test func `A code is exchanged in the first state only`() async throws {
        try await World.run { world in
            let (id, code) = try await world.client.initiate()
            func prepare() async throws -> String? {
                var device = try TestDevice(world.client, .v3_3)
                return try await device.exchange("activation/prepare", ["activationCode": code]).code
            }
            #expect(try await prepare() == nil)
            for path in ["commit", "block", "remove"] {
                #expect(try await prepare() == "ERR0009")
                try await world.call("activation/\(path)", ["activationId": id])
            }
            #expect(try await prepare() == "ERR0009")
        }
    }

    @Test func `Calls that change nothing leave no history`() async throws {
        try await World.run { world in
            for (state, path) in [(ActivationState.active, "unblock"), (.blocked, "block"), (.removed, "remove")] {
                let id = try await world.activation(state)
                func items() async throws -> Int {
                    let all: Fields = ["activationId": id, "timestampFrom": 0, "timestampTo": Int64.max]
                    return (try await world.call("activation/history", all).value("items") as? [Any])?.count ?? 0
                }
                let before = try await items()
                try await world.call("activation/\(path)", ["activationId": id, "reason": "AGAIN"])
                #expect(try await items() == before, "\(path)")
            }
        }
    }
}
