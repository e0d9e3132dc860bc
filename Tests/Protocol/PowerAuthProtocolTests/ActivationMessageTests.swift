// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// protocol.md, sections 6.1 to 6.4.
@Suite("Activation messages", .endsInTime)
struct ActivationMessageTests {
    static let identities: [ActivationIdentity] = {
        // Constant texts that are valid, see the tests of codes.
        guard let code = try? ActivationCode("U6K3B-OAAIK-26CWS-N2HRQ"),
            let recovery = try? RecoveryData(recoveryCode: "CEIRC-EIRCE-IRCEI-R4Y3Q", puk: "0123456789")
        else { return [] }
        return [
            .code(code), .custom(["username": "eva", "password": "…"]), .recovery(recovery),
            .openIDConnect(.init(providerId: "lab-idp", code: "c", nonce: "n")),
            .openIDConnect(.init(providerId: "lab-idp", code: "c", nonce: "n", codeVerifier: "v")),
            .direct(["method": "other", "x": "y"]),
        ]
    }()

    /// Both layers in both directions, as a device, an enrolment server and a PowerAuth server see them.
    @Test(arguments: identities, ProtocolVersion.allCases)
    func `An activation passes both layers and back`(identity: ActivationIdentity, version: ProtocolVersion) throws {
        let (applicationKey, serverKey, deviceKey) = (
            try PrivateKey.generate(), try PrivateKey.generate(), try PrivateKey.generate()
        )
        func parameters(_ sharedInfo1: EciesSharedInfo1) -> EciesParameters {
            EciesParameters(
                version: version, sharedInfo1: sharedInfo1, applicationKey: LabExample.applicationKeyText,
                temporaryKeyId: version.usesTemporaryKey ? LabExample.temporaryKeyId : nil)
        }
        let sharedInfo2 = SharedInfo2.application(LabExample.applicationSecretText)
        func encryptor(_ sharedInfo1: EciesSharedInfo1) -> EciesClientEncryptor {
            EciesClientEncryptor(
                parameters: parameters(sharedInfo1), serverPublicKey: applicationKey.publicKey,
                sharedInfo2: sharedInfo2)
        }
        func decryptor(_ sharedInfo1: EciesSharedInfo1) -> EciesServerDecryptor {
            EciesServerDecryptor(
                parameters: parameters(sharedInfo1), serverPrivateKey: applicationKey, sharedInfo2: sharedInfo2)
        }

        // Device: the inner layer first, then the outer one around it.
        let inner = KeyExchangeRequest(
            devicePublicKey: SentPublicKey(deviceKey.publicKey), activationName: "Eva's phone", activationOtp: "1234",
            platform: "iOS")
        let (sealedInner, openInner) = try encryptor(.activationLayer2)
            .encrypt(JSONEncoder().encode(inner), timestamp: 1)
        let outer = ActivationRequest(
            identity: identity, customAttributes: ["campaign": "spring"], activationData: sealedInner)
        let (sealedOuter, openOuter) = try encryptor(.applicationGeneric)
            .encrypt(JSONEncoder().encode(outer), timestamp: 1)

        // Servers: each opens its own layer only.
        let (outerText, answerOuter) = try decryptor(.applicationGeneric).decrypt(sealedOuter)
        let received = try JSONDecoder().decode(ActivationRequest<[String: String]>.self, from: outerText)
        #expect(received == outer)
        #expect(throws: ProtocolError.macMismatch) {
            try decryptor(.applicationGeneric).decrypt(received.activationData)
        }
        let (innerText, answerInner) = try decryptor(.activationLayer2).decrypt(received.activationData)
        let device = try JSONDecoder().decode(KeyExchangeRequest.self, from: innerText)
        #expect(device == inner)
        let exchange = try ActivationKeyExchange(
            serverKey: serverKey, activationId: LabExample.activationId,
            devicePublicKey: try #require(device.devicePublicKey.key).compressed)
        let recovery = RecoveryData(code: try RecoverySeed.generate().code, puk: try RecoveryPuk("0000000001"))
        let answer = KeyExchangeResponse(
            activationId: exchange.activationId, serverPublicKey: serverKey.publicKey, counter: exchange.counter,
            recovery: recovery)
        let sealedAnswer = try answerInner.encrypt(JSONEncoder().encode(answer), timestamp: 2)
        let outerAnswer = ActivationResponse<[String: String], [String: String]>(
            activationData: sealedAnswer, userInfo: ["name": "Eva"])
        let sealedOuterAnswer = try answerOuter.encrypt(JSONEncoder().encode(outerAnswer), timestamp: 2)

        // Device: both have the same keys.
        let opened = try JSONDecoder().decode(
            ActivationResponse<[String: String], [String: String]>.self, from: openOuter.decrypt(sealedOuterAnswer))
        #expect(opened == outerAnswer)
        let result = try JSONDecoder().decode(KeyExchangeResponse.self, from: openInner.decrypt(opened.activationData))
        #expect(result == answer)
        let own = try ActivationKeyExchange(
            deviceKey: deviceKey, activationId: result.activationId, serverPublicKey: result.serverPublicKey,
            counterData: result.counter.rawData)
        #expect(own.fingerprint == exchange.fingerprint)
        #expect(own.keys.vault == exchange.keys.vault)
        let sealedRecovery = try Vault.seal(try #require(result.recovery), vaultKey: own.keys.vault)
        #expect(try Vault.openRecovery(sealedRecovery, vaultKey: exchange.keys.vault) == recovery)
    }

    @Test func `The JSON is that of the protocol`() throws {
        let outer = #"""
            {"type":"CODE","identityAttributes":{"code":"U6K3B-OAAIK-26CWS-N2HRQ"},
             "activationData":{"ephemeralPublicKey":"AAAA","encryptedData":"AAAA","mac":"AAAA"}}
            """#
        let request = try JSONDecoder().decode(ActivationRequest<[String: String]>.self, from: outer.utf8Data)
        #expect(request.identity == .code(try ActivationCode("U6K3B-OAAIK-26CWS-N2HRQ")))
        #expect(request.customAttributes == nil)
        let inner =
            #"{"devicePublicKey":"AlmrZjRHEQrL9oOQNq1R/KuwmPQMWQ4UWKDMjhu405i5","activationName":"Eva's phone"}"#
        let exchange = try JSONDecoder().decode(KeyExchangeRequest.self, from: inner.utf8Data)
        #expect(exchange.devicePublicKey == SentPublicKey(try LabExample.deviceKey().publicKey))
        let answer = #"""
            {"activationId":"7f2c9a52-4d0e-4b6c-9d27-3f8d1b6e0a11","ctrData":"oKGio6SlpqeoqaqrrK2urw==",
             "serverPublicKey":"BN1JBWm9tIw5/pLynSTcI3/4EjCphRab2r0MEPxcmbJ5rCjYzPbQY8XaPn+S3+WmSXyXqKceupIDRtqRhvOl8Dk=",
             "activationRecovery":{"recoveryCode":"EZEJG-RD4GK-7OLKN-MYGBQ","puk":"7165461507"}}
            """#
        let response = try JSONDecoder().decode(KeyExchangeResponse.self, from: answer.utf8Data)
        #expect(response.counter == (try LabExample.counter()))
        #expect(response.serverPublicKey == (try LabExample.serverKey().publicKey.uncompressed))
        #expect(response.recovery?.puk.text == "7165461507")
    }

    @Test(
        arguments: [
            (#"{"type":"CODE","identityAttributes":{}}"#, "identityAttributes is required"),
            (#"{"type":"CODE","identityAttributes":{"code":""}}"#, "code is required"),
            (
                #"{"type":"CODE","identityAttributes":{"code":"AAAAA-AAAAA-AAAAA-AAAAQ"}}"#,
                "activation code is not valid"
            ),
            (
                #"{"type":"RECOVERY","identityAttributes":{"recoveryCode":"AAAAA-AAAAA-AAAAA-AAAAA"}}"#,
                "puk is required"
            ),
            (
                #"{"type":"RECOVERY","identityAttributes":{"recoveryCode":"R:AAAAA-AAAAA-AAAAA-AAAAA","puk":"0123456789"}}"#,
                "recovery code is not valid"
            ),
            (
                #"{"type":"DIRECT","identityAttributes":{"method":"oidc","code":"c","nonce":"n"}}"#,
                "providerId is required"
            ),
            (#"{"type":"code","identityAttributes":{"code":"AAAAA-AAAAA-AAAAA-AAAAA"}}"#, "type is not valid"),
        ])
    func `A wrong identity names its field`(json: String, message: String) {
        let error = #expect(throws: ProtocolError.self) {
            try JSONDecoder().decode(ActivationRequest<[String: String]>.self, from: json.utf8Data)
        }
        #expect(error.map { "\($0)".hasPrefix(message) } == true, "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test(arguments: [#"{}"#, #"{"devicePublicKey":null}"#, #"{"devicePublicKey":" "}"#])
    func `A message without device key is refused`(json: String) {
        #expect(throws: ProtocolError.missing(field: "devicePublicKey")) {
            try JSONDecoder().decode(KeyExchangeRequest.self, from: json.utf8Data)
        }
    }

    /// The server has to know that there was one, because it spends the activation on it.
    @Test(arguments: ["A A=", "AAAA", "AlmrZjRHEQrL9oOQNq1R"])
    func `An invalid device key is read and kept as text`(text: String) throws {
        let json = #"{"devicePublicKey":"\#(text)","activationName":"phone"}"#
        let request = try JSONDecoder().decode(KeyExchangeRequest.self, from: json.utf8Data)
        #expect(request.devicePublicKey.text == text)
        #expect(request.devicePublicKey.key == nil)
        let again = try JSONDecoder().decode(KeyExchangeRequest.self, from: JSONEncoder().encode(request))
        #expect(again == request)
    }

    @Test func `Answers have null for missing values`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        func text(_ value: some Encodable) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        let sealed = EciesResponse(encryptedData: Data(count: 3), mac: Data(count: 3))
        #expect(
            try text(ActivationResponse<[String: String], [String: String]>(activationData: sealed))
                == #"{"activationData":{"encryptedData":"AAAA","mac":"AAAA","nonce":null,"timestamp":null},"#
                + #""customAttributes":null,"userInfo":null}"#)
        #expect(try text(sealed) == #"{"encryptedData":"AAAA","mac":"AAAA"}"#)
        let answer = KeyExchangeResponse(
            activationId: "id", serverPublicKey: try LabExample.serverKey().publicKey, counter: try LabExample.counter()
        )
        #expect(try text(answer).hasPrefix(#"{"activationId":"id","activationRecovery":null,"ctrData":"#))
    }

    @Test func `Recovery data at rest are validated again`() throws {
        let vaultKey = VaultKey.random()
        let texts = [["EZEJG-RD4GK-7OLKN-MYGBQ", "716546150"], ["EZEJG-RD4GK-7OLKN-MYGBA", "7165461507"], ["", ""]]
        for parts in texts {
            let plain = parts.reduce(into: Data()) { $0 += [UInt8($1.utf8.count)] + Data($1.utf8) }
            let sealed = try Vault.seal(SecretBytes(plain), vaultKey: vaultKey)
            #expect(throws: ProtocolError.decryptionFailed) { try Vault.openRecovery(sealed, vaultKey: vaultKey) }
        }
    }
}
