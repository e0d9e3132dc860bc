// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

/// Every column of protocol.md, section 19.6.
@Suite("Worked example: ECIES", .endsInTime)
struct WorkedExampleEciesTests {
    struct Column: Sendable, CustomTestStringConvertible {
        let version: ProtocolVersion
        let scope: EciesScope
        let serverKeyLabel: String
        let sharedSecret: (prefix: String, suffix: String)
        let envelope: String
        let vector: String
        let suffix: (length: Int, hash: String?)
        let request: (data: String, mac: String)
        let response: (data: String, mac: String)

        var testDescription: String { "\(version.rawValue) \(scope)" }
    }

    static let columns = [
        Column(
            version: .v3_3, scope: .activation, serverKeyLabel: "lab temporary activation key",
            sharedSecret: ("743c1cd8", "4663fa"),
            envelope:
                "a40bc029b48f59410e7d460340c341ff28ddf9f390be28ece1ad5ae3f67210f92bc518631e062c96ed10e16cc6c02334",
            vector: "76f8a3361c56826f785478aa5ece1c8a",
            suffix: (224, "6bd7086f7890aa15084f04e036a00a65ef34508fa301a4ccc7e5db8ea6f02bcf"),
            request: ("8E2zqmorrdNKNULg0mkwYQ==", "LBPv/1oX/kXfo3J2wWZBV7sqXQ3LYXlepy8Xa8vmtXw="),
            response: ("nhJYRaTr+jVqDl7POm62Ow==", "vD68cIEz4RA/EKo7Di9VBjG1nrosx3rrTfH1cAdHNPU=")),
        Column(
            version: .v3_3, scope: .application, serverKeyLabel: "lab temporary app key",
            sharedSecret: ("2fb3b479", "f982e1"),
            envelope:
                "68cc7908b377c3661b7873378205fac02c17a6e5c18f228bf727ee207912429876c72db5b0922e26deb518b9d43de30d",
            vector: "220c17c7f528a6f3164f4a41f20c731b",
            suffix: (184, "2ab5b43ee237bd747a25823af347824f8d85fd0df40a11e95b88ad1fc6a91e1e"),
            request: ("KtxW+OeKf8LPZVKMAV3idw==", "aSxmZb96OiMZFuS3rG0cbqRBQpJ+POTEsR/IeyYkmLo="),
            response: ("FFNV3dJe46VKWu2jtyZ4Tg==", "KAPzzzovrLUnRPEDMsy371sf1GW672Y5lOJ0hzZsDFA=")),
        Column(
            version: .v3_2, scope: .activation, serverKeyLabel: "lab server key",
            sharedSecret: ("f9cdcd39", "4a94d26"),
            envelope:
                "3988be6fa44d648c307c3397146650afce3d046db862834a3f86eb25b1e4e94a7a7fa0bc3b4569d8ac919bbbc95fb306",
            vector: "24ab74639b9425f8d1341d828fae7440",
            suffix: (184, "df0d2658e046d0e7a8b08ab149b7992d10e70388bde2ad4b7bc3f4902848da3a"),
            request: ("mlN0geZQRxcH2WbSQvEU0w==", "zbihfLvotM25MPKodYLRubZ5oeeEMFPVge7Z4QyFC+w="),
            response: ("MdP80yRh21VE2vpejN1YLw==", "1xaQpbJldhc+yX+yfb6Ey2KP9Ie+MTCVlhckw5FXixk=")),
        Column(
            version: .v3_1, scope: .activation, serverKeyLabel: "lab server key",
            sharedSecret: ("f9cdcd39", "4a94d26"),
            envelope:
                "05c218d979993c6dfb35e52e9910bce7513931163211f25615f96460c7932966de8084391f9f09a9f3932950847c857b",
            vector: "298b3eced38728531461b7b72e98a699", suffix: (32, nil),
            request: ("/8/7KkW3HuYMYXY/0VAQ0g==", "glqPams4FqXEG+51as/OZbFrno+L35FJSxK20jR3uxA="),
            response: ("Q6DQ3HH3DzgEyXuduuUe/A==", "iBsaFnlzS7vy/LEqFtc+6e+QZM+orLXwE0JBmNJy5uo=")),
        Column(
            version: .v3_0, scope: .activation, serverKeyLabel: "lab server key",
            sharedSecret: ("f9cdcd39", "4a94d26"),
            envelope:
                "05c218d979993c6dfb35e52e9910bce7513931163211f25615f96460c7932966de8084391f9f09a9f3932950847c857b",
            vector: "00000000000000000000000000000000", suffix: (32, nil),
            request: ("Y5oYyy5ZxDkxJbZaQYZzpQ==", "M6y1ByRvU8I7wRu67sQI8fjrIztYoV/tYNfRXxQWUa0="),
            response: ("MvtozjMHtXNAXMNTqpNGOQ==", "mG7AYJD4Koq37pbW+naLDjisj8BvxoujKrPnA2sRsX4=")),
    ]

    @Test func `The base of the shared info has its known value`() throws {
        #expect(
            SharedInfo2.application(LabExample.applicationSecretText).hexText
                == "066310d04253210902dd943a2feb7c06847f00bb4e656c0099e7d9e89f8c9f11")
        #expect(
            SharedInfo2.activation(try LabExample.keys().transport, LabExample.applicationSecretText).hexText
                == "b432a8b4e826cc04d75d80614f50a8fd9c8137df6de3f01182b568b5f5cfccf2")
    }

    @Test(arguments: columns) func `A column of the worked example is reproduced`(_ column: Column) throws {
        let serverKey = try LabExample.key(column.serverKeyLabel)
        let ephemeral = try LabExample.ephemeralKey()
        let isActivation = column.scope == .activation
        let parameters = EciesParameters(
            version: column.version, sharedInfo1: isActivation ? .activationGeneric : .applicationGeneric,
            applicationKey: LabExample.applicationKeyText, activationId: isActivation ? LabExample.activationId : nil,
            temporaryKeyId: column.version == .v3_3 ? LabExample.temporaryKeyId : nil)
        let sharedInfo2 =
            isActivation
            ? SharedInfo2.activation(try LabExample.keys().transport, LabExample.applicationSecretText)
            : SharedInfo2.application(LabExample.applicationSecretText)

        let secret = try ephemeral.sharedSecret(with: serverKey.publicKey)
        #expect(secret.bytes.rawData.hexText.hasPrefix(column.sharedSecret.prefix))
        #expect(secret.bytes.rawData.hexText.hasSuffix(column.sharedSecret.suffix))
        let envelope = try EciesEnvelope(
            secret: secret, parameters: parameters, ephemeralPublicKey: ephemeral.publicKey.compressed)
        #expect(envelope.rawData.hexText == column.envelope)
        let usedNonce = column.version.usesRequestNonce ? LabExample.nonce : nil
        #expect(try envelope.vector(nonce: usedNonce).hexText == column.vector)
        let suffix = parameters.macSuffix(
            sharedInfo2: sharedInfo2, nonce: usedNonce, timestamp: LabExample.timestamp,
            ephemeralPublicKey: ephemeral.publicKey.compressed)
        #expect(suffix.count == column.suffix.length)
        if let hash = column.suffix.hash { #expect(Digest.sha256(suffix).hexText == hash) }

        let client = EciesClientEncryptor(
            parameters: parameters, serverPublicKey: serverKey.publicKey, sharedInfo2: sharedInfo2)
        let (request, decryptor) = try client.encrypt(
            #"{"hello":"lab"}"#.utf8Data, timestamp: LabExample.timestamp, ephemeralKey: ephemeral,
            nonce: LabExample.nonce)
        #expect(request.encryptedData.base64 == column.request.data)
        #expect(request.mac.base64 == column.request.mac)
        #expect(request.ephemeralPublicKey == ephemeral.publicKey.compressed)

        let server = EciesServerDecryptor(parameters: parameters, serverPrivateKey: serverKey, sharedInfo2: sharedInfo2)
        let (plaintext, encryptor) = try server.decrypt(request)
        #expect(plaintext == #"{"hello":"lab"}"#.utf8Data)
        let response = try encryptor.encrypt(
            #"{"ok":true}"#.utf8Data, timestamp: 1_735_689_601_234, nonce: counting(16, from: 0x90))
        #expect(response.encryptedData.base64 == column.response.data)
        #expect(response.mac.base64 == column.response.mac)
        #expect(try decryptor.decrypt(response) == #"{"ok":true}"#.utf8Data)
    }

    @Test func `The associated data of the first column has its known value`() {
        let parameters = EciesParameters(
            version: .v3_3, sharedInfo1: .activationGeneric, applicationKey: LabExample.applicationKeyText,
            activationId: LabExample.activationId, temporaryKeyId: LabExample.temporaryKeyId)
        let expected =
            hex("00000003332e3300000018") + LabExample.applicationKeyText.utf8Data + hex("00000024")
            + LabExample.activationId.utf8Data + hex("00000024") + LabExample.temporaryKeyId.utf8Data
        #expect(parameters.associatedData == expected)
    }
}
