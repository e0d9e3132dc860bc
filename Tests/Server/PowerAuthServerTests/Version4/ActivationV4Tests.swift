// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Activations of protocol 4", .endsInTime)
struct ActivationV4Tests {
    private static let clear = Data("{}".utf8)

    @Test(arguments: CryptographySuite.Name.allCases)
    func `An activation lives as in version 3, and is confirmed by its device`(name: CryptographySuite.Name)
        async throws
    {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            var device = try await TestDeviceV4(client, .named(name))
            try #require(try await device.activate(code: code).status == 200)
            #expect(device.activationId == id)
            let waiting = try await device.status()
            #expect(waiting.state == .pendingCommit && waiting.flags == [])
            // A refused code does not move the server's counter.
            let counter = device.counter
            #expect(try await device.validate() == 401)
            let detail = try await client.activationStatus(id)
            let fingerprint = Fingerprint.v4(
                device: device.deviceKeys.publicKeys, activationId: id, server: try #require(device.serverKeys))
            #expect(detail.text("devicePublicKeyFingerprint") == fingerprint && detail.number("version") == 4)
            #expect(detail.text("platform") == "ios" && detail.text("extras") == "blue")

            try await client.backOffice("activation/commit", ["activationId": id]).expectOK()
            let committed = try await device.status()
            #expect(committed.state == .active && committed.flags == .confirmationPending)
            // Nothing but the confirmation is taken, and nothing is counted.
            #expect(try await device.validate() == 401)
            #expect(try await device.validate(isCorrect: false) == 401)
            device.counter = counter
            try await device.confirm(biometry: true).expectOK()
            let confirmed = try await device.status()
            #expect(confirmed.flags == .biometryEnabled && confirmed.failedAttempts == 0)
            #expect(confirmed.currentVersion == 4 && confirmed.counterByte == 1)
            let key = try #require(device.secrets).keys.utility.counterCode
            #expect(AuthenticatedStatus.counterHash(device.counter, key: key) == confirmed.counterHash)
            // After a lost answer the device confirms again, also with other factors.
            try await device.confirm().expectOK()
            #expect(try await device.status().flags == [])
            try await device.confirm(biometry: true).expectOK()
            #expect(try await device.status().flags == .biometryEnabled)
            for type in [SignatureType.possession, .possessionKnowledge, .possessionBiometry] {
                #expect(try await device.validate(type: type) == 200)
            }
            try await device.sendCoded("/pa/v4/activation/remove").expectOK()
            #expect(try await device.status().state == .removed)
            #expect(try await device.validate() == 401)
        }
    }

    @Test func `A code is found in a window of twenty, and the failures block`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4(.ecP384, ["maxFailureCount": 3])
            device.counter = device.counter.advanced(by: 19)
            #expect(try await device.validate() == 200)
            let server = device.counter
            device.counter = device.counter.advanced(by: 20)
            #expect(try await device.validate() == 401)
            device.counter = server
            #expect(try await device.status().failedAttempts == 1)
            // Possession alone neither counts nor forgets.
            #expect(try await device.validate(type: .possession, isCorrect: false) == 401)
            device.counter = server
            #expect(try await device.validate(type: .possession) == 200)
            #expect(try await device.status().failedAttempts == 1)
            #expect(try await device.validate(isCorrect: false) == 401)
            #expect(try await device.status().failedAttempts == 2)
            #expect(try await device.validate(isCorrect: false) == 401)
            #expect(try await device.status().state == .blocked)
            #expect(try await device.validate() == 401)
        }
    }

    @Test func `Another password is taken beside the present one, until the device uses it`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            // The first answer was lost.
            let lost = try await device.changePassword()
            #expect(try await device.validate() == 200)
            let former = try #require(device.secrets).knowledge
            let key = try await device.changePassword()
            device.secrets?.knowledge = FactorKey(current: key)
            #expect(try await device.validate() == 200)
            for old in [former.current, lost] {
                let counter = device.counter
                device.secrets?.knowledge = FactorKey(current: old)
                #expect(try await device.validate() == 401)
                device.counter = counter
            }
            device.secrets?.knowledge = FactorKey(current: key)
            #expect(try await device.validate() == 200)
        }
    }

    @Test func `Biometry is added, replaced and removed`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            let counter = device.counter
            #expect(try await device.validate(type: .possessionBiometry) == 401)
            device.counter = counter
            let first = try await device.addBiometry()
            device.secrets?.biometry = FactorKey(current: first)
            #expect(try await device.validate(type: .possessionBiometry) == 200)
            let second = try await device.addBiometry()
            // Both are good until the second is used.
            #expect(try await device.validate(type: .possessionBiometry) == 200)
            device.secrets?.biometry = FactorKey(current: second)
            #expect(try await device.validate(type: .possessionBiometry) == 200)
            #expect(try await device.status().flags == .biometryEnabled)
            let third = try await device.addBiometry()
            try await device.sendCoded("/pa/v4/biometry/remove", type: .possession).expectOK()
            #expect(try await device.status().flags == [])
            for removed in [second, third] {
                let counter = device.counter
                device.secrets?.biometry = FactorKey(current: removed)
                #expect(try await device.validate(type: .possessionBiometry) == 401)
                device.counter = counter
            }
        }
    }

    @Test func `A token proves itself again and again, in its own version`() async throws {
        try await ServerFixture.run { client in
            var device = try await client.activeDeviceV4()
            let (answer, content) = try await device.sendSealed(
                "/pa/v4/token/create", Self.clear, .tokenCreate, type: .possession)
            answer.expectOK()
            let token = try JSONValue.parse(try #require(content))
            let id = try #require(token["tokenId"]?.stringValue)
            let secret = try TokenSecret256(
                #require(token["tokenSecret"]?.stringValue.flatMap { StrictBase64.decode($0) }))
            func validate(_ header: TokenHeaderV4, version: String = "4.0") async throws -> Answer {
                try await client.backOfficeV4(
                    "token/validate",
                    [
                        "tokenId": header.tokenId, "tokenDigest": StrictBase64.encode(header.tokenDigest),
                        "nonce": StrictBase64.encode(header.nonce), "timestamp": header.timestampText,
                        "protocolVersion": version,
                    ])
            }
            for _ in 0..<2 {
                let header = TokenHeaderV4(tokenId: id, secret: secret, timestamp: client.timestamp)
                let valid = try await validate(header)
                #expect(valid.flag("tokenValid") == true && valid.text("authenticationCodeType") == "POSSESSION")
                #expect(try await validate(header).code == "ERR0024", "a replay")
            }
            let foreign = TokenHeaderV4(tokenId: id, secret: .random(), timestamp: client.timestamp)
            #expect(try await validate(foreign).flag("tokenValid") == false)
            let former = TokenHeaderV4(tokenId: id, secret: secret, timestamp: client.timestamp)
            #expect(try await validate(former, version: "3.3").flag("tokenValid") == false)
            try await device.sendCoded(
                "/pa/v4/token/remove", body: Data(#"{"requestObject":{"tokenId":"\#(id)"}}"#.utf8), type: .possession
            ).expectOK()
            let removed = TokenHeaderV4(tokenId: id, secret: secret, timestamp: client.timestamp)
            #expect(try await validate(removed).flag("tokenValid") == false)
        }
    }

    @Test(arguments: [false, true])
    func `The vault has three keys, and biometry opens what it may`(isOpenedByBiometry: Bool) async throws {
        let fixture = try ServerFixture { $0.policy.isVaultOpenedByBiometry = isOpenedByBiometry }
        try await fixture.run { client in
            var device = try await client.activeDeviceV4(biometry: true)
            let keys = try #require(device.secrets).keys
            let due: [(VaultUnlockRequestV4.KeyIdentifier, Data, Bool)] = [
                (.deviceKeyEncryption, keys.deviceKeyEncryption.rawData, isOpenedByBiometry),
                (.twoFactorVault, keys.twoFactorVault.rawData, true),
                (.knowledgeVault, keys.knowledgeVault.rawData, false),
            ]
            for (identifier, key, isOpen) in due {
                let content = try JSONEncoder().encode(
                    VaultUnlockRequestV4(keyIdentifier: identifier, reason: .fetchEncryptionKey))
                for type in [SignatureType.possessionKnowledge, .possessionBiometry] {
                    let counter = device.counter
                    let (answer, opened) = try await device.sendSealed(
                        "/pa/v4/vault/unlock", content, .vaultUnlock, type: type)
                    guard type == .possessionKnowledge || isOpen else {
                        answer.expect(.vault, "\(identifier) with biometry")
                        device.counter = counter
                        continue
                    }
                    let text = try JSONValue.parse(try #require(opened))["vaultEncryptionKey"]?.stringValue
                    #expect(text == StrictBase64.encode(key), "\(identifier)")
                }
            }
            let audit = try await client.backOfficeV4("audit/list", ["userId": "alice"])
            #expect(audit.text("items.0.authenticationVersion") == "4.0")
            #expect(audit.text("items.0.additionalInfo.0.value") == "FETCH_ENCRYPTION_KEY")
        }
    }

    @Test func `A device with unusable keys ends its activation, one with another suite does not`() async throws {
        try await ServerFixture.run { client in
            let (id, code) = try await client.initiate()
            var device = try await TestDeviceV4(client, .ecP384MLL3)
            let right = device.deviceKeys.publicKeys.encoded
            let other = try SuitePrivateKeys.generate(suite: .ecP384MLL5).publicKeys.encoded
            let exchange = try SharedSecretClient(suite: .ecP384MLL3).request
            for (name, keys) in [
                ("EC_P256", exchange.encapsulationKeys), ("EC_P384", exchange.encapsulationKeys),
                ("EC_P384_ML_L3", Array(exchange.encapsulationKeys.prefix(1))),
                ("EC_P384_ML_L3", exchange.encapsulationKeys.reversed()),
                ("EC_P384_ML_L5", exchange.encapsulationKeys),
            ] as [(String, [Data])] {
                let answer = try await device.activate(code: code) {
                    $0.sharedSecretRequest = SharedSecretRequest(algorithm: name, encapsulationKeys: keys)
                }
                answer.expect(.activation, name)
                #expect(try await client.activationStatus(id).text("activationStatus") == "CREATED", "\(name)")
            }
            for keys in [
                EncodedSuiteKeys(ecdsa: right.ecdsa), EncodedSuiteKeys(ecdsa: right.ecdsa, mldsa: other.mldsa),
                EncodedSuiteKeys(ecdsa: Data([4]) + Data(count: 96), mldsa: right.mldsa),
            ] {
                let (id, code) = try await client.initiate()
                let answer = try await device.activate(code: code) { $0.devicePublicKeys = keys }
                answer.expect(.activation, "unusable keys")
                #expect(try await client.activationStatus(id).text("activationStatus") == "REMOVED")
            }
            #expect(try await device.activate(code: code).status == 200)
        }
    }

    @Test func `A suite that the application does not have begins no activation, and flags one that has begun`()
        async throws
    {
        try await ServerFixture.run { client in
            let device = try await client.activeDeviceV4(.ecP384)
            try await client.configureAlgorithms(["EC_P256", "EC_P384_ML_L3"])
            #expect(try await device.status().flags == .algorithmUnsupported)
            let exchange = try SharedSecretClient(suite: .ecP384)
            let (request, key) = try device.temporaryKeyRequest(exchange, activation: false)
            try await device.requestTemporaryKey(jwt: request.jwt(key: key)).expect(.temporaryKey, "another suite")
            _ = try await client.activeDeviceV4(.ecP384MLL3)
        }
    }

    @Test(arguments: [nil, DatabaseEncryptionKey(Data(repeating: 9, count: 16))])
    func `A server that starts again knows its activations`(key: DatabaseEncryptionKey?) async throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        let first = try ServerFixture(directory: directory, clock: clock) { $0.databaseEncryptionKey = key }
        let device = try await first.run { try await $0.activeDeviceV4(.ecP384MLL3) }
        let second = try ServerFixture(directory: directory, clock: clock) { $0.databaseEncryptionKey = key }
        try await second.run { client in
            var again = try await TestDeviceV4(client, .ecP384MLL3)
            again.activationId = device.activationId
            again.secrets = device.secrets
            again.serverKeys = device.serverKeys
            again.counter = device.counter
            #expect(try await again.validate() == 200)
            #expect(try await again.status().state == .active)
        }
    }
}
