// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@Suite("Vault and factor keys", .endsInTime)
struct VaultTests {
    let keys = DerivedKeys(masterSecret: .random())

    @Test func `Only the transport key opens the vault key`() throws {
        let wrapped = try Vault.wrap(keys.vault, transportKey: keys.transport)
        #expect(wrapped.count == 32)
        #expect(try Vault.unwrap(wrapped, transportKey: keys.transport) == keys.vault)
        // A changed bit either breaks the padding or changes the key, never passes as the same key.
        for bit in 0..<256 {
            #expect((try? Vault.unwrap(wrapped.flippingBit(bit), transportKey: keys.transport)) != keys.vault)
        }
        #expect((try? Vault.unwrap(wrapped, transportKey: .random())) != keys.vault)
    }

    @Test func `Unaligned cipher texts are refused before decryption`() {
        for size in [0, 1, 15, 17, 31, 33] {
            #expect(throws: ProtocolError.self, "\(size)") {
                try Vault.unwrap(Data(count: size), transportKey: keys.transport)
            }
            #expect(throws: ProtocolError.self, "\(size)") { try Vault.open(Data(count: size), vaultKey: keys.vault) }
        }
    }

    @Test func `A vault key must have sixteen bytes`() throws {
        for size in [0, 15, 17, 32] {
            let wrapped = try AESCBC.encrypt(Data(count: size), key: keys.transport, padding: .pkcs7)
            #expect(throws: ProtocolError.self) { try Vault.unwrap(wrapped, transportKey: keys.transport) }
        }
    }

    @Test func `Derived keys depend on the index only`() {
        #expect(Vault.encryptionKey(keys.vault, index: 1) == Vault.encryptionKey(keys.vault, index: 1))
        let indexes: [UInt64] = [0, 1, 2, 1000, UInt64(Int64.max), .max]
        let derived = indexes.map { Vault.encryptionKey(keys.vault, index: $0).rawData }
        #expect(Set(derived).count == indexes.count)
    }

    @Test func `The device key is recovered and proves the vault key`() throws {
        let device = try PrivateKey.generate()
        let server = try PrivateKey.generate()
        let derived = DerivedKeys(masterSecret: try .derive(private: device, public: server.publicKey))
        let sealed = try Vault.seal(device, vaultKey: derived.vault)
        #expect(sealed.count % 16 == 0)
        #expect(try Vault.openDeviceKey(sealed, vaultKey: derived.vault).publicKey == device.publicKey)
        let recovered = try Vault.recoverKeys(
            encryptedDeviceKey: sealed, vaultKey: derived.vault, serverPublicKey: server.publicKey)
        #expect(recovered.biometry == derived.biometry)
        #expect(throws: ProtocolError.self) {
            try Vault.recoverKeys(
                encryptedDeviceKey: sealed, vaultKey: derived.vault, serverPublicKey: device.publicKey)
        }
        #expect(throws: ProtocolError.self) {
            try Vault.recoverKeys(encryptedDeviceKey: sealed, vaultKey: .random(), serverPublicKey: server.publicKey)
        }
    }

    @Test func `Secrets of any size are kept`() throws {
        for size in 0...40 {
            let secret = Random.bytes(size)
            let sealed = try Vault.seal(SecretBytes(secret), vaultKey: keys.vault)
            #expect(try Vault.open(sealed, vaultKey: keys.vault).rawData == secret)
        }
    }

    @Test func `A wrong password gives a wrong key without error`() throws {
        let salt = Random.nonZeroBytes(16)
        let right = try UnlockKey.knowledge(password: SecretBytes("1234".utf8Data), salt: salt)
        let wrong = try UnlockKey.knowledge(password: SecretBytes("1235".utf8Data), salt: salt)
        let protected = try FactorKeyProtection.protect(keys.knowledge, unlockKey: right)
        #expect(try FactorKeyProtection.recover(protected, unlockKey: right) == keys.knowledge)
        #expect(try FactorKeyProtection.recover(protected, unlockKey: wrong) != keys.knowledge)
    }

    @Test func `External keys wrap and unwrap`() throws {
        let unlock = UnlockKey.random()
        let external = ExternalEncryptionKey.random()
        let plain = try FactorKeyProtection.protect(keys.biometry, unlockKey: unlock)
        let wrapped = try FactorKeyProtection.wrap(plain, externalKey: external)
        #expect(wrapped != plain)
        #expect(try FactorKeyProtection.recover(wrapped, unlockKey: unlock, externalKey: external) == keys.biometry)
        #expect(try FactorKeyProtection.recover(wrapped, unlockKey: unlock) != keys.biometry)
        for size in [0, 15, 17, 32] {
            let data = Data(count: size)
            #expect(throws: ProtocolError.self) { try FactorKeyProtection.wrap(data, externalKey: external) }
            #expect(throws: ProtocolError.self) { try FactorKeyProtection.unwrap(data, externalKey: external) }
            #expect(throws: ProtocolError.self) {
                try FactorKeyProtection.recover(data, unlockKey: unlock, as: KeyPurpose.Biometry.self)
            }
        }
    }

    @Test func `Unlock keys are validated`() throws {
        let salt = Random.nonZeroBytes(16)
        for size in 0..<4 {
            #expect(throws: ProtocolError.invalidLength(field: "password", expected: "4 bytes or more", actual: size)) {
                try UnlockKey.knowledge(password: SecretBytes(Data(repeating: 0x31, count: size)), salt: salt)
            }
        }
        #expect(throws: Never.self) { try UnlockKey.knowledge(password: SecretBytes("ěš".utf8Data), salt: salt) }
        #expect(throws: ProtocolError.self) {
            try UnlockKey.knowledge(password: SecretBytes("1234".utf8Data), salt: salt, iterations: 9_999)
        }
        let (password, fixed) = (SecretBytes("1234".utf8Data), counting(16, from: 0))
        for iterations in [10_000, 10_001] {
            #expect(
                try UnlockKey.knowledge(password: password, salt: fixed, iterations: iterations)
                    == KDF.pbkdf2(password: password, salt: fixed, iterations: iterations))
        }
        #expect(
            try UnlockKey.knowledge(password: password, salt: fixed)
                != KDF.pbkdf2(password: password, salt: fixed, iterations: 10_001))
        for data in [Data(), Data(count: 16), Random.nonZeroBytes(15), Random.nonZeroBytes(17)] {
            #expect(throws: ProtocolError.self) { try UnlockKey(validating: data) }
        }
        #expect(throws: Never.self) { try UnlockKey(validating: Data(count: 15) + [1]) }
    }
}
