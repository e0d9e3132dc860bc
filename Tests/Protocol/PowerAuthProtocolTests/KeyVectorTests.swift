// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Public vectors: keys, fingerprints, activation code signatures", .endsInTime, Vectors.condition)
struct KeyVectorTests {
    @Test func `Both sides compute the master secret`() throws {
        let records = try Vectors.texts("compute-master-secret-key")
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            let device = try PrivateKey(bigEndian: input.bytes("devicePrivateKey"))
            let server = try PrivateKey(bigEndian: input.bytes("serverPrivateKey"))
            #expect(device.publicKey.uncompressed == (try input.bytes("devicePublicKey")))
            #expect(server.publicKey.uncompressed == (try input.bytes("serverPublicKey")))
            let expected = try MasterSecretKey(output.bytes("masterSecretKey"))
            #expect(try MasterSecretKey.derive(private: device, public: server.publicKey) == expected)
            #expect(try MasterSecretKey.derive(private: server, public: device.publicKey) == expected)

            // Twin: another scalar gives another secret, and a moved point is refused.
            let otherDevice = try PrivateKey(
                bigEndian: input.bytes("devicePrivateKey").suffix(31).flippingBit(8 + index))
            #expect(try MasterSecretKey.derive(private: otherDevice, public: server.publicKey) != expected)
            #expect(throws: ProtocolError.invalidKey("serverPublicKey")) {
                try PublicKey(
                    encoded: input.bytes("serverPublicKey").flippingBit(8 + index * 13), field: "serverPublicKey")
            }
        }
    }

    @Test func `The five keys follow from the master secret`() throws {
        let records = try Vectors.texts("compute-derived-keys")
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            let secret = try input.bytes("masterSecretKey")
            let keys = DerivedKeys(masterSecret: try MasterSecretKey(secret))
            let twin = DerivedKeys(masterSecret: try MasterSecretKey(secret.flippingBit(index * 7)))
            for (name, key, other) in [
                ("signaturePossessionKey", keys.possession.rawData, twin.possession.rawData),
                ("signatureKnowledgeKey", keys.knowledge.rawData, twin.knowledge.rawData),
                ("signatureBiometryKey", keys.biometry.rawData, twin.biometry.rawData),
                ("transportKey", keys.transport.rawData, twin.transport.rawData),
                ("vaultEncryptionKey", keys.vault.rawData, twin.vault.rawData),
            ] {
                #expect(try key == output.bytes(name), "record \(index), \(name)")
                #expect(key != other, "record \(index), \(name) must depend on every bit")
            }
        }
    }

    @Test func `Fingerprints use normalised coordinates`() throws {
        let records = try Vectors.texts("public-key-fingerprint-v3")
        #expect(!records.isEmpty)
        var shortCoordinates = 0
        for (index, (input, output)) in records.enumerated() {
            let device = try PublicKey(encoded: input.bytes("devicePublicKey"))
            let server = try PublicKey(encoded: input.bytes("serverPublicKey"))
            let deviceX = try output.bytes("devicePublicKeyCoordX")
            #expect(device.normalizedX == deviceX)
            #expect(server.normalizedX == (try output.bytes("serverPublicKeyCoordX")))
            if deviceX.count < 32 { shortCoordinates += 1 }
            let activationId = try output.text("activationId")
            let fingerprint = Fingerprint.v3(device: device, activationId: activationId, server: server)
            #expect(fingerprint == (try output.text("fingerprint")), "record \(index)")
            // The compressed form is the same point, so the same fingerprint.
            let same = try PublicKey(encoded: device.compressed)
            #expect(Fingerprint.v3(device: same, activationId: activationId, server: server) == fingerprint)

            let changedId = String(decoding: activationId.utf8Data.flippingBit(index * 8), as: UTF8.self)
            #expect(Fingerprint.v3(device: device, activationId: changedId, server: server) != fingerprint)
            #expect(Fingerprint.v3(device: server, activationId: activationId, server: device) != fingerprint)
            #expect(throws: ProtocolError.self) {
                try PublicKey(encoded: input.bytes("devicePublicKey").flippingBit(8 + index * 5))
            }
        }
        #expect(shortCoordinates > 0, "the vectors hold coordinates with leading zeros")
    }

    @Test func `Activation codes are signed by the master key`() throws {
        let records = try Vectors.texts("verify-activation-data-signature-v3")
        #expect(!records.isEmpty)
        for (index, (input, output)) in records.enumerated() {
            let code = try ActivationCode(input.text("activationCode"))
            let master = try PrivateKey(bigEndian: input.bytes("masterPrivateKey"))
            let publicKey = try PublicKey(encoded: input.bytes("masterPublicKey"))
            #expect(master.publicKey == publicKey)
            let signature = try output.bytes("activationSignature")
            #expect(code.isSigned(signature, by: publicKey))
            #expect(code.isSigned(try code.signature(by: master), by: publicKey))

            #expect(!code.isSigned(signature.flippingBit(index * 29), by: publicKey), "record \(index)")
            #expect(!(try ActivationCode(raw: code.raw.flippingBit(index))).isSigned(signature, by: publicKey))
            let jose = try #require(ECDSAFormat.joseFromDER(signature))
            #expect(ECDSAFormat.derFromJOSE(jose) == signature)
            #expect(publicKey.verify(signature: jose, of: code.text.utf8Data, format: .jose))
            #expect(!publicKey.verify(signature: jose.flippingBit(index), of: code.text.utf8Data, format: .jose))
        }
    }
}
