// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// The vendor's values in the place that a session gives them.
@Suite("Protocol 4: known answers of a session", .endsInTime)
struct KnownAnswerV4Tests {
    private static let directory = Project.root.resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: "shared/vectors/v4")

    private static let condition = ConditionTrait.enabled(
        if: FileManager.default.fileExists(atPath: directory.path),
        "the test vectors of protocol 4 are expected in ../shared/vectors/v4 beside the package")

    /// The records of a file whose values are all texts.
    private static func records(_ name: String) throws -> [[String: String]] {
        let data = try Data(contentsOf: directory.appending(path: name + ".json"))
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let records = try #require(file["vectors"] as? [[String: Any]])
        try #require(!records.isEmpty)
        return records.map { record in record.mapValues { "\($0)" } }
    }

    private static func bytes(_ record: [String: String], _ name: String) throws -> Data {
        let text = try #require(record[name], "member \(name)")
        return try StrictBase64.decode(text, field: name)
    }

    /// A machine with an activation whose factor keys and counter are given.
    private func machine(_ client: ClientV4, _ record: [String: String]) throws -> SessionMachine {
        let unlock = UnlockKeys(client.keys(biometry: true))
        let salt = Data(repeating: 5, count: 32)
        let stored = try #require(
            try SessionStateCoding.decode(client.session.serializedState(), suites: [.ecP384])?.version4)
        let (device, knowledge, biometry) = (
            try #require(unlock.deviceKeys), try #require(unlock.knowledgeEncryption(salt: salt)),
            try #require(unlock.biometryEncryption)
        )
        let known = ActivationRecordV4(
            suite: stored.suite, activationId: stored.activationId,
            counter: try HashBasedCounter(Self.bytes(record, "ctrData")), counterByte: 0, passwordSalt: salt,
            possessionKey: FactorKeyWrapping.wrap(
                try Key256<KeyPurpose.Possession>(Self.bytes(record, "key1")), under: device.possessionEncryption),
            knowledgeKey: FactorKeyWrapping.wrap(
                try Key256<KeyPurpose.Knowledge>(Self.bytes(record, "key2")), under: knowledge),
            biometryKey: FactorKeyWrapping.wrap(
                try Key256<KeyPurpose.Biometry>(Self.bytes(record, "key3")), under: biometry),
            utilityKey: stored.utilityKey, serverPublicKeys: stored.serverPublicKeys,
            devicePublicKeys: stored.devicePublicKeys, devicePrivateKeys: stored.devicePrivateKeys)
        var machine = SessionMachine(setup: client.session.sessionSetup)
        try machine.loadState(.success(.version4(known)))
        return machine
    }

    @Test(condition) func `The keys that are unlocked give the vendor's codes`() throws {
        let client = try ClientV4.activated(biometry: true)
        let unlock = UnlockKeys(client.keys(biometry: true))
        for (index, record) in try Self.records("auth-code-final-DERIVED").enumerated() {
            var machine = try machine(client, record)
            let stored = try machine.recordV4()
            let keys = try stored.factorKeys([.possession, .knowledge, .biometry], unlock)
            let data = try Self.bytes(record, "inputData")
            let online = try AuthenticationCode.code(form: .base64, keys: keys, counter: stored.counter, data: data)
            #expect(online == record["authCodeOnline"], "record \(index)")
            let offline = try AuthenticationCode.code(
                form: .decimal(length: 8), keys: keys, counter: stored.counter, data: data)
            #expect(offline == record["authCodeOffline"], "record \(index)")
            // The code of a request is that of its data.
            let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test", body: data)
            let code = try machine.authenticationCode(
                UnsignedRequest(request), keys: unlock, factor: .possession_Knowledge_Biometry)
            let signed = SignedRequest(
                method: "POST", uriId: "/test", nonce: code.nonce, body: data,
                applicationSecretText: StrictBase64.encode(ProtocolServer.applicationSecret))
            #expect(
                try code.code == AuthenticationCode.online(keys: keys, counter: stored.counter, request: signed))
            #expect(try machine.recordV4().counter == stored.counter.next())
        }
    }

    @Test(condition) func `The counter of a session runs through the vendor's values`() throws {
        let client = try ClientV4.activated()
        let unlock = UnlockKeys(client.keys())
        let keys = try Self.records("auth-code-final-DERIVED")[0]
        let request = UnsignedRequest(PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test"))
        for record in try Self.records("hash-based-counter") {
            var start = keys
            start["ctrData"] = record["ctrData[0]"]
            var machine = try machine(client, start)
            for index in 1..<record.count {
                _ = try machine.authenticationCode(request, keys: unlock, factor: .possession)
                #expect(try machine.recordV4().counter.rawData == Self.bytes(record, "ctrData[\(index)]"))
                #expect(try machine.recordV4().counterByte == UInt8(index))
            }
        }
    }

    @Test(condition, arguments: ["shared-secret-ec-p384", "shared-secret-ec-p384-ml-l3"])
    func `A temporary key is the vendor's shared secret`(file: String) throws {
        for (index, record) in try Self.records(file).enumerated() {
            let isHybrid = record["mlkemSeed"] != nil
            let suite = CryptographySuite.named(isHybrid ? .ecP384MLL3 : .ecP384)
            let client = try ClientV4(suite: suite)
            let secret = try SharedSecretClient(
                suite: suite, ec: P384PrivateKey(scalar: SecretBytes(Self.bytes(record, "ecClientPrivateKey"))),
                latticeSeed: isHybrid ? SecretBytes(Self.bytes(record, "mlkemSeed")) : nil)
            let request = TemporaryKeyRequestV4(
                applicationKey: StrictBase64.encode(ProtocolServer.applicationKey),
                sharedSecretRequest: secret.request)
            let exchange = TemporaryKeyExchangeV4(jwt: "", scope: .application, request: request, secret: secret)
            let names = ["ecServerPublicKey"] + (isHybrid ? ["pqcCiphertext"] : [])
            let response = SharedSecretResponse(
                salt: try Self.bytes(record, "salt"),
                encapsulatedKeys: try names.map { try Self.bytes(record, $0) })
            let jws = try TemporaryKeyResponseV4(
                to: request, keyId: "key", sharedSecretResponse: response, issuedAt: 1, expiresAt: 2
            ).jws(keys: client.server.masterKeys)
            var machine = SessionMachine(setup: client.session.sessionSetup)
            _ = try machine.acceptTemporaryKeyV4(jws, answering: exchange)
            let key = try #require(machine.temporaryKeysV4[.application])
            #expect(try key.secret.rawData == Self.bytes(record, "sharedSecret"), "record \(index)")
        }
    }

    @Test(condition) func `A session encrypts the vendor's messages of an application`() throws {
        let server = try ServerV4(suite: .ecP384)
        for record in try Self.records("e2ee-application-scope") {
            let configuration = try SdkConfigurationV4(
                applicationKey: Self.bytes(record, "applicationKey"),
                applicationSecret: ApplicationSecretKey(Self.bytes(record, "applicationSecret")),
                keys: [
                    .p256: server.older.masterKey.publicKey.uncompressed,
                    .p384: server.masterKeys.publicKeys.encoded.ecdsa,
                ])
            let setup = try #require(PowerAuthCoreSessionSetup(configuration: configuration.string))
            setup.suites = [.ecP384]
            var machine = SessionMachine(setup: setup)
            machine.temporaryKeysV4[.application] = TemporaryKeyV4(
                id: try #require(record["temporaryKeyId"]), secret: try Key256(Self.bytes(record, "envelopeKey")))
            let parameters = try machine.aeadParameters(for: .applicationGeneric, keys: nil)
            let (plaintext, answer) = (try #require(record["requestData"]), try #require(record["responseData"]))
            let sent = try #require(UInt64(record["timestampRequest"] ?? ""))
            let answered = try #require(UInt64(record["timestampResponse"] ?? ""))
            let (request, decryptor) = try AeadClientEncryptor(parameters: parameters).encrypt(
                Data(plaintext.utf8), timestamp: sent, nonces: Self.bytes(record, "nonce"))
            #expect(try request.encryptedData == Self.bytes(record, "encryptedDataRequest"))
            let response = AeadResponse(
                encryptedData: try Self.bytes(record, "encryptedDataResponse"), timestamp: answered)
            #expect(try decryptor.decrypt(response) == Data(answer.utf8))
        }
    }
}
