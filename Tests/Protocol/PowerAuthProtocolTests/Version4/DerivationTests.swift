// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: derivations", .endsInTime)
struct DerivationTests {
    @Test(VectorsV4.condition) func `Labels and diversifiers give the vendor's keys`() throws {
        for (index, record) in try VectorsV4.records("kdf").enumerated() {
            let key = SecretBytes(try record.bytes("key"))
            let label = KeyLabel(rawValue: try record.text("label"))
            let diversifier = try record.bytes("diversifier")
            let count = try #require(Int(record.text("outSize")))
            let expected = try record.bytes("derivedKey")
            #expect(
                try LabeledKDF.derive(key, label, diversifier: diversifier, count: count).rawData == expected,
                "record \(index)")

            let otherLabel: KeyLabel = label == .auth ? .vault : .auth
            let twins = [
                try LabeledKDF.derive(key, label, diversifier: diversifier.flippingBit(index), count: count),
                try LabeledKDF.derive(key, label, diversifier: diversifier + [0], count: count),
                try LabeledKDF.derive(key, otherLabel, diversifier: diversifier, count: count),
                try LabeledKDF.derive(
                    SecretBytes(key.rawData.flippingBit(index)), label, diversifier: diversifier, count: count),
            ]
            #expect(twins.allSatisfy { $0.rawData != expected })
            // The length enters the result: a longer one does not begin with a shorter one.
            let longer = try LabeledKDF.derive(key, label, diversifier: diversifier, count: count + 1)
            #expect(longer.rawData.prefix(count) != expected)
        }
    }

    @Test(VectorsV4.condition) func `Passwords give the vendor's keys`() throws {
        for (index, record) in try VectorsV4.records("pbkdf").enumerated() {
            let password = SecretBytes(try record.text("password").utf8Data)
            let salt = try record.bytes("salt")
            let count = try #require(Int(record.text("outSize")))
            let expected = try record.bytes("derivedKey")
            #expect(try LabeledKDF.derive(password: password, salt: salt, count: count).rawData == expected)
            if count == 32 {
                #expect(try FactorKeyEncryptionKey.knowledge(password: password, salt: salt).rawData == expected)
            }
            let twin = SecretBytes(password.rawData.flippingBit(index))
            #expect(try LabeledKDF.derive(password: twin, salt: salt, count: count).rawData != expected)
            #expect(
                try LabeledKDF.derive(password: password, salt: salt.flippingBit(index), count: count).rawData
                    != expected)
        }
    }

    @Test(.verifies("size", "LabeledKDF.minimumSaltSize"), arguments: [0, 31, 32, 33])
    func `A salt of a password has thirty-two bytes or more`(count: Int) {
        let password = SecretBytes("1234".utf8Data)
        let key = try? FactorKeyEncryptionKey.knowledge(password: password, salt: counting(count, from: 1))
        #expect((key != nil) == (count >= LabeledKDF.minimumSaltSize))
    }

    @Test(.verifies("size", "KMAC256.keySizes"), arguments: [0, 3, 4, 5, 511, 512, 513])
    func `A key and a password of a derivation have 4 to 512 bytes`(count: Int) throws {
        let bytes = SecretBytes(Data(repeating: 7, count: count))
        let isAllowed = (4...512).contains(count)
        #expect(((try? LabeledKDF.derive(bytes, .auth)) != nil) == isAllowed)
        #expect(((try? LabeledKDF.derive(password: bytes, salt: Data(count: 32))) != nil) == isAllowed)
        #expect(throws: ProtocolError.invalidLength(field: "derived key", expected: "1 byte or more", actual: 0)) {
            try LabeledKDF.derive(SecretBytes(Data(count: 32)), .auth, count: 0)
        }
    }

    @Test func `All keys of an activation differ, and depend on its secret`() throws {
        func bytes(_ keys: ActivationKeys) -> [Data] {
            [
                keys.possession.rawData, keys.knowledge.rawData, keys.biometry.rawData,
                keys.deviceKeyEncryption.rawData, keys.knowledgeVault.rawData, keys.twoFactorVault.rawData,
                keys.utility.derivationKey.rawData, keys.utility.counterCode.rawData,
                keys.utility.statusCode.rawData, keys.utility.temporaryKeyRequest.rawData,
                keys.utility.personalizedData.rawData, keys.utility.sharedInfo2.rawData,
                keys.utility.application.rawData,
            ]
        }
        let keys = try ExampleV4.keys()
        #expect(Set(bytes(keys)).count == 13)
        let others = ActivationKeys(secret: try ActivationSecret(counting(32, from: 2)))
        #expect(Set(bytes(keys)).isDisjoint(with: bytes(others)))

        // Step by step from the labels of the chapter.
        let secret = SecretBytes(counting(32, from: 1))
        func path(_ parent: KeyLabel, _ child: KeyLabel) throws -> Data {
            try LabeledKDF.derive(LabeledKDF.derive(secret, parent), child).rawData
        }
        #expect(
            try bytes(keys) == [
                path(.auth, .possession), path(.auth, .knowledge), path(.auth, .biometry),
                path(.vault, .deviceKeyEncryption), path(.vault, .knowledgeVault), path(.vault, .twoFactorVault),
                LabeledKDF.derive(secret, .util).rawData, path(.util, .counterCode), path(.util, .statusCode),
                path(.util, .activationKeyRequest), path(.util, .personalizedData), path(.util, .sharedInfo2),
                path(.util, .application),
            ])
    }

    @Test func `The keys of a device and of a biometric key are derived by their labels`() throws {
        let device = DeviceKeys(deviceData: SecretBytes("device".utf8Data))
        // Of an independent implementation in Python.
        #expect(
            device.localEncryption.rawData.hexText
                == "4ee242f0ebe8db499abc0891ce823085b220a7d462a4db68270d8b2fdd530d4f")
        #expect(
            device.possessionEncryption.rawData.hexText
                == "9d32ff1f825afe5edd52bc2ef160688aa1c69ef195b33ebcc30d6c25a745b670")
        let biometry = counting(16, from: 9)
        #expect(
            try FactorKeyEncryptionKey.biometry(SecretBytes(biometry)).rawData.hexText
                == "4dc0c164d91bfec4f55d719cbf648b35563d2ac1178b32f064e5bf1a093cf1d6")
        #expect(try FactorKeyEncryptionKey.biometry(SecretBytes(biometry + biometry)).rawData == biometry + biometry)
        for count in [0, 15, 17, 31, 33] {
            #expect(throws: ProtocolError.self) {
                try FactorKeyEncryptionKey.biometry(SecretBytes(Data(count: count)))
            }
        }
    }

    @Test func `Keys have thirty-two bytes and show none of them`() throws {
        for count in [0, 16, 31, 33] {
            #expect(throws: ProtocolError.invalidLength(field: "Token", expected: "32 bytes", actual: count)) {
                try TokenSecret256(Data(count: count))
            }
        }
        let key = try TokenSecret256(counting(32, from: 1))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "Token(32 bytes)" && !dumped.contains("SecretBytes"))
        #expect(key == (try TokenSecret256(counting(32, from: 1))) && key != .random())
        #expect(key.converted(to: KeyPurpose.Knowledge.self).rawData == key.rawData)
    }
}
