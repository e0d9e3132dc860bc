// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: end-to-end encryption", .endsInTime)
struct AeadExchangeTests {
    private func parameters(_ record: [String: String]) throws -> AeadParameters {
        let secret = try TemporaryKeySecret(record.bytes("envelopeKey"))
        let application = try ApplicationSecretKey(record.bytes("applicationSecret"))
        guard let activationId = record["activationId"] else {
            return AeadParameters(
                purpose: .applicationGeneric, applicationKey: try record.text("applicationKey"),
                applicationSecret: application, temporaryKeyId: try record.text("temporaryKeyId"), secret: secret)
        }
        return AeadParameters(
            purpose: .activationGeneric, applicationKey: try record.text("applicationKey"),
            applicationSecret: application, activationId: activationId,
            key: try Key256(record.bytes("sharedInfo2Key")), temporaryKeyId: try record.text("temporaryKeyId"),
            secret: secret)
    }

    @Test(VectorsV4.condition, arguments: ["e2ee-application-scope", "e2ee-activation-scope"])
    func `Both sides read and write the vendor's messages`(file: String) throws {
        for (index, record) in try VectorsV4.records(file).enumerated() {
            let parameters = try parameters(record)
            let plaintext = try record.text("requestData").utf8Data
            let answer = try record.text("responseData").utf8Data
            let nonces = try record.bytes("nonce")
            let sent = try #require(UInt64(record.text("timestampRequest")))
            let answered = try #require(UInt64(record.text("timestampResponse")))
            let (request, decryptor) = try AeadClientEncryptor(parameters: parameters)
                .encrypt(plaintext, timestamp: sent, nonces: nonces)
            #expect(try request.encryptedData == record.bytes("encryptedDataRequest"), "record \(index)")
            let server = AeadServerDecryptor(parameters: parameters)
            let (received, encryptor) = try server.decrypt(request)
            #expect(received == plaintext)
            let response = try encryptor.encrypt(answer, timestamp: answered)
            #expect(try response.encryptedData == record.bytes("encryptedDataResponse"))
            #expect(try decryptor.decrypt(response, currentTime: answered) == answer)

            let twins = [
                AeadRequest(
                    temporaryKeyId: request.temporaryKeyId, encryptedData: request.encryptedData.flippingBit(400),
                    nonce: nonces, timestamp: sent),
                AeadRequest(
                    temporaryKeyId: request.temporaryKeyId, encryptedData: request.encryptedData,
                    nonce: nonces.flippingBit(index), timestamp: sent),
                AeadRequest(
                    temporaryKeyId: request.temporaryKeyId, encryptedData: request.encryptedData, nonce: nonces,
                    timestamp: sent + 1),
            ]
            for twin in twins { #expect(throws: ProtocolError.macMismatch) { try server.decrypt(twin) } }
        }
    }

    private func example(_ purpose: AeadPurpose, isActivation: Bool, secret: TemporaryKeySecret) throws
        -> AeadParameters
    {
        isActivation
            ? AeadParameters(
                purpose: purpose, applicationKey: ExampleV4.applicationKey,
                applicationSecret: try ExampleV4.applicationSecret(), activationId: ExampleV4.activationId,
                key: try ExampleV4.keys().utility.sharedInfo2, temporaryKeyId: "key", secret: secret)
            : AeadParameters(
                purpose: purpose, applicationKey: ExampleV4.applicationKey,
                applicationSecret: try ExampleV4.applicationSecret(), temporaryKeyId: "key", secret: secret)
    }

    @Test(arguments: AeadPurpose.allCases, [false, true])
    func `A message is read by its purpose and scope alone`(purpose: AeadPurpose, isActivation: Bool) throws {
        let secret = TemporaryKeySecret.random()
        let parameters = try example(purpose, isActivation: isActivation, secret: secret)
        let (request, decryptor) = try AeadClientEncryptor(parameters: parameters).encrypt(
            Data([1, 2]), timestamp: 1000)
        let (plaintext, encryptor) = try AeadServerDecryptor(parameters: parameters).decrypt(request)
        #expect(plaintext == Data([1, 2]))
        let response = try encryptor.encrypt(Data(), timestamp: 1001)
        #expect(!encryptor.canEncrypt)
        #expect(throws: ProtocolError.wrongState("a response can be encrypted once; decrypt a new request first")) {
            try encryptor.encrypt(Data(), timestamp: 1002)
        }
        for other in AeadPurpose.allCases {
            for scope in [false, true] where other != purpose || scope != isActivation {
                let server = AeadServerDecryptor(parameters: try example(other, isActivation: scope, secret: secret))
                #expect(throws: ProtocolError.macMismatch) { try server.decrypt(request) }
            }
        }
        let unrelated = AeadServerDecryptor(
            parameters: try example(purpose, isActivation: isActivation, secret: .random()))
        #expect(throws: ProtocolError.macMismatch) { try unrelated.decrypt(request) }
        #expect(decryptor.canDecrypt)
        #expect(try decryptor.decrypt(response) == Data())
        #expect(!decryptor.canDecrypt)
        #expect(throws: ProtocolError.wrongState("a response can be decrypted once; encrypt a new request first")) {
            try decryptor.decrypt(response)
        }
    }

    @Test func `A request is not accepted as its own response`() throws {
        let parameters = try example(.applicationGeneric, isActivation: false, secret: .random())
        let (request, decryptor) = try AeadClientEncryptor(parameters: parameters).encrypt(Data([1]), timestamp: 1000)
        #expect(throws: ProtocolError.self) {
            try decryptor.decrypt(AeadResponse(encryptedData: request.encryptedData, timestamp: 1000))
        }
        #expect(!decryptor.canDecrypt)
    }

    @Test func `Nonces of another size, equal ones and another temporary key are refused`() throws {
        let parameters = try example(.tokenCreate, isActivation: true, secret: .random())
        let (request, _) = try AeadClientEncryptor(parameters: parameters).encrypt(Data([1]), timestamp: 1000)
        let server = AeadServerDecryptor(parameters: parameters)
        for count in [0, 12, 23, 25] {
            var twin = request
            twin.nonce = counting(count, from: 1)
            #expect(throws: ProtocolError.invalidLength(field: "nonce", expected: "24 bytes", actual: count)) {
                try server.decrypt(twin)
            }
        }
        var twin = request
        twin.nonce = request.nonce.prefix(12) + request.nonce.prefix(12)
        #expect(
            throws: ProtocolError.invalidFormat(field: "nonce", reason: "request and response have the same one")
        ) { try server.decrypt(twin) }
        twin = request
        twin.temporaryKeyId = "other"
        #expect(throws: ProtocolError.self) { try server.decrypt(twin) }
        twin = request
        twin.encryptedData = Data(count: 43)
        #expect(throws: ProtocolError.self) { try server.decrypt(twin) }
        #expect(twin.replayValue == request.replayValue)
    }

    @Test func `A response is made between its request and now`() throws {
        let parameters = try example(.vaultUnlock, isActivation: true, secret: .random())
        let start: UInt64 = 1_000_000_000
        for (offset, isFresh) in [(-300_001, false), (-300_000, true), (0, true), (300_000, true), (300_001, false)] {
            let (request, decryptor) = try AeadClientEncryptor(parameters: parameters).encrypt(Data(), timestamp: start)
            let time = UInt64(Int(start) + offset)
            let response = try AeadServerDecryptor(parameters: parameters).decrypt(request).encryptor
                .encrypt(Data(), timestamp: time)
            #expect(((try? decryptor.decrypt(response, currentTime: start)) != nil) == isFresh, "\(offset)")
        }
        #expect(FreshnessWindow.aead == FreshnessWindow(past: 300_000, future: 300_000))
    }

    @Test func `Messages come back from JSON, and incomplete ones are refused`() throws {
        let parameters = try example(.passwordChange, isActivation: true, secret: .random())
        let (request, _) = try AeadClientEncryptor(parameters: parameters).encrypt(Data([1]), timestamp: 1000)
        #expect(try JSONDecoder().decode(AeadRequest.self, from: JSONEncoder().encode(request)) == request)
        let response = AeadResponse(encryptedData: Data([1, 2, 3]), timestamp: 4)
        #expect(try JSONDecoder().decode(AeadResponse.self, from: JSONEncoder().encode(response)) == response)
        let members = #"{"temporaryKeyId":"a","encryptedData":"AA==","nonce":"AA==","timestamp":1}"#
        #expect(throws: Never.self) { try JSONDecoder().decode(AeadRequest.self, from: members.utf8Data) }
        for (old, new) in [("\"a\"", "\"\""), ("\"AA==\"", "\"?\""), (":1", ":\"1\""), (":1", ":-1"), ("nonce", "n")] {
            let text = members.replacingOccurrences(of: old, with: new)
            #expect(throws: (any Error).self) { try JSONDecoder().decode(AeadRequest.self, from: text.utf8Data) }
        }
        #expect(throws: (any Error).self) { try JSONDecoder().decode(AeadResponse.self, from: "{}".utf8Data) }
    }
}
