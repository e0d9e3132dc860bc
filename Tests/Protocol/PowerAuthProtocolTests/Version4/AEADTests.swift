// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Protocol 4: encryption of messages and of factor keys", .endsInTime)
struct AEADTests {
    private typealias Key = Key256<KeyPurpose.Envelope>

    @Test(VectorsV4.condition) func `Sealed messages are the vendor's`() throws {
        for (index, record) in try VectorsV4.records("aead").enumerated() {
            let key = try Key(record.bytes("key"))
            let context = try record.bytes("keyContext")
            let data = try record.bytes("associatedData")
            let plaintext = try record.bytes("plaintext")
            let sealed = try record.bytes("sealed")
            #expect(
                try AEAD.seal(
                    plaintext, key: key, keyContext: context, associatedData: data, nonce: record.bytes("nonce"))
                    == sealed)
            let slice = try (Data([9]) + record.bytes("nonce")).dropFirst()
            let again = try AEAD.seal(plaintext, key: key, keyContext: context, associatedData: data, nonce: slice)
            #expect(again == sealed && again.startIndex == 0)
            #expect(try AEAD.open(sealed, key: key, keyContext: context, associatedData: data) == plaintext)
            #expect(
                try AEAD.openSecret(sealed, key: key, keyContext: context, associatedData: data).rawData == plaintext)
            // A slice has other indices.
            #expect(
                try AEAD.open(
                    (Data([9]) + sealed).dropFirst(), key: key, keyContext: context, associatedData: data) == plaintext)

            for bit in [0, 8 * 12, 8 * 44, sealed.count * 8 - 1].map({ $0 + index }) {
                #expect(throws: ProtocolError.macMismatch) {
                    try AEAD.open(sealed.flippingBit(bit), key: key, keyContext: context, associatedData: data)
                }
            }
            #expect(throws: ProtocolError.macMismatch) {
                try AEAD.open(sealed, key: key, keyContext: context.flippingBit(index), associatedData: data)
            }
            #expect(throws: ProtocolError.macMismatch) {
                try AEAD.open(sealed, key: key, keyContext: context, associatedData: data.flippingBit(index))
            }
            #expect(throws: ProtocolError.macMismatch) {
                try AEAD.open(
                    sealed, key: Key(key.rawData.flippingBit(index)), keyContext: context, associatedData: data)
            }
            #expect(throws: ProtocolError.macMismatch) {
                try AEAD.open(sealed.dropLast(), key: key, keyContext: context, associatedData: data)
            }
        }
    }

    @Test(arguments: [0, 1, 15, 16, 17, 255])
    func `A message of any size comes back`(count: Int) throws {
        let key = Key.random()
        let plaintext = counting(count, from: 3)
        let sealed = try AEAD.seal(plaintext, key: key, keyContext: Data(), associatedData: Data())
        #expect(sealed.count == count + AEAD.nonceSize + AEAD.tagSize)
        #expect(try AEAD.open(sealed, key: key, keyContext: Data(), associatedData: Data()) == plaintext)
        let again = try AEAD.seal(SecretBytes(plaintext), key: key, keyContext: Data(), associatedData: Data())
        #expect(again != sealed, "each has a nonce of its own")
    }

    @Test func `A message that is too short, and a nonce of another size, are refused`() {
        for count in [0, 11, 43] {
            #expect(
                throws: ProtocolError.invalidLength(
                    field: "encrypted data", expected: "44 bytes or more", actual: count)
            ) {
                try AEAD.open(Data(count: count), key: Key.random(), keyContext: Data(), associatedData: Data())
            }
        }
        for count in [0, 11, 13] {
            #expect(throws: ProtocolError.invalidLength(field: "nonce", expected: "12 bytes", actual: count)) {
                try AEAD.seal(
                    Data(), key: Key.random(), keyContext: Data(), associatedData: Data(), nonce: Data(count: count))
            }
        }
    }

    @Test func `A wrapped factor key has no check value: a wrong password gives another key`() throws {
        let factor = Key256<KeyPurpose.Knowledge>.random()
        let (kek, wrong) = (FactorKeyEncryptionKey.random(), FactorKeyEncryptionKey.random())
        let wrapped = FactorKeyWrapping.wrap(factor, under: kek)
        #expect(wrapped.count == FactorKeyWrapping.size && FactorKeyWrapping.wrap(factor, under: kek) != wrapped)
        #expect(try FactorKeyWrapping.unwrap(wrapped, under: kek) == factor)
        #expect(try FactorKeyWrapping.unwrap(wrapped, under: wrong, as: KeyPurpose.Knowledge.self) != factor)
        for count in [0, 32, 47, 49] {
            #expect(
                throws: ProtocolError.invalidLength(field: "wrapped factor key", expected: "48 bytes", actual: count)
            ) {
                try FactorKeyWrapping.unwrap(Data(count: count), under: kek, as: KeyPurpose.Knowledge.self)
            }
        }
    }

    @Test func `A wrapped factor key is AES-256 in counter mode behind its initial counter`() throws {
        // NIST SP 800-38A, F.5.5: the first two blocks of CTR-AES256.
        let kek = try FactorKeyEncryptionKey(
            hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"))
        let wrapped = hex(
            """
            f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff
            601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5
            """)
        let key: Key256<KeyPurpose.Possession> = try FactorKeyWrapping.unwrap(wrapped, under: kek)
        #expect(key.rawData == hex("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"))
    }
}
