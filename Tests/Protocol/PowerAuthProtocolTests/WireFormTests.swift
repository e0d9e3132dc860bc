// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// What a message looks like, with another value in each of its members (protocol.md, sections 6.1 and 7.4).
@Suite("Forms of messages", .endsInTime)
struct WireFormTests {
    private static let deviceKey = "AlmrZjRHEQrL9oOQNq1R/KuwmPQMWQ4UWKDMjhu405i5"
    private static let counter = "oKGio6SlpqeoqaqrrK2urw=="

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The error of the protocol that a text is refused with.
    private func refusal<Message: Decodable>(_ json: String, as type: Message.Type) -> ProtocolError? {
        thrown { _ = try JSONDecoder().decode(Message.self, from: json.utf8Data) } as? ProtocolError
    }

    @Test func `The device's half of a key exchange has all its members, and shows neither key nor password`() throws {
        let deviceKey = SentPublicKey(try LabExample.deviceKey().publicKey)
        let request = KeyExchangeRequest(
            devicePublicKey: deviceKey, activationName: "name", externalId: "external", extras: "more",
            activationOtp: "otp-7431", platform: "iOS", deviceInfo: "model")
        let text =
            #"{"activationName":"name","activationOtp":"otp-7431","deviceInfo":"model","#
            + #""devicePublicKey":"\#(Self.deviceKey)","externalId":"external","extras":"more","platform":"iOS"}"#
        #expect(try json(request) == text)
        #expect(try JSONDecoder().decode(KeyExchangeRequest.self, from: text.utf8Data) == request)
        #expect(
            try json(KeyExchangeRequest(devicePublicKey: deviceKey)) == #"{"devicePublicKey":"\#(Self.deviceKey)"}"#)
        var dumped = ""
        dump(request, to: &dumped)
        #expect(dumped.contains("name") && dumped.contains("iOS"))
        #expect(!dumped.contains("otp-7431") && !dumped.contains(Self.deviceKey))
    }

    @Test func `The server's half of a key exchange needs an identifier, a key and a counter`() {
        let counter = #""ctrData":"\#(Self.counter)""#
        let rows: [(String, ProtocolError)] = [
            (#"{"activationId":"","serverPublicKey":"AAAA",\#(counter)}"#, .missing(field: "activationId")),
            (#"{"activationId":"id",\#(counter)}"#, .missing(field: "serverPublicKey")),
            (#"{"activationId":"id","serverPublicKey":"",\#(counter)}"#, .missing(field: "serverPublicKey")),
            (
                #"{"activationId":"id","serverPublicKey":"A A=",\#(counter)}"#,
                .invalidEncoding(field: "serverPublicKey")
            ),
            (#"{"activationId":"id","serverPublicKey":"AAAA"}"#, .missing(field: "ctrData")),
            (#"{"activationId":"id","serverPublicKey":"AAAA","ctrData":"?"}"#, .invalidEncoding(field: "ctrData")),
            (
                #"{"activationId":"id","serverPublicKey":"AAAA","ctrData":"AAAA"}"#,
                .invalidLength(field: "ctrData", expected: "16 bytes", actual: 3)
            ),
        ]
        for (json, expected) in rows {
            #expect(refusal(json, as: KeyExchangeResponse.self) == expected, "\(json)")
        }
    }

    @Test func `Every identity has its type and attributes, and needs each of them`() throws {
        let expected: [(type: String, attributes: [String: String])] = [
            ("CODE", ["code": "U6K3B-OAAIK-26CWS-N2HRQ"]), ("CUSTOM", ["username": "eva", "password": "…"]),
            ("RECOVERY", ["recoveryCode": "CEIRC-EIRCE-IRCEI-R4Y3Q", "puk": "0123456789"]),
            ("DIRECT", ["method": "oidc", "providerId": "lab-idp", "code": "c", "nonce": "n"]),
            ("DIRECT", ["method": "oidc", "providerId": "lab-idp", "code": "c", "nonce": "n", "codeVerifier": "v"]),
            ("DIRECT", ["method": "other", "x": "y"]),
        ]
        #expect(ActivationMessageTests.identities.count == expected.count)
        for (identity, row) in zip(ActivationMessageTests.identities, expected) {
            #expect(identity.type == row.type && identity.attributes == row.attributes)
            #expect(try ActivationIdentity(type: row.type, attributes: row.attributes) == identity)
        }
        for (row, names) in [
            (expected[0], ["code"]), (expected[2], ["recoveryCode", "puk"]),
            (expected[4], ["providerId", "code", "nonce"]),
        ] {
            for name in names {
                for value in [nil, ""] as [String?] {
                    var attributes = row.attributes
                    attributes["unknown"] = "is ignored"
                    attributes[name] = value
                    #expect(throws: ProtocolError.missing(field: name), "\(row.type)") {
                        try ActivationIdentity(type: row.type, attributes: attributes)
                    }
                }
            }
        }
    }

    @Test func `An activation request has the attributes of the application only when there are any`() throws {
        let sealed = EciesRequest(
            ephemeralPublicKey: Data(count: 3), encryptedData: Data(count: 3), mac: Data(count: 3))
        let inner = #""activationData":{"encryptedData":"AAAA","ephemeralPublicKey":"AAAA","mac":"AAAA"}"#
        let outer = #""identityAttributes":{"a":"b"},"type":"CUSTOM""#
        let plain = ActivationRequest<[String: String]>(identity: .custom(["a": "b"]), activationData: sealed)
        #expect(try json(plain) == "{\(inner),\(outer)}")
        let extended = ActivationRequest(
            identity: .custom(["a": "b"]), customAttributes: ["c": "d"], activationData: sealed)
        #expect(try json(extended) == #"{\#(inner),"customAttributes":{"c":"d"},\#(outer)}"#)
        let answer = ActivationResponse(
            activationData: EciesResponse(
                encryptedData: Data(count: 3), mac: Data(count: 3), nonce: Data(count: 3), timestamp: 7),
            customAttributes: ["c": "d"], userInfo: ["sub": "eva"])
        #expect(
            try json(answer)
                == #"{"activationData":{"encryptedData":"AAAA","mac":"AAAA","nonce":"AAAA","timestamp":7},"#
                + #""customAttributes":{"c":"d"},"userInfo":{"sub":"eva"}}"#)
    }

    @Test func `Encrypted messages have all their members, and each binary one is strict Base64`() throws {
        let request = EciesRequest(
            temporaryKeyId: "id", ephemeralPublicKey: Data([1, 2, 3]), encryptedData: Data([4, 5, 6]),
            mac: Data([7, 8, 9]), nonce: Data([10, 11, 12]), timestamp: 1_735_689_600_123)
        let common = #""encryptedData":"BAUG","ephemeralPublicKey":"AQID","mac":"BwgJ","nonce":"CgsM""#
        let requestText = #"{\#(common),"temporaryKeyId":"id","timestamp":1735689600123}"#
        #expect(try json(request) == requestText)
        #expect(try JSONDecoder().decode(EciesRequest.self, from: requestText.utf8Data) == request)
        let response = EciesResponse(
            encryptedData: request.encryptedData, mac: request.mac, nonce: request.nonce, timestamp: request.timestamp)
        let responseText = #"{"encryptedData":"BAUG","mac":"BwgJ","nonce":"CgsM","timestamp":1735689600123}"#
        #expect(try json(response) == responseText)
        #expect(try JSONDecoder().decode(EciesResponse.self, from: responseText.utf8Data) == response)
        for (name, value) in [
            ("encryptedData", "BAUG"), ("ephemeralPublicKey", "AQID"), ("mac", "BwgJ"), ("nonce", "CgsM"),
        ] {
            let wrong = requestText.replacing(value, with: "A A=")
            #expect(refusal(wrong, as: EciesRequest.self) == .invalidEncoding(field: name))
            guard name != "ephemeralPublicKey" else { continue }
            let other = responseText.replacing(value, with: "A A=")
            #expect(refusal(other, as: EciesResponse.self) == .invalidEncoding(field: name))
        }
        let anonymous = requestText.replacing("\"id\"", with: "\"\"")
        #expect(refusal(anonymous, as: EciesRequest.self) == .missing(field: "temporaryKeyId"))
    }

    @Test func `A message is remembered by its key, its nonce and its activation (protocol.md, section 7.6)`() {
        var request = EciesRequest(
            ephemeralPublicKey: Data([1, 2, 3]), encryptedData: Data([4]), mac: Data([5]), nonce: Data([10, 11, 12]))
        #expect(request.replayValue(activationId: "ab") == Data([1, 2, 3, 10, 11, 12, 0x61, 0x62]).base64)
        #expect(request.replayValue(activationId: nil) == Data([1, 2, 3, 10, 11, 12]).base64)
        request.nonce = nil
        #expect(request.replayValue(activationId: "ab") == Data([1, 2, 3, 0x61, 0x62]).base64)
    }

    @Test func `Recovery data have one form on the wire and one at rest, and neither takes another one`() throws {
        let (code, puk) = ("EZEJG-RD4GK-7OLKN-MYGBQ", "7165461507")
        let recovery = try RecoveryData(recoveryCode: code, puk: puk)
        let text = #"{"puk":"\#(puk)","recoveryCode":"\#(code)"}"#
        #expect(try json(recovery) == text)
        #expect(try JSONDecoder().decode(RecoveryData.self, from: text.utf8Data) == recovery)
        let (codePart, pukPart) = (Data([23]) + code.utf8Data, Data([10]) + puk.utf8Data)
        #expect(recovery.encoded().rawData == codePart + pukPart)
        #expect(try RecoveryData(encoded: SecretBytes(codePart + pukPart)) == recovery)
        let prefixed = Data([25]) + "R:\(code)".utf8Data
        for wrong in [
            Data(), codePart, codePart + pukPart.dropLast(), codePart + pukPart + Data([0]), pukPart + codePart,
            prefixed + pukPart,
        ] {
            #expect(throws: ProtocolError.decryptionFailed, "\(wrong.hexText)") {
                try RecoveryData(encoded: SecretBytes(wrong))
            }
        }
    }
}
