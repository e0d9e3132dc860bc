// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Primitives", .endsInTime)
struct PrimitiveTests {
    @Test(
        arguments: [
            ("96c05619d56c328ab95fe84b18264b08725b85e33fd34f08", "", "443024c3dae66b95e6f5670601558f71"),
            (
                "22518b10e70f2a3f243810ae3254139efbee04aa57c7af7d", "75eef81aa3041e33b80971203d2c0c52",
                """
                c498af77161cc59f2962b9a713e2b215152d139766ce34a776df11866a69bf2e52a13d9c7c6fc878c50c5ea0bc7b00e0\
                da2447cfd874f6cf92f30d0097111485500c90c3af8b487872d04685d14c8d1dc8d7fa08beb0ce0ababc11f0bd496269\
                142d43525a78e5bc79a17f59676a5706dc54d54d4d1f0bd7e386128ec26afc21
                """
            ),
        ])
    func `NIST CAVP, ANSI X9.63 with SHA-256`(secret: String, info: String, expected: String) {
        let output = KDF.x963(secret: SecretBytes(hex(secret)), info: hex(info), length: expected.count / 2)
        #expect(output.rawData.hexText == expected)
    }

    @Test func `X9.63 derivation cuts to any length`() {
        let full = KDF.x963(secret: SecretBytes(Data([1])), info: Data(), length: 100).rawData
        for length in 0...100 {
            let part = KDF.x963(secret: SecretBytes(Data([1])), info: Data(), length: length)
            #expect(part.rawData == full.prefix(length))
        }
        #expect(KDF.x963(secret: SecretBytes(Data([1])), info: Data(), length: -1).count == 0)
    }

    @Test(
        arguments: [
            (
                Data(repeating: 0x0B, count: 20), "Hi There".utf8Data,
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                "Jefe".utf8Data, "what do ya want for nothing?".utf8Data,
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                Data(repeating: 0xAA, count: 20), Data(repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Data(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First".utf8Data,
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (Data(), Data(), "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ])
    func `RFC 4231`(key: Data, data: Data, expected: String) {
        #expect(Digest.hmacSHA256(key: key, data: data).hexText == expected)
    }

    @Test func `SHA-256 has its known values`() {
        #expect(
            Digest.sha256("abc".utf8Data).hexText == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(Digest.sha256(Data()).hexText == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    }

    @Test func `Padding round trips for every size`() throws {
        let key = VaultKey.random()
        for size in 0...65 {
            let data = Random.bytes(size)
            let encrypted = try AESCBC.encrypt(data, key: key, padding: .pkcs7)
            #expect(encrypted.count == (size / 16 + 1) * 16)
            #expect(try AESCBC.decrypt(encrypted, key: key, padding: .pkcs7) == data)
        }
    }

    @Test func `Wrong padding is refused`() throws {
        let key = VaultKey.random()
        func decrypt(_ plain: [UInt8]) throws -> Data {
            try AESCBC.decrypt(AESCBC.encrypt(Data(plain), key: key, padding: .none), key: key, padding: .pkcs7)
        }
        let block = [UInt8](repeating: 7, count: 16)
        #expect(throws: ProtocolError.decryptionFailed, "pad value 0") { try decrypt(block.dropLast() + [0]) }
        #expect(throws: ProtocolError.decryptionFailed, "pad value 17") { try decrypt(block.dropLast() + [17]) }
        #expect(throws: ProtocolError.decryptionFailed, "unequal pad bytes") {
            try decrypt(block.dropLast(2) + [3, 2])
        }
        #expect(try decrypt(block) == Data(block.prefix(9)))
        for size in [0, 1, 15, 17, 31] {
            #expect(throws: ProtocolError.self, "\(size) bytes") {
                try AESCBC.decrypt(Data(count: size), key: key, padding: .pkcs7)
            }
        }
        #expect(throws: ProtocolError.self) { try AESCBC.encrypt(Data(count: 15), key: key, padding: .none) }
        #expect(throws: ProtocolError.invalidLength(field: "iv", expected: "16 bytes", actual: 15)) {
            try AESCBC.encrypt(Data(count: 16), key: key, iv: Data(count: 15), padding: .none)
        }
    }

    @Test func `Internal derivation needs sixteen bytes`() throws {
        let key = TransportKey.random()
        #expect(throws: ProtocolError.self) { try KDF.internalDeriveBytes(key, data: Data(count: 15)) }
        #expect(try KDF.internalDeriveBytes(key, data: Data(count: 16)).count == 16)
        #expect(throws: ProtocolError.self) { try KDF.fold(Data(count: 31)) }
        #expect(try KDF.fold(Data(repeating: 5, count: 32)) == Data(count: 16))
        #expect(try KDF.fold(counting(16, from: 0) + Data(count: 16)) == counting(16, from: 0))
        #expect(try KDF.fold(Data(count: 16) + counting(16, from: 0)) == counting(16, from: 0))
        #expect(throws: ProtocolError.self) { try KDF.fold(Data(count: 33)) }
        #expect(throws: ProtocolError.self) {
            try KDF.internalDerive(key, data: Data(count: 15), as: KeyPurpose.Vault.self)
        }
    }

    @Test func `Password derivation refuses wrong parameters`() {
        let password = Data("1234".utf8)
        #expect(throws: ProtocolError.self) { try KDF.pbkdf2(password: password, salt: Data(count: 15), iterations: 1) }
        #expect(throws: ProtocolError.self) { try KDF.pbkdf2(password: password, salt: Data(count: 16), iterations: 0) }
        #expect(throws: Never.self) { try KDF.pbkdf2(password: Data(), salt: Data(count: 16), iterations: 1) }
    }

    @Test func `Password derivation has its known values`() throws {
        let (password, salt) = ("password".utf8Data, counting(16, from: 0))
        for (iterations, expected) in [
            (1, "58f23afa83968725c69af850a584d0f6"), (2, "86af744329cb3491015939e7388ca3af"),
        ] {
            let key = try KDF.pbkdf2(password: password, salt: salt, iterations: iterations)
            #expect(key.rawData.hexText == expected)
            #expect(try KDF.pbkdf2(password: SecretBytes(password), salt: salt, iterations: iterations) == key)
        }
        let tooMany = ProtocolError.invalidFormat(field: "iterations", reason: "must be 1 or more")
        for iterations in [-1, 0, Int(Int32.max) + 1] {
            #expect(throws: tooMany) { try KDF.pbkdf2(password: password, salt: salt, iterations: iterations) }
        }
        for count in [0, 15, 17] {
            #expect(throws: ProtocolError.invalidLength(field: "salt", expected: "16 bytes", actual: count)) {
                try KDF.pbkdf2(password: password, salt: Data(count: count), iterations: 1)
            }
        }
    }

    @Test(arguments: [0, 15, 16, 17])
    func `An initialisation vector has sixteen bytes, and enters the first block`(count: Int) throws {
        let (key, data) = (VaultKey.random(), counting(32, from: 0))
        let vector = counting(count, from: 1)
        guard count == 16 else {
            let error = ProtocolError.invalidLength(field: "iv", expected: "16 bytes", actual: count)
            #expect(throws: error) { try AESCBC.encrypt(data, key: key, iv: vector, padding: .pkcs7) }
            #expect(throws: error) { try AESCBC.decrypt(data, key: key, iv: vector, padding: .pkcs7) }
            return
        }
        let encrypted = try AESCBC.encrypt(data, key: key, iv: vector, padding: .none)
        #expect(encrypted.count == 32)
        #expect(try AESCBC.decrypt(encrypted, key: key, iv: vector, padding: .none) == data)
        let withZero = try AESCBC.decrypt(encrypted, key: key, padding: .none)
        #expect(
            withZero.prefix(16) == Data(zip(data, vector).map { $0 ^ $1 }) && withZero.suffix(16) == data.suffix(16))
    }

    @Test func `The constant-time comparison compares`() {
        #expect(constantTimeEquals(Data(), Data()))
        #expect(constantTimeEquals(Data([1, 2]), Data([1, 2])))
        #expect(!constantTimeEquals(Data([1, 2]), Data([1, 3])))
        #expect(!constantTimeEquals(Data([1, 2]), Data([1, 2, 3])))
        #expect(constantTimeEquals("12345678", "12345678"))
        #expect(!constantTimeEquals("12345678", "12345679"))
    }

    @Test func `Descriptions of keys show none of their bytes`() throws {
        let key = try TransportKey(counting(16, from: 1))
        var dumped = ""
        dump(key, to: &dumped)
        #expect("\(key)" == "Transport(16 bytes)")
        #expect(!dumped.contains("SecretBytes") && !dumped.contains("storage"))
        #expect(key.rawData == counting(16, from: 1))
        #expect(throws: ProtocolError.invalidLength(field: "Vault", expected: "16 bytes", actual: 15)) {
            try VaultKey(Data(count: 15))
        }
        #expect(throws: ProtocolError.self) { try CounterData(Data(count: 17)) }
    }

    @Test func `Wiped data is empty`() {
        var data = Data([1, 2, 3])
        wipe(&data)
        #expect(data.isEmpty)
    }

    @Test func `Wiped data leaves no bytes in its memory`() throws {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 7)
        var data = Data(bytesNoCopy: try #require(memory.baseAddress), count: memory.count, deallocator: .none)
        wipe(&data)
        #expect(memory.allSatisfy { $0 == 0 })
    }

    @Test func `Random values differ`() {
        #expect(Random.bytes(16) != Random.bytes(16))
        for count in [-1, 0] {
            #expect(Random.bytes(count).isEmpty && Random.nonZeroBytes(count).isEmpty)
            #expect(Random.nonZeroText(count).isEmpty)
        }
        #expect(Random.nonZeroBytes(17).count == 17 && Random.bytes(17).count == 17)
        #expect(StrictBase64.decode(Random.nonZeroText(17))?.count == 17)
        #expect(TransportKey.random() != TransportKey.random())
        #expect(!UnlockKey.random().isAllZero)
    }

    @Test func `Counter data of version 2 is read`() {
        #expect(CounterData(legacyCounter: 0x0102).rawData.hexText == "00000000000000000000000000000102")
    }

    @Test func `Versions are ordered and closed`() throws {
        #expect(ProtocolVersion.allCases == ProtocolVersion.allCases.sorted())
        #expect(try ProtocolVersion(header: "3.3") == .v3_3)
        for text in ["2.1", "3.4", "", "3", "3.30", " 3.3"] {
            #expect(throws: ProtocolError.unsupportedVersion(text)) { try ProtocolVersion(header: text) }
        }
    }
}
