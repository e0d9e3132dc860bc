// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("ECIES", .endsInTime)
struct EciesTests {
    let serverKey: PrivateKey
    let transportKey = TransportKey.random()

    init() throws { serverKey = try .generate() }

    private func parameters(
        _ version: ProtocolVersion, _ scope: EciesScope, sharedInfo1: EciesSharedInfo1? = nil
    ) -> EciesParameters {
        EciesParameters(
            version: version,
            sharedInfo1: sharedInfo1 ?? (scope == .activation ? .activationGeneric : .applicationGeneric),
            applicationKey: LabExample.applicationKeyText,
            activationId: scope == .activation ? LabExample.activationId : nil,
            temporaryKeyId: version == .v3_3 ? LabExample.temporaryKeyId : nil)
    }

    private var sharedInfo2: Data { SharedInfo2.activation(transportKey, LabExample.applicationSecretText) }

    private func client(_ parameters: EciesParameters) -> EciesClientEncryptor {
        EciesClientEncryptor(parameters: parameters, serverPublicKey: serverKey.publicKey, sharedInfo2: sharedInfo2)
    }

    private func server(_ parameters: EciesParameters) -> EciesServerDecryptor {
        EciesServerDecryptor(parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: sharedInfo2)
    }

    @Test(arguments: ProtocolVersion.allCases, EciesScope.allCases)
    func `What is written is read again`(version: ProtocolVersion, scope: EciesScope) throws {
        let parameters = parameters(version, scope)
        for size in [0, 1, 15, 16, 17, 1000] {
            let plaintext = Random.bytes(size)
            let (request, decryptor) = try client(parameters).encrypt(plaintext, timestamp: 1)
            // What travels is JSON.
            let sent = try JSONDecoder().decode(EciesRequest.self, from: JSONEncoder().encode(request))
            #expect(sent == request)
            let (received, encryptor) = try server(parameters).decrypt(sent)
            #expect(received == plaintext)
            let response = try encryptor.encrypt(plaintext + [1], timestamp: 2)
            let answered = try JSONDecoder().decode(EciesResponse.self, from: JSONEncoder().encode(response))
            #expect(try decryptor.decrypt(answered) == plaintext + [1])
        }
    }

    @Test func `Another server can use the envelope`() throws {
        let parameters = parameters(.v3_3, .activation)
        let (request, decryptor) = try client(parameters).encrypt("hello".utf8Data, timestamp: 1)
        let envelope = try server(parameters).envelope(ephemeralPublicKey: request.ephemeralPublicKey)
        let integration = EciesServerDecryptor(
            parameters: parameters, envelope: try EciesEnvelope(envelope.rawData), sharedInfo2: sharedInfo2)
        let (plaintext, encryptor) = try integration.decrypt(request)
        #expect(plaintext == "hello".utf8Data)
        #expect(try decryptor.decrypt(encryptor.encrypt("bye".utf8Data, timestamp: 2)) == "bye".utf8Data)
        #expect(throws: ProtocolError.self) { try EciesEnvelope(Data(count: 47)) }
    }

    @Test func `Every agreed parameter is authenticated`() throws {
        let original = parameters(.v3_3, .activation)
        let (request, _) = try client(original).encrypt("hello".utf8Data, timestamp: 1)
        func changed(
            version: ProtocolVersion = .v3_3, sharedInfo1: EciesSharedInfo1 = .activationGeneric,
            applicationKey: String = LabExample.applicationKeyText, activationId: String? = LabExample.activationId,
            temporaryKeyId: String? = LabExample.temporaryKeyId
        ) -> EciesParameters {
            EciesParameters(
                version: version, sharedInfo1: sharedInfo1, applicationKey: applicationKey,
                activationId: activationId, temporaryKeyId: temporaryKeyId)
        }
        #expect(throws: Never.self) { try server(changed()).decrypt(request) }
        for other in [
            changed(sharedInfo1: .vaultUnlock), changed(applicationKey: "AAAAAAAAAAAAAAAAAAAAAA=="),
            changed(activationId: LabExample.temporaryKeyId), changed(activationId: nil),
        ] {
            #expect(throws: ProtocolError.macMismatch) { try server(other).decrypt(request) }
        }
        #expect(throws: ProtocolError.self) { try server(changed(temporaryKeyId: "other")).decrypt(request) }
        #expect(throws: ProtocolError.self) {
            try server(changed(version: .v3_2, temporaryKeyId: nil)).decrypt(request)
        }
        var asOlder = request
        asOlder.temporaryKeyId = nil
        #expect(throws: ProtocolError.macMismatch) {
            try server(changed(version: .v3_2, temporaryKeyId: nil)).decrypt(asOlder)
        }
        let otherSecret = EciesServerDecryptor(
            parameters: original, serverPrivateKey: serverKey,
            sharedInfo2: SharedInfo2.application(LabExample.applicationSecretText))
        #expect(throws: ProtocolError.macMismatch) { try otherSecret.decrypt(request) }
        let otherKey = EciesServerDecryptor(
            parameters: original, serverPrivateKey: try .generate(), sharedInfo2: sharedInfo2)
        #expect(throws: ProtocolError.macMismatch) { try otherKey.decrypt(request) }
    }

    @Test func `Objects work once`() throws {
        let parameters = parameters(.v3_3, .activation)
        let (request, decryptor) = try client(parameters).encrypt(Data(), timestamp: 1)
        let (_, encryptor) = try server(parameters).decrypt(request)
        #expect(encryptor.canEncrypt && decryptor.canDecrypt)
        let response = try encryptor.encrypt(Data(), timestamp: 2)
        #expect(!encryptor.canEncrypt)
        #expect(throws: ProtocolError.wrongState("a response can be encrypted once; decrypt a new request first")) {
            try encryptor.encrypt(Data(), timestamp: 2)
        }
        #expect(try decryptor.decrypt(response).isEmpty)
        #expect(!decryptor.canDecrypt)
        #expect(throws: ProtocolError.wrongState("a response can be decrypted once; encrypt a new request first")) {
            try decryptor.decrypt(response)
        }

        let (_, failing) = try client(parameters).encrypt(Data(), timestamp: 1)
        #expect(throws: ProtocolError.macMismatch) { try failing.decrypt(response) }
        #expect(!failing.canDecrypt, "a failed attempt uses the key up, too")
    }

    @Test func `Every request has its own keys`() throws {
        let parameters = parameters(.v3_3, .activation)
        let first = try client(parameters).encrypt(Data(), timestamp: 1).request
        let second = try client(parameters).encrypt(Data(), timestamp: 1).request
        #expect(first.ephemeralPublicKey != second.ephemeralPublicKey)
        #expect(first.nonce != second.nonce)
        #expect(first.replayValue(activationId: nil) != second.replayValue(activationId: nil))
        #expect(first.replayValue(activationId: nil) != first.replayValue(activationId: LabExample.activationId))
    }

    @Test func `Timestamps of zero are written`() throws {
        let parameters = parameters(.v3_2, .application)
        let (request, _) = try client(parameters).encrypt(Data(), timestamp: 0)
        #expect(request.timestamp == 0)
        #expect(throws: Never.self) { try server(parameters).decrypt(request) }
        #expect(throws: ProtocolError.missing(field: "timestamp")) { try client(parameters).encrypt(Data()) }
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `Fields are present exactly when the version has them`(version: ProtocolVersion) throws {
        let parameters = parameters(version, .activation)
        let (request, decryptor) = try client(parameters).encrypt(Data(), timestamp: 1)
        var twins = [EciesRequest](repeating: request, count: 3)
        twins[0].nonce = version.usesRequestNonce ? nil : Data(count: 16)
        twins[1].timestamp = version.usesTimestamp ? nil : 1
        twins[2].temporaryKeyId = version.usesTemporaryKey ? nil : LabExample.temporaryKeyId
        for (twin, field) in zip(twins, ["nonce", "timestamp", "temporaryKeyId"]) {
            let isKnown = [
                "nonce": version.usesRequestNonce, "timestamp": version.usesTimestamp,
                "temporaryKeyId": version.usesTemporaryKey,
            ][field]
            #expect(throws: isKnown == true ? ProtocolError.missing(field: field) : .unexpected(field: field)) {
                try server(parameters).decrypt(twin)
            }
        }
        var response = try server(parameters).decrypt(request).encryptor.encrypt(Data(), timestamp: 2)
        response.nonce = version.usesResponseNonce ? nil : Data(count: 16)
        #expect(throws: ProtocolError.self) { try decryptor.decrypt(response) }
    }

    @Test func `Key id belongs to the version`() throws {
        let without = EciesParameters(
            version: .v3_3, sharedInfo1: .applicationGeneric, applicationKey: LabExample.applicationKeyText)
        #expect(throws: ProtocolError.missing(field: "temporaryKeyId")) {
            try client(without).encrypt(Data(), timestamp: 1)
        }
        #expect(throws: ProtocolError.missing(field: "temporaryKeyId")) {
            try server(without).envelope(ephemeralPublicKey: serverKey.publicKey.compressed)
        }
        let with = EciesParameters(
            version: .v3_2, sharedInfo1: .applicationGeneric, applicationKey: LabExample.applicationKeyText,
            temporaryKeyId: "id")
        #expect(throws: ProtocolError.unexpected(field: "temporaryKeyId")) {
            try client(with).encrypt(Data(), timestamp: 1)
        }
    }

    @Test func `Wrong sizes and points are refused`() throws {
        let parameters = parameters(.v3_3, .activation)
        let (request, _) = try client(parameters).encrypt(Data(), timestamp: 1)
        var twins = [EciesRequest](repeating: request, count: 7)
        twins[0].nonce = Data(count: 15)
        twins[1].nonce = Data(count: 17)
        twins[2].mac.append(0)
        twins[3].encryptedData.removeLast()
        twins[4].encryptedData = Data()
        twins[5].ephemeralPublicKey = Data([0])
        twins[6].ephemeralPublicKey = Data([4]) + Data(repeating: 1, count: 64)
        for twin in twins {
            #expect(throws: ProtocolError.self) { try server(parameters).decrypt(twin) }
        }
        #expect(throws: ProtocolError.invalidKey("ephemeralPublicKey")) { try server(parameters).decrypt(twins[6]) }
    }

    @Test(
        arguments: [
            #"{}"#, #"[]"#, #"{"ephemeralPublicKey":"AAAA","encryptedData":"AAAA"}"#,
            #"{"ephemeralPublicKey":"A A=","encryptedData":"AAAA","mac":"AAAA"}"#,
            #"{"ephemeralPublicKey":1,"encryptedData":"AAAA","mac":"AAAA"}"#,
            #"{"ephemeralPublicKey":"AAAA","encryptedData":"AAAA","mac":"AAAA","timestamp":"1"}"#,
            #"{"ephemeralPublicKey":"AAAA","encryptedData":"AAAA","mac":"AAAA","timestamp":-1}"#,
            #"{"ephemeralPublicKey":"AAAA","encryptedData":"AAAA","mac":"AAAA","timestamp":1.5}"#,
            #"{"ephemeralPublicKey":"AAAA","encryptedData":"AAAA","mac":"AAAA","temporaryKeyId":""}"#,
        ])
    func `Malformed JSON is refused`(json: String) {
        #expect(throws: (any Error).self) { try JSONDecoder().decode(EciesRequest.self, from: json.utf8Data) }
    }

    /// protocol.md, section 22, item 11.
    @Test func `A response must be made between its request and now`() throws {
        let sent = LabExample.timestamp
        func isAccepted(_ timestamp: UInt64, readAt now: UInt64?) throws -> Bool {
            let parameters = parameters(.v3_3, .activation)
            let (request, decryptor) = try client(parameters).encrypt(Data(), timestamp: sent)
            let response = try server(parameters).decrypt(request).encryptor.encrypt(Data(), timestamp: timestamp)
            do {
                _ = try decryptor.decrypt(response, currentTime: now)
                return true
            } catch ProtocolError.invalidFormat(field: "timestamp", reason: _) {
                return false
            }
        }
        #expect(try isAccepted(sent, readAt: sent))
        #expect(try isAccepted(sent + 5, readAt: sent + 86_400_000), "a suspended app reads late")
        #expect(try isAccepted(sent - 60_000, readAt: sent))
        #expect(try !isAccepted(sent - 60_001, readAt: sent))
        #expect(try isAccepted(sent + 61_000, readAt: sent + 1_000))
        #expect(try !isAccepted(sent + 61_001, readAt: sent + 1_000))
        #expect(try isAccepted(sent + 60_000, readAt: sent - 500_000), "the clock was put back meanwhile")
        #expect(try !isAccepted(sent + 60_001, readAt: sent - 500_000))
        #expect(try isAccepted(0, readAt: nil), "without a synchronised clock there is nothing to compare with")
    }

    @Test func `Defined identifiers have a scope`() {
        #expect(EciesSharedInfo1.activationLayer2.scope == .application)
        #expect(EciesSharedInfo1.vaultUnlock.scope == .activation)
        #expect(EciesSharedInfo1(rawValue: "/my/own").scope == nil)
    }
}
