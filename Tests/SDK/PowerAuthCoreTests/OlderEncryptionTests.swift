// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// Encryption by the protocols 3.0 and 3.1, which have no temporary keys (sdk.md, section 6.2; protocol.md, section 7).
@Suite("Encryption of older protocols", .endsInTime)
struct OlderEncryptionTests {
    private func encryptor(
        _ metaData: PowerAuthCoreEciesMetaData, serverKey: PrivateKey, time: FixedTime
    ) throws -> PowerAuthCoreEciesEncryptor {
        let encryptor = try #require(
            PowerAuthCoreEciesEncryptor(
                timeService: time, publicKey: serverKey.publicKey.compressed, sharedInfo1: Data("/test".utf8),
                sharedInfo2: Data([1])))
        encryptor.associatedMetaData = metaData
        return encryptor
    }

    @Test(arguments: [ProtocolVersion.v3_0, .v3_1])
    func `A response of body and code is enough`(version: ProtocolVersion) throws {
        let (serverKey, time) = (try PrivateKey.generate(), FixedTime())
        let metaData = PowerAuthCoreEciesMetaData(
            version: version, applicationKey: "key", temporaryKeyId: "", activationIdentifier: nil)
        #expect(metaData.httpHeaderValue == "PowerAuth version=\"\(version.rawValue)\", application_key=\"key\"")
        let encryptor = try encryptor(metaData, serverKey: serverKey, time: time)
        let cryptogram = try #require(encryptor.encryptRequest(Data("request".utf8)))
        #expect(cryptogram.temporaryKeyId == nil && cryptogram.timestamp == 0)
        #expect((cryptogram.nonce != nil) == (version == .v3_1))
        let server = EciesServerDecryptor(
            parameters: EciesParameters(
                version: version, sharedInfo1: EciesSharedInfo1(rawValue: "/test"), applicationKey: "key"),
            serverPrivateKey: serverKey, sharedInfo2: Data([1]))
        let (plain, responder) = try server.decrypt(
            EciesRequest(
                ephemeralPublicKey: try #require(cryptogram.key), encryptedData: try #require(cryptogram.body),
                mac: try #require(cryptogram.mac), nonce: cryptogram.nonce))
        #expect(plain == Data("request".utf8))
        let response = try responder.encrypt(Data("response".utf8))
        let received = PowerAuthCoreEciesCryptogram()
        received.bodyBase64 = StrictBase64.encode(response.encryptedData)
        received.macBase64 = StrictBase64.encode(response.mac)
        let another = try #require(encryptor.copyForDecryption())
        #expect(encryptor.decryptResponse(received) == Data("response".utf8))
        // What does not belong to the version is not looked at.
        received.nonce = Data(count: 16)
        received.timestamp = 7
        #expect(another.canDecryptResponse == false || another.decryptResponse(received) == nil, "the key is gone")
    }

    @Test func `A changed response is refused`() throws {
        let (serverKey, time) = (try PrivateKey.generate(), FixedTime())
        let encryptor = try encryptor(
            PowerAuthCoreEciesMetaData(applicationKey: "key", activationIdentifier: "id"), serverKey: serverKey,
            time: time)
        #expect(encryptor.associatedMetaData?.httpHeaderValue.contains("version=\"3.1\"") == true)
        #expect(encryptor.encryptRequest(Data()) != nil)
        let received = PowerAuthCoreEciesCryptogram()
        received.body = Data(count: 16)
        received.mac = Data(count: 32)
        #expect(encryptor.decryptResponse(received) == nil)
    }

    @Test func `The newest protocol requires nonce and timestamp`() throws {
        let (serverKey, time) = (try PrivateKey.generate(), FixedTime())
        let encryptor = try encryptor(
            PowerAuthCoreEciesMetaData(applicationKey: "key", temporaryKeyId: "t", activationIdentifier: nil),
            serverKey: serverKey, time: time)
        let cryptogram = try #require(encryptor.encryptRequest(Data("request".utf8)))
        let server = EciesServerDecryptor(
            parameters: EciesParameters(
                version: .v3_3, sharedInfo1: EciesSharedInfo1(rawValue: "/test"), applicationKey: "key",
                temporaryKeyId: "t"),
            serverPrivateKey: serverKey, sharedInfo2: Data([1]))
        let (_, responder) = try server.decrypt(
            EciesRequest(
                temporaryKeyId: "t", ephemeralPublicKey: try #require(cryptogram.key),
                encryptedData: try #require(cryptogram.body), mac: try #require(cryptogram.mac),
                nonce: cryptogram.nonce, timestamp: cryptogram.timestamp))
        let response = try responder.encrypt(Data("response".utf8), timestamp: 1_735_689_601_234)
        let received = PowerAuthCoreEciesCryptogram()
        received.body = response.encryptedData
        received.mac = response.mac
        #expect(encryptor.decryptResponse(received) == nil)
    }
}
