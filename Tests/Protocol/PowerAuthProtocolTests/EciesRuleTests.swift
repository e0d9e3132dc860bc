// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// The rules of protocol.md, section 7.4, one member at a time.
@Suite("ECIES: presence and sizes", .endsInTime)
struct EciesRuleTests {
    /// The error of a request of protocol 3.3 with one change.
    private func requestError(_ change: (inout EciesRequest) -> Void) -> ProtocolError? {
        var request = EciesRequest(
            temporaryKeyId: "id", ephemeralPublicKey: Data(count: 33), encryptedData: Data(count: 16),
            mac: Data(count: 32), nonce: Data(count: 16), timestamp: 1)
        change(&request)
        let changed = request
        return refusal { try changed.validate(for: .v3_3) }
    }

    /// The error of a response of protocol 3.3 with one change.
    private func responseError(_ change: (inout EciesResponse) -> Void) -> ProtocolError? {
        var response = EciesResponse(
            encryptedData: Data(count: 16), mac: Data(count: 32), nonce: Data(count: 16), timestamp: 1)
        change(&response)
        let changed = response
        return refusal { try changed.validate(for: .v3_3) }
    }

    @Test(arguments: [0, 15, 16, 17, 31, 32, 33])
    func `A nonce has sixteen bytes, a code thirty-two, in requests and responses`(count: Int) {
        let nonce = ProtocolError.invalidLength(field: "nonce", expected: "16 bytes", actual: count)
        #expect(requestError({ $0.nonce = Data(count: count) }) == (count == 16 ? nil : nonce))
        #expect(responseError({ $0.nonce = Data(count: count) }) == (count == 16 ? nil : nonce))
        let mac = ProtocolError.invalidLength(field: "mac", expected: "32 bytes", actual: count)
        #expect(requestError({ $0.mac = Data(count: count) }) == (count == 32 ? nil : mac))
        #expect(responseError({ $0.mac = Data(count: count) }) == (count == 32 ? nil : mac))
    }

    @Test(arguments: [0, 1, 15, 16, 17, 31, 32, 48]) func `A cipher text has whole blocks, one at least`(count: Int) {
        let isWhole = count > 0 && count % 16 == 0
        let error = ProtocolError.invalidLength(
            field: "encryptedData", expected: "a multiple of 16 bytes", actual: count)
        #expect(requestError({ $0.encryptedData = Data(count: count) }) == (isWhole ? nil : error))
        #expect(responseError({ $0.encryptedData = Data(count: count) }) == (isWhole ? nil : error))
    }

    @Test(arguments: [0, 32, 33, 34, 64, 65, 66]) func `An ephemeral key has either of its two sizes`(count: Int) {
        let error = requestError({ $0.ephemeralPublicKey = Data(count: count) })
        #expect(error == (count == 33 || count == 65 ? nil : ProtocolError.invalidKey("ephemeralPublicKey")))
    }

    @Test(arguments: [0, 16, 47, 48, 49, 64]) func `An envelope has three keys of sixteen bytes`(count: Int) throws {
        let bytes = counting(count, from: 0)
        let error = ProtocolError.invalidLength(field: "envelope key", expected: "48 bytes", actual: count)
        #expect(refusal { _ = try EciesEnvelope(bytes) } == (count == 48 ? nil : error))
        if count == 48 { #expect(try EciesEnvelope(bytes).rawData == bytes) }
    }

    @Test func `Nonce and timestamp of a response are present exactly when the version has them`() {
        for version in ProtocolVersion.allCases {
            func made(nonce: Bool, timestamp: Bool) -> EciesResponse {
                EciesResponse(
                    encryptedData: Data(count: 16), mac: Data(count: 32), nonce: nonce ? Data(count: 16) : nil,
                    timestamp: timestamp ? 1 : nil)
            }
            for nonce in [false, true] {
                for timestamp in [false, true] {
                    var expected: ProtocolError?
                    if timestamp != (version >= .v3_2) {
                        expected = timestamp ? .unexpected(field: "timestamp") : .missing(field: "timestamp")
                    }
                    // Looked at first.
                    if nonce != (version >= .v3_2) {
                        expected = nonce ? .unexpected(field: "nonce") : .missing(field: "nonce")
                    }
                    let response = made(nonce: nonce, timestamp: timestamp)
                    #expect(refusal { try response.validate(for: version) } == expected, "\(version)")
                }
            }
        }
    }

    /// A request of a version for a new key, and what its server makes of it.
    private func exchange(
        _ version: ProtocolVersion, temporaryKeyId: String? = nil, sharedInfo1: EciesSharedInfo1 = .applicationGeneric
    ) throws -> (request: EciesRequest, server: EciesServerDecryptor) {
        let serverKey = try PrivateKey.generate()
        // An empty identifier means none.
        let parameters = EciesParameters(
            version: version, sharedInfo1: sharedInfo1, applicationKey: "key", activationId: "",
            temporaryKeyId: temporaryKeyId)
        #expect(parameters.activationId == nil && parameters.scope == .application)
        let secret = SharedInfo2.application("secret")
        let client = EciesClientEncryptor(
            parameters: parameters, serverPublicKey: serverKey.publicKey, sharedInfo2: secret)
        return (
            try client.encrypt("hello".utf8Data, timestamp: 7).request,
            EciesServerDecryptor(parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: secret)
        )
    }

    @Test(arguments: ProtocolVersion.allCases)
    func `A message has the timestamp that it was made with, in the versions that carry one`(version: ProtocolVersion)
        throws
    {
        let (request, server) = try exchange(version, temporaryKeyId: version == .v3_3 ? "id" : nil)
        #expect(request.timestamp == (version >= .v3_2 ? 7 : nil))
        let (plaintext, encryptor) = try server.decrypt(request)
        #expect(plaintext == "hello".utf8Data)
        if version >= .v3_2 {
            #expect(throws: ProtocolError.missing(field: "timestamp")) { try encryptor.encrypt(Data()) }
            #expect(encryptor.canEncrypt, "nothing was encrypted")
        }
        let response = try encryptor.encrypt(Data(), timestamp: 8)
        #expect(response.timestamp == (version >= .v3_2 ? 8 : nil))
        #expect((response.nonce != nil) == (version >= .v3_2))
        #expect(response.nonce == nil || response.nonce != request.nonce)
    }

    @Test func `A request for another temporary key is refused before it is decrypted`() throws {
        let (request, _) = try exchange(.v3_3, temporaryKeyId: "one")
        let (_, server) = try exchange(.v3_3, temporaryKeyId: "two")
        #expect(
            refusal { _ = try server.decrypt(request) }
                == .invalidFormat(field: "temporaryKeyId", reason: "it names another key"))
    }
}
