// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Cryptography in the back office", .endsInTime)
struct BackOfficeCryptographyTests {
    private func request(_ device: TestDevice, _ sealed: EciesRequest) throws -> [String: any Sendable] {
        [
            "activationId": device.activationId, "applicationKey": device.configuration.applicationKeyText,
            "protocolVersion": device.version.rawValue,
        ].merging(try sealed.fields()) { $1 }
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `The decryptor hands out the keys of a message, once`(version: ProtocolVersion) async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice(version)
            for scope in [try await device.applicationScope(), try await device.activationScope()] {
                let purpose: EciesSharedInfo1 = scope.activationId == nil ? .applicationGeneric : .activationGeneric
                let (sealed, _) = try device.seal(["hello": "lab"], scope, purpose)
                var fields = try request(device, sealed)
                fields["activationId"] = scope.activationId
                let keys = try await client.backOffice("ecies/decryptor", fields)
                let decryptor = EciesServerDecryptor(
                    parameters: EciesParameters(
                        version: version, sharedInfo1: purpose, applicationKey: device.configuration.applicationKeyText,
                        activationId: scope.activationId, temporaryKeyId: scope.temporaryKeyId),
                    envelope: try EciesEnvelope(keys.bytes("secretKey")), sharedInfo2: try keys.bytes("sharedInfo2"))
                #expect(try decryptor.decrypt(sealed).0 == Data(#"{"hello":"lab"}"#.utf8))
                let again = try await client.backOffice("ecies/decryptor", fields)
                #expect(again.code == (version.usesTimestamp ? "ERR0024" : nil))
            }
        }
    }

    @Test func `The decryptor's mistakes have their codes`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let (sealed, _) = try device.seal([:], try await device.activationScope(), .activationGeneric)
            let (created, _) = try await client.initiate()
            for (change, code) in [
                (["activationId": "no"], "ERR0009"), (["activationId": created], "ERR0008"),
                (["applicationKey": "no"], "ERR0015"), (["protocolVersion": "9.9"], "ERR0018"),
                (["temporaryKeyId": NSNull()], "ERR0018"), (["ephemeralPublicKey": "%"], "ERR0024"),
                (["ephemeralPublicKey": NSNull()], "ERR0024"),
            ] as [([String: any Sendable], String)] {
                let refused = try await client.backOffice(
                    "ecies/decryptor", try request(device, sealed).merging(change) { $1 })
                #expect(refused.code == code, "\(change)")
            }
        }
    }

    @Test func `The vault opens for two factors and says nothing about others`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDevice()
            func unlock(
                _ device: inout TestDevice, _ plaintext: String, type: SignatureType = .possessionKnowledge,
                correct: Bool = true
            ) async throws -> (Answer, EciesResponseDecryptor) {
                let (sealed, decryptor) = try device.seal(
                    Data(plaintext.utf8), try await device.activationScope(), .vaultUnlock)
                let body = Data("{}".utf8)
                let header = try device.signature(uriId: "/pa/vault/unlock", body: body, type: type, correct: correct)
                let parts = [
                    "POST", StrictBase64.encode(Data("/pa/vault/unlock".utf8)), header.nonce, StrictBase64.encode(body),
                ]
                var fields = try request(device, sealed)
                fields["signedData"] = parts.joined(separator: "&")
                fields["signature"] = header.signature
                fields["signatureType"] = type.name
                fields["signatureVersion"] = device.version.rawValue
                return (try await client.backOffice("vault/unlock", fields), decryptor)
            }
            let (opened, decryptor) = try await unlock(&device, #"{"reason":"ADD_BIOMETRY"}"#)
            #expect(opened.flag("signatureValid") == true)
            let plaintext = try decryptor.decrypt(
                EciesResponse(
                    encryptedData: opened.bytes("encryptedData"), mac: opened.bytes("mac"),
                    nonce: opened.bytes("nonce"), timestamp: opened.number("timestamp").map(UInt64.init)))
            #expect(String(decoding: plaintext, as: UTF8.self).contains("encryptedVaultEncryptionKey"))
            let audit = try await client.backOffice("signature/list", ["userId": "alice"])
            #expect(audit.text("items.0.additionalInfo.0.value") == "ADD_BIOMETRY")

            for type in [SignatureType.possession, .possessionBiometry, .possessionKnowledgeBiometry] {
                #expect(try await unlock(&device, "{}", type: type).0.code == "ERR0012")
            }
            #expect(try await unlock(&device, #"{"reason":"a b"}"#).0.code == "ERR0011")
            #expect(try await client.activationStatus(device.activationId).number("failedAttempts") == 0)
            #expect(try await unlock(&device, "no JSON").0.flag("signatureValid") == false)
            let (wrong, _) = try await unlock(&device, "{}", correct: false)
            #expect(wrong.flag("signatureValid") == false && !wrong.isNull("encryptedData"))
            #expect(try await client.activationStatus(device.activationId).number("failedAttempts") == 1)
            // The keys for the request are made before the activation is blocked.
            let (sealed, _) = try device.seal([:], try await device.activationScope(), .vaultUnlock)
            try await client.backOffice("activation/block", ["activationId": device.activationId]).expectOK()
            var fields = try request(device, sealed)
            fields.merge([
                "signedData": "x", "signature": "x", "signatureType": "POSSESSION_KNOWLEDGE", "signatureVersion": "3.3",
            ]) { $1 }
            let blocked = try await client.backOffice("vault/unlock", fields)
            #expect(blocked.flag("signatureValid") == false && blocked.isNull("encryptedData"))
        }
    }

    @Test func `Tokens, temporary keys and upgrades pass through the back office`() async throws {
        try await ServerFixture.run { client in
            let device = try await client.activeDevice()
            let (sealed, decryptor) = try device.seal([:], try await device.activationScope(), .createToken)
            let fields = try request(device, sealed).merging(["signatureType": "POSSESSION"]) { $1 }
            let created = try await client.backOffice("token/create", fields)
            let token = try JSONDecoder().decode(
                TestDevice.CreatedToken.self,
                from: decryptor.decrypt(
                    EciesResponse(
                        encryptedData: created.bytes("encryptedData"), mac: created.bytes("mac"),
                        nonce: created.bytes("nonce"), timestamp: created.number("timestamp").map(UInt64.init))))
            let valid = try await client.validate(token.header(.v3_3, timestamp: client.timestamp))
            #expect(valid.flag("tokenValid") == true)
            #expect(try await client.backOffice("token/create", fields).code == "ERR0024")

            let (keyRequest, jwt) = try device.temporaryKeyRequest(activation: true)
            let answer = try await client.backOffice("keystore/create", ["jwt": jwt])
            let key = try TemporaryKeyResponse(
                verifying: answer.required("jwt"), key: #require(device.serverPublicKey), request: keyRequest,
                currentTime: client.timestamp)
            let removed = try await client.backOffice("keystore/remove", ["id": key.keyId])
            #expect(removed.flag("removed") == true)
            #expect(try await client.backOffice("keystore/create", ["jwt": "no"]).code == "ERR0024")

            let (upgrade, _) = try device.seal([:], try await device.activationScope(), .upgrade)
            #expect(try await client.backOffice("upgrade/start", request(device, upgrade)).code == "ERR0008")
            #expect(try await client.backOffice("upgrade/commit", request(device, upgrade)).code == "ERR0008")
        }
    }

    @Test(.verifies("server.md", "B-49")) func `A postcard's code and PUKs are derived by its printer`() async throws {
        try await ServerFixture.run { client in
            let printer = try PrivateKey.generate()
            let person: [String: any Sendable] = ["applicationId": "lab", "userId": "alice", "pukCount": 2]
            #expect(try await client.backOffice("recovery/create", person).code == "ERR0024")
            try await client.enableRecovery(["recoveryPostcardEnabled": true])
            #expect(try await client.backOffice("recovery/create", person).code == "ERR0029")
            let key = StrictBase64.encode(printer.publicKey.uncompressed)
            try await client.enableRecovery(["remotePostcardPublicKey": key])
            let card = try await client.backOffice("recovery/create", person)
            #expect(card.text("status") == "CREATED")
            #expect(try await client.backOffice("recovery/create", person).code == "ERR0025")
            let configuration = try await client.backOffice("recovery/config/detail", ["applicationId": "lab"])
            let seed = try RecoverySeed(
                secret: printer.sharedSecret(
                    with: PublicKey(encoded: configuration.bytes("postcardPublicKey"))
                ).bytes, nonce: card.bytes("nonce"))
            #expect(card.text("recoveryCodeMasked") == "XXXXX-XXXXX-XXXXX-" + seed.code.text.suffix(5))
            let puks = try (0..<2).map { index in
                let number = try #require((card.value("puks.\(index).pukDerivationIndex") as? NSNumber)?.int64Value)
                return try seed.puk(index: withUnsafeBytes(of: number.bigEndian) { Data($0) })
            }

            let device = try await client.activeDevice()
            for confirmed in [false, true] {
                let (sealed, decryptor) = try device.seal(
                    ["recoveryCode": seed.code.text], try await device.activationScope(), .confirmRecovery)
                let answer = try await client.backOffice("recovery/confirm", request(device, sealed))
                let plaintext = try decryptor.decrypt(
                    EciesResponse(
                        encryptedData: answer.bytes("encryptedData"), mac: answer.bytes("mac"),
                        nonce: answer.bytes("nonce"), timestamp: answer.number("timestamp").map(UInt64.init)))
                #expect(String(decoding: plaintext, as: UTF8.self) == #"{"alreadyConfirmed":\#(confirmed)}"#)
            }

            for (index, puk) in puks.enumerated() {
                var fresh = try TestDevice(client, .v3_3)
                let wrong = try await fresh.exchange(
                    "activation/recovery/create", ["recoveryCode": seed.code.text, "puk": "0000000000"])
                #expect(wrong.code == "ERR_RECOVERY")
                #expect(wrong.number("currentRecoveryPukIndex") == index + 1)
                let right = try await fresh.exchange(
                    "activation/recovery/create", ["recoveryCode": seed.code.text, "puk": puk.text])
                #expect(right.text("activationStatus") == "PENDING_COMMIT")
            }
            let found = try await client.backOffice(
                "recovery/lookup", ["userId": "alice", "recoveryCodeStatus": "ACTIVE", "recoveryPukStatus": "USED"])
            #expect((found.value("recoveryCodes.0.puks") as? [Any])?.count == 2)
            let id = try #require(card.number("recoveryCodeId"))
            for revoked in [true, false] {
                let answer = try await client.backOffice("recovery/revoke", ["recoveryCodeIds": [id]])
                #expect(answer.flag("revoked") == revoked)
            }
            #expect(try await client.backOffice("recovery/lookup").code == "ERR0024")
            #expect(try await client.backOffice("recovery/revoke").code == "ERR0024")
        }
    }

    /// The code and the first of two PUKs of a postcard that a device of its user has confirmed.
    private func confirmedPostcard(
        _ client: ServerClient, by device: TestDevice
    ) async throws -> (code: String, puk: String) {
        let printer = try PrivateKey.generate()
        try await client.enableRecovery([
            "recoveryPostcardEnabled": true,
            "remotePostcardPublicKey": StrictBase64.encode(printer.publicKey.uncompressed),
        ])
        let card = try await client.backOffice(
            "recovery/create", ["applicationId": "lab", "userId": "alice", "pukCount": 2])
        let configuration = try await client.backOffice("recovery/config/detail", ["applicationId": "lab"])
        let secret = try printer.sharedSecret(with: PublicKey(encoded: configuration.bytes("postcardPublicKey")))
        let seed = try RecoverySeed(secret: secret.bytes, nonce: card.bytes("nonce"))
        let (sealed, _) = try device.seal(
            ["recoveryCode": seed.code.text], try await device.activationScope(), .confirmRecovery)
        try await client.backOffice("recovery/confirm", request(device, sealed)).expectOK()
        let index = try #require((card.value("puks.0.pukDerivationIndex") as? NSNumber)?.int64Value)
        return (seed.code.text, try seed.puk(index: withUnsafeBytes(of: index.bigEndian) { Data($0) }).text)
    }

    // first                         second
    // compares PUK 1: right         compares PUK 1: right
    // spends PUK 1
    //                               may not spend PUK 2
    @Test
    func `When two attempts compare the same PUK before either spends it, one succeeds and the next PUK stays`()
        async throws
    {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            let device = try await client.activeDevice()
            let card = try await confirmedPostcard(client, by: device)
            let context = fixture.server.services.context
            func record() throws -> RecoveryCodeRecord {
                try context.read {
                    try RecoveryAttempt.usableCode(
                        $0, applicationKey: Identifier(known: device.configuration.applicationKeyText),
                        code: Identifier(known: card.code))
                }
            }
            let attempts = try (0..<2).map { _ in
                try RecoveryAttempt(
                    context, applicationKey: Identifier(known: device.configuration.applicationKeyText),
                    code: Identifier(known: card.code), puk: card.puk)
            }
            let outcomes = try attempts.map { attempt in try context.change { try attempt.spend(in: $0) } }
            #expect(throws: Never.self) { try outcomes[0].get() }
            #expect(throws: ServiceError.self) { try outcomes[1].get() }
            #expect(try record().puks.map(\.status) == [.used, .valid])
            #expect(try record().failedAttempts == 1)
        }
    }

    @Test(.verifies("server.md", "B-49")) func `Five wrong PUKs block a code`() async throws {
        try await ServerFixture.run { client in
            try await client.enableRecovery()
            let (id, code) = try await client.initiate(["flags": ["f"]])
            var owner = try TestDevice(client, .v3_3)
            try await owner.exchange(
                "activation/prepare", ["activationCode": code, "generateRecoveryCodes": true]
            ).expectOK()
            let recovery = try #require(owner.recovery)
            func status() async throws -> String? {
                try await client.backOffice("recovery/lookup", ["activationId": id]).text("recoveryCodes.0.status")
            }
            #expect(try await status() == "CREATED")
            try await client.backOffice("activation/commit", ["activationId": id]).expectOK()
            #expect(try await status() == "ACTIVE")
            for attempt in 1...5 {
                var device = try TestDevice(client, .v3_3)
                let refused = try await device.exchange(
                    "activation/recovery/create", ["recoveryCode": recovery.code.text, "puk": "0000000000"])
                #expect(refused.code == (attempt < 5 ? "ERR_RECOVERY" : "ERR0028"))
            }
            #expect(try await status() == "BLOCKED")
            let lookup = try await client.backOffice("recovery/lookup", ["activationId": id])
            #expect(lookup.text("recoveryCodes.0.puks.0.status") == "INVALID")
        }
    }
}
