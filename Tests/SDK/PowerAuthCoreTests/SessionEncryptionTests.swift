// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, sections 7, 8 and 21.
@Suite("Sessions: encryption", .endsInTime)
struct SessionEncryptionTests {
    private let keyId = "2b1f0c6e-9a54-4e5a-8a3c-0d9b7f3e6c21"

    private func answer(
        _ exchange: TemporaryKeyExchange, key: PublicKey, signer: PrivateKey, challenge: String? = nil
    ) throws -> String {
        let asked = exchange.request
        let request = TemporaryKeyRequest(
            applicationKey: asked.applicationKey, activationId: asked.activationId,
            challenge: challenge ?? asked.challenge)
        return try TemporaryKeyResponse(
            to: request, keyId: keyId, publicKey: key, issuedAt: 1_735_689_600_000, expiresAt: 1_735_689_900_000
        ).jwt(key: signer)
    }

    private func serverDecryptor(
        _ fixture: ClientFixture, scope: PowerAuthCoreEciesEncryptorScope, key: PrivateKey
    ) throws -> EciesServerDecryptor {
        let isActivation = scope == .activation
        let secret = StrictBase64.encode(ProtocolServer.applicationSecret)
        return EciesServerDecryptor(
            parameters: EciesParameters(
                version: .v3_3, sharedInfo1: EciesSharedInfo1(rawValue: "/test"),
                applicationKey: fixture.session.applicationKey,
                activationId: isActivation ? fixture.server.activationId : nil, temporaryKeyId: keyId),
            serverPrivateKey: key,
            sharedInfo2: isActivation
                ? SharedInfo2.activation(try #require(fixture.server.keys).transport, secret)
                : SharedInfo2.application(secret))
    }

    @Test(arguments: [PowerAuthCoreEciesEncryptorScope.application, .activation])
    func `A request and its response make the round trip`(scope: PowerAuthCoreEciesEncryptorScope) throws {
        let fixture = try ClientFixture.activated()
        let temporary = try PrivateKey.generate()
        let exchange = try fixture.session.temporaryKeyExchange(for: scope, keys: fixture.keys())
        let signer = scope == .application ? fixture.server.masterKey : fixture.server.serverKey
        let validity = try fixture.session.acceptTemporaryKey(
            answer(exchange, key: temporary.publicKey, signer: signer), answering: exchange)
        #expect(validity.keyId == keyId && validity.issuedAt == 1_735_689_600)
        #expect(fixture.session.publicKeyId(forEciesScope: scope) == keyId)

        let encryptor = try #require(
            fixture.session.eciesEncryptor(for: scope, keys: fixture.keys(), sharedInfo1: "/test"))
        let cryptogram = try #require(encryptor.encryptRequest(Data("request".utf8)))
        #expect(cryptogram.timestamp == 1_735_689_600_000)
        let request = EciesRequest(
            temporaryKeyId: cryptogram.temporaryKeyId, ephemeralPublicKey: try #require(cryptogram.key),
            encryptedData: try #require(cryptogram.body), mac: try #require(cryptogram.mac),
            nonce: cryptogram.nonce, timestamp: cryptogram.timestamp)
        let (plain, responder) = try serverDecryptor(fixture, scope: scope, key: temporary).decrypt(request)
        #expect(plain == Data("request".utf8))
        let response = try responder.encrypt(Data("response".utf8), timestamp: 1_735_689_601_234)
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(response))
        let received = try #require(PowerAuthCoreEciesCryptogram(responsePayload: json))
        #expect(encryptor.decryptResponse(received) == Data("response".utf8))
        #expect(encryptor.decryptResponse(received) == nil, "a response is decrypted once")
    }

    @Test func `The purpose may be any bytes`() throws {
        let (serverKey, time) = (try PrivateKey.generate(), FixedTime())
        let purpose = Data([0xFF, 0x00, 0xC3])
        let encryptor = try #require(
            PowerAuthCoreEciesEncryptor(
                timeService: time, publicKey: serverKey.publicKey.compressed, sharedInfo1: purpose,
                sharedInfo2: Data([1])))
        encryptor.associatedMetaData = PowerAuthCoreEciesMetaData(
            applicationKey: "key", temporaryKeyId: "id", activationIdentifier: nil)
        let cryptogram = try #require(encryptor.encryptRequest(Data("hello".utf8)))
        let request = EciesRequest(
            temporaryKeyId: cryptogram.temporaryKeyId, ephemeralPublicKey: try #require(cryptogram.key),
            encryptedData: try #require(cryptogram.body), mac: try #require(cryptogram.mac),
            nonce: cryptogram.nonce, timestamp: cryptogram.timestamp)
        func decrypt(_ sharedInfo1: EciesSharedInfo1) throws -> Data {
            try EciesServerDecryptor(
                parameters: EciesParameters(
                    version: .v3_3, sharedInfo1: sharedInfo1, applicationKey: "key", temporaryKeyId: "id"),
                serverPrivateKey: serverKey, sharedInfo2: Data([1])
            ).decrypt(request).plaintext
        }
        #expect(try decrypt(EciesSharedInfo1(bytes: purpose)) == Data("hello".utf8))
        let asText = EciesSharedInfo1(rawValue: String(decoding: purpose, as: UTF8.self))
        #expect(throws: ProtocolError.macMismatch) { try decrypt(asText) }
    }

    @Test func `Answers from the future are refused`() throws {
        let (serverKey, time) = (try PrivateKey.generate(), FixedTime())
        let encryptor = try #require(
            PowerAuthCoreEciesEncryptor(
                timeService: time, publicKey: serverKey.publicKey.compressed, sharedInfo1: nil, sharedInfo2: nil))
        encryptor.associatedMetaData = PowerAuthCoreEciesMetaData(
            applicationKey: "key", temporaryKeyId: "id", activationIdentifier: nil)
        let parameters = EciesParameters(
            version: .v3_3, sharedInfo1: .init(bytes: Data()), applicationKey: "key", temporaryKeyId: "id")
        let server = EciesServerDecryptor(parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: Data())
        let now = UInt64(time.currentTime() * 1000)
        for (timestamp, isAccepted) in [(now, true), (now + 3_600_000, false), (now - 3_600_000, false)] {
            let cryptogram = try #require(encryptor.encryptRequest(nil))
            let request = EciesRequest(
                temporaryKeyId: "id", ephemeralPublicKey: try #require(cryptogram.key),
                encryptedData: try #require(cryptogram.body), mac: try #require(cryptogram.mac),
                nonce: cryptogram.nonce, timestamp: cryptogram.timestamp)
            let response = try server.decrypt(request).encryptor.encrypt(Data([7]), timestamp: timestamp)
            let answer = PowerAuthCoreEciesCryptogram()
            (answer.body, answer.mac, answer.nonce) = (response.encryptedData, response.mac, response.nonce)
            answer.timestamp = timestamp
            #expect((encryptor.decryptResponse(answer) == Data([7])) == isAccepted, "\(timestamp)")
        }
    }

    @Test func `Several requests in flight have decryptors of their own`() throws {
        let fixture = try ClientFixture()
        let temporary = try PrivateKey.generate()
        #expect(
            fixture.session.setPublicKey(
                forEciesScope: .application, publicKey: StrictBase64.encode(temporary.publicKey.uncompressed),
                publicKeyId: keyId))
        let encryptor = try #require(fixture.session.eciesEncryptor(for: .application, keys: nil, sharedInfo1: "/test"))
        var decryptors: [PowerAuthCoreEciesEncryptor] = []
        var keys: Set<Data> = []
        for _ in 0..<3 {
            encryptor.encryptRequest(Data()) { cryptogram, decryptor in
                if let decryptor { decryptors.append(decryptor) }
                if let key = cryptogram?.key { keys.insert(key) }
            }
        }
        #expect(decryptors.count == 3 && keys.count == 3)
        #expect(decryptors.allSatisfy { $0.canDecryptResponse && !$0.canEncryptRequest })
        #expect(!encryptor.canDecryptResponse && encryptor.copyForDecryption() == nil)
    }

    @Test func `Encryptors need a key, and those of the activation scope an activation`() throws {
        let fixture = try ClientFixture()
        let key = StrictBase64.encode(try PrivateKey.generate().publicKey.uncompressed)
        func set(_ scope: PowerAuthCoreEciesEncryptorScope, _ key: String, _ id: String = "id") -> Bool {
            fixture.session.setPublicKey(forEciesScope: scope, publicKey: key, publicKeyId: id)
        }
        #expect(fixture.session.eciesEncryptor(for: .application, keys: nil, sharedInfo1: "/test") == nil)
        #expect(
            !set(.activation, key) && !set(.application, "") && !set(.application, "?") && !set(.application, key, ""))
        #expect(set(.application, key))
        try fixture.activate()
        #expect(set(.activation, key))
        #expect(fixture.session.eciesEncryptor(for: .activation, keys: nil, sharedInfo1: "/test") == nil)
        #expect(fixture.session.eciesEncryptor(for: .activation, keys: fixture.keys(), sharedInfo1: "/test") != nil)
    }

    @Test func `Resets drop the keys of their scope`() throws {
        let fixture = try ClientFixture.activated()
        let key = StrictBase64.encode(try PrivateKey.generate().publicKey.uncompressed)
        for scope in [PowerAuthCoreEciesEncryptorScope.application, .activation] {
            fixture.session.setPublicKey(forEciesScope: scope, publicKey: key, publicKeyId: "id")
        }
        let state = fixture.session.serializedState()
        #expect(fixture.session.deserializeState(state))
        #expect(fixture.session.hasPublicKey(forEciesScope: .activation), "the same activation keeps its key")
        fixture.session.resetSession(false)
        #expect(!fixture.session.hasPublicKey(forEciesScope: .activation))
        #expect(fixture.session.hasPublicKey(forEciesScope: .application))
        fixture.session.resetSession(true)
        #expect(!fixture.session.hasPublicKey(forEciesScope: .application))
    }

    @Test func `Loading another activation drops the temporary key`() throws {
        let fixture = try ClientFixture.activated()
        fixture.server.activationId = "11111111-4d0e-4b6c-9d27-3f8d1b6e0a11"
        let mine = fixture.session.serializedState()
        fixture.session.resetSession(false)
        try fixture.activate()
        let key = StrictBase64.encode(try PrivateKey.generate().publicKey.uncompressed)
        fixture.session.setPublicKey(forEciesScope: .activation, publicKey: key, publicKeyId: "id")
        #expect(fixture.session.deserializeState(mine))
        #expect(!fixture.session.hasPublicKey(forEciesScope: .activation))
    }

    @Test func `Temporary keys of others are refused`() throws {
        let fixture = try ClientFixture.activated()
        let exchange = try fixture.session.temporaryKeyExchange(for: .activation, keys: fixture.keys())
        let key = try PrivateKey.generate().publicKey
        let (right, wrong) = (fixture.server.serverKey, fixture.server.masterKey)
        for jwt in [
            try answer(exchange, key: key, signer: wrong),
            try answer(exchange, key: key, signer: right, challenge: "wMHCw8TFxsfIycrLzM3Oz9DR"), "a.b", "a.b.c", "",
        ] {
            #expect(throws: TemporaryKeyRefusal.self) {
                try fixture.session.acceptTemporaryKey(jwt, answering: exchange)
            }
        }
        fixture.session.resetSession(false)
        let late = try answer(exchange, key: key, signer: right)
        #expect(throws: TemporaryKeyRefusal.self) { try fixture.session.acceptTemporaryKey(late, answering: exchange) }
        #expect(throws: PowerAuthCoreErrorCode.wrongState) {
            try fixture.session.temporaryKeyExchange(for: .activation, keys: fixture.keys())
        }
    }

    @Test func `The header is made from the meta data`() {
        let metaData = PowerAuthCoreEciesMetaData(
            applicationKey: "AAECAwQFBgcICQoLDA0ODw==", temporaryKeyId: keyId, activationIdentifier: "id")
        #expect(metaData.httpHeaderKey == "X-PowerAuth-Encryption")
        #expect(
            metaData.httpHeaderValue
                == "PowerAuth version=\"3.3\", application_key=\"AAECAwQFBgcICQoLDA0ODw==\", activation_id=\"id\"")
    }
}
