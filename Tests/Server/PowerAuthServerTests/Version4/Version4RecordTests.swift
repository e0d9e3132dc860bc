// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

/// What the server keeps for protocol 4.
@Suite("Stored keys of protocol 4", .endsInTime)
struct Version4RecordTests {
    private static let plain = Version4Record(
        suiteName: .ecP384, deviceKeys: EncodedSuiteKeys(ecdsa: Data([1])),
        serverKeys: EncodedSuiteKeys(ecdsa: Data([2])),
        serverPrivateKeys: StoredSecret(mode: 0, bytes: Data([3])), secrets: StoredSecret(mode: 2, bytes: Data([4])))

    private static let full = Version4Record(
        suiteName: .ecP384MLL5, deviceKeys: EncodedSuiteKeys(ecdsa: Data([5]), mldsa: Data([6])),
        serverKeys: EncodedSuiteKeys(ecdsa: Data([7]), mldsa: Data([8])),
        serverPrivateKeys: StoredSecret(mode: 2, bytes: Data([9])), secrets: StoredSecret(mode: 0, bytes: Data([10])),
        isConfirmationPending: true,
        upgrade: Version4Record.Upgrade(counter: .max, counterData: Data(repeating: 11, count: 32)))

    private static let binding = DeviceBinding(
        devicePublicKey: Data(repeating: 4, count: 97), counter: 3, counterData: Data(repeating: 5, count: 32),
        version: 4)

    @Test func `An activation of protocol 4 is read as it was written, and without its keys counts as removed`() throws
    {
        let fixture = try ServerFixture()
        let context = fixture.server.services.context
        let inserted = try context.change { change in
            let application = try #require(try ApplicationStore.find(change.database, id: "lab"))
            let pair = try #require(try ApplicationStore.masterKeyPair(change.database, of: application))
            let activation = Activation.sample(
                .created(expires: change.now), of: application, masterKeyPairRow: pair.row)
            try ActivationStore.insert(change.database, activation)
            return activation
        }
        for record in [Self.plain, Self.full, Self.plain] {
            var changed = inserted
            changed.lifecycle = .active(Self.binding)
            changed.version4 = record
            let saved = changed
            try context.change { try ActivationStore.update($0.database, saved) }
            #expect(try context.read { try ActivationStore.find($0, id: "activation") } == saved)
        }
        try context.change { try $0.database.execute(sql: "DELETE FROM activation_v4") }
        #expect(try context.read { try ActivationStore.find($0, id: "activation") }?.status == .removed)
    }

    @Test func `Secrets are read as they were written, and nothing else is read as secrets`() throws {
        var secrets = ActivationSecrets(activation: .random(), hasBiometry: false)
        func check(_ size: Int) throws {
            let stored = secrets.encoded
            #expect(stored.count == size)
            let read = try ActivationSecrets(encoded: stored)
            #expect(read.activation == secrets.activation && read.knowledge.current == secrets.knowledge.current)
            #expect(read.knowledge.next == secrets.knowledge.next)
            #expect(read.biometry?.current == secrets.biometry?.current)
            #expect(read.biometry?.next == secrets.biometry?.next)
            for count in 0..<size {
                #expect(throws: ProtocolError.self) {
                    try ActivationSecrets(encoded: SecretBytes(stored.rawData.prefix(count)))
                }
            }
        }
        try check(65)
        secrets.knowledge.next = .random()
        try check(97)
        secrets.biometry = FactorKey(current: .random())
        try check(129)
        secrets.biometry?.next = .random()
        try check(161)
        secrets.knowledge.next = nil
        try check(129)
        for flags: UInt8 in [4, 5, 8, 255] {
            #expect(throws: ProtocolError.self) {
                try ActivationSecrets(
                    encoded: SecretBytes(Data([flags]) + Data(count: 32 * (2 + flags.nonzeroBitCount))))
            }
        }
    }

    @Test func `A code is tried with the present and the next key of each of its factors`() throws {
        var secrets = ActivationSecrets(activation: .random(), hasBiometry: false)
        #expect(secrets.candidates([.possession, .biometry]).isEmpty)
        secrets.biometry = FactorKey(current: .random(), next: .random())
        secrets.knowledge.next = .random()
        #expect(secrets.candidates(.possession).count == 1)
        #expect(secrets.candidates([.possession, .knowledge]).count == 2)
        let all = secrets.candidates([.possession, .knowledge, .biometry])
        #expect(all.count == 4)
        #expect(all[0].secrets.encoded.rawData == secrets.encoded.rawData)
        let moved = try #require(all.last)
        #expect(moved.keys.knowledge == secrets.knowledge.next && moved.keys.biometry == secrets.biometry?.next)
        #expect(moved.secrets.knowledge.current == secrets.knowledge.next && moved.secrets.knowledge.next == nil)
        #expect(moved.keys.factors == [.possession, .knowledge, .biometry])
    }

    @Test(arguments: [nil, Data(repeating: 7, count: 16)])
    func `Secrets are sealed with the key of the database, each for its own record`(key: Data?) throws {
        let seal = RecordSeal(key: key.flatMap { DatabaseEncryptionKey($0) })
        let secret = SecretBytes(Data([1, 2, 3]))
        let stored = try seal.seal(secret: secret, of: .suiteKeys(activationId: "a"))
        #expect(try seal.secret(stored, of: .suiteKeys(activationId: "a")).rawData == secret.rawData)
        guard key != nil else {
            #expect(stored.mode == 0 && stored.bytes == secret.rawData)
            return
        }
        #expect(stored.mode == 2)
        #expect(throws: ServiceError.self) { try seal.secret(stored, of: .suiteKeys(activationId: "b")) }
        #expect(throws: ServiceError.self) { try seal.secret(stored, of: .activationSecrets(activationId: "a")) }
        #expect(throws: ServiceError.self) {
            try RecordSeal(key: nil).secret(stored, of: .suiteKeys(activationId: "a"))
        }
        #expect(throws: ServiceError.self) {
            try seal.secret(StoredSecret(mode: 1, bytes: stored.bytes), of: .suiteKeys(activationId: "a"))
        }
    }

    @Test func `A temporary key is read with its suite, or without`() throws {
        let context = try ServerFixture().server.services.context
        for suite in [nil] + CryptographySuite.Name.allCases.map({ $0 as CryptographySuite.Name? }) {
            let key = TemporaryKeyPair(
                id: Identifiers.uuid(), applicationKey: "application", activationId: nil,
                privateKey: StoredSecret(mode: 0, bytes: Data([1])), expires: ServerTime(milliseconds: 1), suite: suite)
            try context.change { try TemporaryKeyPairStore.insert($0.database, key) }
            let stored = try context.read { try TemporaryKeyPairStore.find($0, id: key.id) }
            #expect(try #require(stored).suite == suite)
        }
    }

    @Test func `An application has master keys for every suite, also one of an earlier server`() throws {
        let fixture = try ServerFixture()
        let services = fixture.server.services
        let application = try #require(try services.applications.list().first)
        let version = try #require(try services.applications.detail(id: application.id).versions.first?.version)
        func keys() throws -> [SuitePublicKeys] {
            let configuration = try SdkConfigurationV4(services.applications.mobileSdkConfigV4(version))
            let stored = try services.context.masterKeysV4(of: application)
            return try CryptographySuite.Name.allCases.map { name in
                let keys = try configuration.masterKeys(suite: .named(name))
                #expect(try stored.privateKeys(.named(name)).publicKeys == keys)
                return keys
            }
        }
        let first = try keys()
        #expect(try keys() == first)
        try services.context.change { try $0.database.execute(sql: "DELETE FROM master_key_v4") }
        let second = try keys()
        #expect(try second != first && keys() == second)
    }

    @Test func `An application allows the algorithms that it is configured with, or all`() async throws {
        let fixture = try ServerFixture()
        try await fixture.run { client in
            func suites() throws -> [CryptographySuite.Name] {
                let context = fixture.server.services.context
                return try context.read { try ApplicationStore.required($0, id: "lab") }.suites
            }
            let key = ["applicationId": "lab", "key": "cryptography_algorithms_supported"]
            func configure(_ values: [String]) async throws -> Answer {
                try await client.backOffice(
                    "application/config/create",
                    [
                        "applicationId": "lab", "key": "cryptography_algorithms_supported", "values": values,
                    ])
            }
            #expect(try suites() == CryptographySuite.Name.allCases)
            #expect(try await configure(["EC_P256", "EC_P384_ML_L3"]).status == 200)
            #expect(try suites() == [.ecP384MLL3])
            #expect(try await configure(["EC_P521"]).code == "ERR0024")
            try await client.backOffice("application/config/remove", key).expectOK()
            #expect(try suites() == CryptographySuite.Name.allCases)
        }
    }
}
