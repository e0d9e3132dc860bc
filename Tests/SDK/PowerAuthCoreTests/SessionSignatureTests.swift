// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// protocol.md, sections 9, 10 and 21.
@Suite("Sessions: signatures", .endsInTime)
struct SessionSignatureTests {
    @Test(
        arguments: [
            PowerAuthCoreSignatureFactor.possession, .knowledge, .biometry, .possession_Knowledge, .possession_Biometry,
            .possession_Knowledge_Biometry,
        ])
    func `Every factor combination verifies and moves the counter by one`(factor: PowerAuthCoreSignatureFactor) throws {
        let fixture = try ClientFixture.activated(biometry: true)
        for round in 1...3 {
            #expect(try fixture.accepted(factor))
            #expect(fixture.server.counterNumber == round)
        }
    }

    @Test(.verifies("size", "UnsignedRequest.nonceTextLength"))
    func `Refused requests do not move the counter`() throws {
        let fixture = try ClientFixture.activated()
        let before = fixture.session.serializedState()
        let requests = [
            PowerAuthCoreHTTPRequestData(method: "get", uri: "/test"),
            PowerAuthCoreHTTPRequestData(method: "OPTIONS", uri: "/test"),
            PowerAuthCoreHTTPRequestData(method: "POST", uri: ""),
            PowerAuthCoreHTTPRequestData(method: "POST", uri: "/t", offlineNonce: "AAAA"),
            PowerAuthCoreHTTPRequestData(
                method: "POST", uri: "/t", offlineNonce: "ICEiIyQlJicoKSorLC0uLw==", offlineSignatureSize: 3),
            PowerAuthCoreHTTPRequestData(
                method: "POST", uri: "/t", offlineNonce: "ICEiIyQlJicoKSorLC0uLw==", offlineSignatureSize: 9),
            PowerAuthCoreHTTPRequestData(method: "POST", uri: "/t", offlineNonce: "ICEiIyQlJicoKSorLC0uLy8v"),
        ]
        for request in requests {
            #expect(
                fixture.session.signHttpRequestData(request, keys: fixture.keys(), factor: .possession_Knowledge)
                    == nil)
        }
        #expect(fixture.sign([]) == nil)
        #expect(fixture.sign([.knowledge, .biometry]) == nil)
        #expect(fixture.sign(.possession_Biometry) == nil, "there is no biometry factor")
        #expect(fixture.sign(.possession_Knowledge, password: "123") == nil)
        #expect(fixture.session.serializedState() == before)
    }

    @Test func `Error codes follow the order of checks`() throws {
        let fixture = try ClientFixture.activated()
        var machine = try SessionMachine(
            setup: #require(PowerAuthCoreSessionSetup(configuration: try fixture.server.configuration)))
        let keys = UnlockKeys(fixture.keys())
        func code(_ method: String, _ factor: PowerAuthCoreSignatureFactor, nonce: String? = nil)
            -> PowerAuthCoreErrorCode
        {
            let request = PowerAuthCoreHTTPRequestData(method: method, uri: "/t", offlineNonce: nonce)
            do {
                _ = try machine.sign(UnsignedRequest(request), keys: keys, factor: factor)
                return .ok
            } catch {
                return error
            }
        }
        #expect(code("BAD", []) == .wrongState)
        try machine.loadState(.success(SessionStateCoding.decode(fixture.session.serializedState(), suites: [])))
        #expect(code("BAD", .possession) == .wrongParam)
        #expect(code("POST", []) == .wrongParam)
        #expect(code("POST", .possession_Biometry) == .encryption)
        #expect(code("POST", .possession, nonce: "not Base64 but 24 chars.") == .encryption)
        #expect(code("POST", .possession) == .ok)
    }

    @Test func `A wrong password signs locally but is not accepted`() throws {
        let fixture = try ClientFixture.activated()
        #expect(try !fixture.accepted(.possession_Knowledge, password: "4321"))
        #expect(fixture.server.failedAttempts == 1)
        #expect(try fixture.accepted(.possession))
        #expect(fixture.server.failedAttempts == 1)
        #expect(try fixture.accepted(.possession_Knowledge))
        #expect(fixture.server.failedAttempts == 0)
    }

    @Test func `Changed requests do not verify`() throws {
        let fixture = try ClientFixture.activated()
        let body = Data("{}".utf8)
        func signature() throws -> PowerAuthCoreHTTPRequestDataSignature {
            try #require(
                fixture.session.signHttpRequestData(
                    PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test", body: body), keys: fixture.keys(),
                    factor: .possession))
        }
        #expect(try fixture.server.verify(signature(), body: body))
        #expect(try !fixture.server.verify(signature(), method: "PUT", body: body))
        #expect(try !fixture.server.verify(signature(), uri: "/other", body: body))
        #expect(try !fixture.server.verify(signature(), body: Data("{ }".utf8)))
    }

    @Test func `Offline signatures are decimal`() throws {
        let fixture = try ClientFixture.activated()
        func offline(_ size: UInt, _ factor: PowerAuthCoreSignatureFactor) -> String? {
            fixture.session.signHttpRequestData(
                PowerAuthCoreHTTPRequestData(
                    method: "POST", uri: "/operation/authorize/offline", body: Data("A1".utf8),
                    offlineNonce: "ICEiIyQlJicoKSorLC0uLw==", offlineSignatureSize: size),
                keys: fixture.keys(), factor: factor)?.signature
        }
        #expect(try #require(offline(4, .possession)).wholeMatch(of: /[0-9]{4}/) != nil)
        #expect(try #require(offline(8, .possession_Knowledge)).wholeMatch(of: /[0-9]{8}-[0-9]{8}/) != nil)
        #expect(try fixture.accepted(.possession), "offline signatures move the counter like others")
        #expect(fixture.server.counterNumber == 3)
    }

    @Test
    func `An offline signature has four to eight digits for each factor, and a nonce of twenty-four characters`() throws
    {
        let fixture = try ClientFixture.activated()
        func sign(_ size: UInt, nonce: String = "ICEiIyQlJicoKSorLC0uLw==") -> PowerAuthCoreHTTPRequestDataSignature? {
            fixture.session.signHttpRequestData(
                PowerAuthCoreHTTPRequestData(
                    method: "POST", uri: "/t", offlineNonce: nonce, offlineSignatureSize: size),
                keys: fixture.keys(), factor: .possession_Knowledge)
        }
        for size in UInt(0)...12 {
            let groups = sign(size)?.signature.split(separator: "-").map { UInt($0.count) }
            #expect(groups == ((4...8).contains(size) ? [size, size] : nil), "\(size)")
        }
        let signature = try #require(sign(8))
        #expect(signature.applicationKey == "offline" && signature.nonce == "ICEiIyQlJicoKSorLC0uLw==")
        #expect(signature.factor == "possession_knowledge" && signature.version == "3.3")
        for count in [15, 17, 18] { #expect(sign(8, nonce: StrictBase64.encode(Data(count: count))) == nil) }
        #expect(PowerAuthCoreHTTPRequestData(method: "POST", uri: "/t").offlineSignatureSize == 8)
    }

    @Test func `Signed data are shown as Base64, and emptied by a text that is not Base64`() {
        let signed = PowerAuthCoreSignedData(signingDataKey: .hmac_Application, data: Data([1]), signature: Data([2]))
        #expect(signed.dataBase64 == "AQ==" && signed.signatureBase64 == "Ag==" && signed.signatureFormat == .default)
        (signed.dataBase64, signed.signatureBase64) = ("Aw==", "BA==")
        #expect(signed.data == Data([3]) && signed.signature == Data([4]))
        signed.dataBase64 = "?"
        #expect(signed.data.isEmpty && signed.signature == Data([4]))
        signed.signatureBase64 = "?"
        #expect(signed.signature.isEmpty)
    }

    @Test func `The parameters of a GET request are made canonical`() {
        let data = PowerAuthCoreSession.prepareKeyValueDictionary(forDataSigning: [
            "zingly": "is da best", "420": "is equal to 10*42", "hello": "world", "hell0": "w0rld",
        ])
        #expect(
            data.map { String(decoding: $0, as: UTF8.self) }
                == "420=is+equal+to+10*42&hell0=w0rld&hello=world&zingly=is+da+best")
    }

    @Test func `The header has its fields in order`() throws {
        let fixture = try ClientFixture.activated()
        let signature = try #require(fixture.sign(.possession_Knowledge))
        let expected =
            "PowerAuth pa_version=\"3.3\", pa_activation_id=\"\(fixture.server.activationId)\", "
            + "pa_application_key=\"AAECAwQFBgcICQoLDA0ODw==\", pa_nonce=\"\(signature.nonce)\", "
            + "pa_signature_type=\"possession_knowledge\", pa_signature=\"\(signature.signature)\""
        #expect(signature.authHeaderValue == expected)
    }

    @Test func `Several threads never share a counter value`() throws {
        let fixture = try ClientFixture.activated()
        fixture.server.lookAhead = 64
        let session = fixture.session
        let signatures = Collected()
        DispatchQueue.concurrentPerform(iterations: 40) { _ in
            let keys = PowerAuthCoreSignatureUnlockKeys(possessionUnlockKey: ClientFixture.possessionKey)
            let request = PowerAuthCoreHTTPRequestData(method: "POST", uri: "/test")
            if let signature = session.signHttpRequestData(request, keys: keys, factor: .possession) {
                signatures.add(signature)
            }
        }
        #expect(signatures.count == 40)
        fixture.server.advance(by: 40)
        #expect(try fixture.fetchStatus()?.counterState == .OK)
    }

    @Test func `Data signed by the server verify with the right key only`() throws {
        let fixture = try ClientFixture.activated()
        let data = Data("payload".utf8)
        for (key, signer, other) in [
            (PowerAuthCoreSigningDataKey.ecdsa_MasterServerKey, fixture.server.masterKey, fixture.server.serverKey),
            (.ecdsa_PersonalizedKey, fixture.server.serverKey, fixture.server.masterKey),
        ] {
            for (format, raw) in [(PowerAuthCoreSignatureFormat.ECDSA_DER, ECDSAFormat.der), (.ECDSA_JOSE, .jose)] {
                func verify(_ data: Data, _ signature: Data) -> Bool {
                    fixture.session.verifyServerSignedData(
                        PowerAuthCoreSignedData(
                            signingDataKey: key, signatureFormat: format, data: data, signature: signature))
                }
                let signature = try signer.sign(data, format: raw)
                #expect(verify(data, signature))
                #expect(!verify(data + [0], signature))
                #expect(try !verify(data, other.sign(data, format: raw)))
                #expect(!verify(data, Data()))
            }
        }
    }

    @Test func `HMAC keys are those of the server`() throws {
        let fixture = try ClientFixture.activated()
        let signed = PowerAuthCoreSignedData(signingDataKey: .hmac_Application, data: Data("data".utf8))
        #expect(fixture.session.signData(withHmacKey: signed, keys: nil))
        #expect(signed.signature == Digest.hmacSHA256(key: ProtocolServer.applicationSecret, data: signed.data))
        signed.signingDataKey = .hmac_Activation
        #expect(!fixture.session.signData(withHmacKey: signed, keys: nil))
        #expect(fixture.session.signData(withHmacKey: signed, keys: fixture.keys(password: nil)))
        let key: TemporaryKeyRequestKey = try KDF.internalDerive(
            #require(fixture.server.keys).transport, data: ProtocolServer.applicationSecret)
        #expect(signed.signature == Digest.hmacSHA256(key: key, data: signed.data))
        signed.signingDataKey = .ecdsa_MasterServerKey
        #expect(!fixture.session.signData(withHmacKey: signed, keys: fixture.keys()))
    }
}

/// Signatures collected by several threads.
private final class Collected: @unchecked Sendable {
    // Guarded by the lock.
    private var signatures: Set<String> = []
    private let lock = NSLock()

    func add(_ signature: PowerAuthCoreHTTPRequestDataSignature) {
        lock.withLock { _ = signatures.insert(signature.signature) }
    }

    var count: Int { lock.withLock { signatures.count } }
}
