// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Records at rest", .endsInTime)
struct RecordSealTests {
    private static let key = Data(0..<16)

    /// A server over the same directory each time, with or without a key.
    private struct World {
        let directory: TemporaryDirectory
        let clock = TestClock()

        init() throws { directory = try TemporaryDirectory() }

        func start(_ key: Data?) throws -> ServerFixture {
            try ServerFixture(directory: directory, clock: clock) {
                $0.databaseEncryptionKey = key.flatMap(DatabaseEncryptionKey.init)
            }
        }

        /// The content of the file without its key: how each secret is stored, and how many bytes it has.
        func secrets(_ sql: String) async throws -> [[Int]] {
            try await StoredDatabase.open(directory).read { try Row.fetchAll($0, sql: sql).map { [$0[0], $0[1]] } }
        }

        func edit(_ sql: String) async throws {
            try await StoredDatabase.open(directory).write { try $0.execute(sql: sql) }
        }
    }

    private func sign(_ client: ServerClient, _ device: TestDevice) async throws -> String {
        let answer = try await client.backOffice(
            "signature/ecdsa/sign", ["activationId": device.activationId, "data": "ZGF0YQ=="])
        return answer.code ?? "signed"
    }

    @Test func `No private key is in clear with a key, and everything works as without one`() async throws {
        let world = try World()
        try await world.start(Self.key).run { client in
            for version in [ProtocolVersion.v3_1, .v3_3] {
                var device = try await client.activeDevice(version)
                #expect(try await device.validateSignature() == 200)
                _ = try await device.createToken()
                #expect(try await sign(client, device) == "signed")
            }
            try await client.enableRecovery([
                "recoveryPostcardEnabled": true, "allowMultipleRecoveryCodes": true,
                "remotePostcardPublicKey": StrictBase64.encode(try PrivateKey.generate().publicKey.uncompressed),
            ])
            try await client.backOffice(
                "recovery/create", ["applicationId": "lab", "userId": "alice", "pukCount": 1]
            ).expectOK()
        }
        let secrets = try await world.secrets(
            """
            SELECT server_private_mode, LENGTH(server_private) FROM activation
            UNION ALL SELECT private_key_mode, LENGTH(private_key) FROM temporary_key
            UNION ALL SELECT postcard_private_mode, LENGTH(postcard_private) FROM recovery_config
            """)
        #expect(secrets.count >= 4)
        // A key, filled up to whole blocks, behind the vector: one key in 256 begins with a zero, is stored without it, and
        // needs a block less.
        #expect(secrets.allSatisfy { $0 == [1, 64] || $0 == [1, 48] }, "\(secrets)")
    }

    @Test func `A sealed key opens with its database key only, and what needs none is served without`() async throws {
        let world = try World()
        let device = try await world.start(Self.key).run { try await $0.activeDevice() }
        func answer(_ key: Data?) async throws -> String {
            try await world.start(key).run { client in
                let list = try await client.backOffice("activation/list", ["userId": "alice"])
                #expect(list.text("activations.0.activationStatus") == "ACTIVE")
                return try await sign(client, device)
            }
        }
        #expect(try await answer(nil) == "ERR0020")
        #expect(try await answer(Data(repeating: 7, count: 16)) == "ERR0022")
        #expect(try await answer(Self.key) == "signed")
        try await world.edit("UPDATE activation SET server_private_mode = 2")
        #expect(try await answer(Self.key) == "ERR0021")
    }

    @Test func `What was stored in clear opens with a key, too`() async throws {
        let world = try World()
        let device = try await world.start(nil).run { try await $0.activeDevice() }
        try await world.start(Self.key).run { (client: ServerClient) async throws in
            #expect(try await sign(client, device) == "signed")
        }
    }

    @Test func `A sealed key does not open in the row of another activation`() async throws {
        let world = try World()
        let devices = try await world.start(Self.key).run { client in
            [try await client.activeDevice(), try await client.activeDevice()]
        }
        try await world.edit(
            """
            UPDATE activation SET server_private =
                (SELECT server_private FROM activation WHERE activation_id = '\(devices[1].activationId)')
            """)
        try await world.start(Self.key).run { (client: ServerClient) async throws in
            #expect(try await sign(client, devices[0]) == "ERR0022")
            #expect(try await sign(client, devices[1]) == "signed")
        }
    }

    @Test func `A record is sealed as the original seals it`() throws {
        let key = try #require(DatabaseEncryptionKey(Self.key))
        let secret = Data((0..<32).map { $0 &* 3 })
        let sealed = try RecordSeal(key: key).seal(secret, of: .serverKey(userId: "alice", activationId: "0123456789"))
        #expect(sealed.mode == 1)
        // fold16(HMAC-SHA256(database key, "userId&activationId")), then AES-128-CBC with the vector in front.
        #expect(try Self.opened(sealed, Self.key) == secret)
        #expect(DatabaseEncryptionKey(Data(count: 15)) == nil)
    }

    @Test func `A wrong database key is reported as such, even if the padding looks valid`() throws {
        // The short secret fills one block less: what a wrong key makes of it has the size of a private key.
        for secret in [Data(repeating: 5, count: 32), Data(repeating: 5, count: 31)] {
            let record = SealedRecord.serverKey(userId: "alice", activationId: "0123456789")
            let sealed = try RecordSeal(key: DatabaseEncryptionKey(Self.key)).seal(secret, of: record)
            let publicKey = try PrivateKey(bigEndian: secret).publicKey.uncompressed
            // One key in 256 passes the padding: of 10,000 none does once in 10^17 times.
            let keys = (1...10_000).lazy.map(Self.wrongKey)
            let wrong = try #require(keys.first { (try? Self.opened(sealed, $0)) != nil })
            let seal = RecordSeal(key: DatabaseEncryptionKey(wrong))
            let error = #expect(throws: ServiceError.self) { try seal.open(sealed, of: record, publicKey: publicKey) }
            #expect(error?.code == .genericCryptographyError)
        }
    }

    private static func wrongKey(_ number: Int) -> Data {
        Data((0..<16).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// The plaintext of a server key of Alice's activation, opened only by the rules of server.md, section 25.
    private static func opened(_ sealed: StoredSecret, _ key: Data) throws -> Data {
        let derived = try KDF.internalDerive(
            SymmetricKey<Derived>(key), data: Data("alice&0123456789".utf8), as: Derived.self)
        return try AESCBC.decrypt(
            Data(sealed.bytes.dropFirst(16)), key: derived, iv: Data(sealed.bytes.prefix(16)), padding: .pkcs7)
    }

    private enum Derived {}
}
