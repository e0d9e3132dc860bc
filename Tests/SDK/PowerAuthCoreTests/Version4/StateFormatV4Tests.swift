// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthPostQuantum
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// sharing.md, section 13.
@Suite("Protocol 4: the serialized state", .endsInTime)
struct StateFormatV4Tests {
    /// A record with another value in every field. Its keys are those of nothing.
    private func record(_ suite: CryptographySuite, biometry: Bool = true, byte: UInt8? = 0xAB) throws
        -> ActivationRecordV4
    {
        let container: Data? = suite == .ecP384 ? nil : Data([7, 8, 9])
        return ActivationRecordV4(
            suite: suite, activationId: "id", counter: try HashBasedCounter(Data(repeating: 0x10, count: 32)),
            counterByte: byte, passwordSalt: Data(repeating: 0x11, count: 32),
            possessionKey: Data(repeating: 0x12, count: 48), knowledgeKey: Data(repeating: 0x13, count: 48),
            biometryKey: biometry ? Data(repeating: 0x14, count: 48) : nil, utilityKey: Data([1, 2, 3]),
            serverPublicKeys: EncodedSuiteKeys(ecdsa: Data([4, 5]), mldsa: container),
            devicePublicKeys: EncodedSuiteKeys(ecdsa: Data([6]), mldsa: container), devicePrivateKeys: Data([1, 1, 1]))
    }

    private func version3() throws -> ActivationRecord {
        let data = try #require(Data(base64Encoded: SessionStateFormatTests.version6))
        return try #require(try SessionStateCoding.decode(data))
    }

    /// An activation of version 3 whose upgrade is not confirmed.
    private func upgrading(_ suite: CryptographySuite) throws -> ActivationRecord {
        var older = try version3()
        var upgrade = try record(suite)
        upgrade = ActivationRecordV4(
            suite: suite, activationId: older.activationId, counter: upgrade.counter, counterByte: nil,
            passwordSalt: upgrade.passwordSalt, possessionKey: upgrade.possessionKey,
            knowledgeKey: upgrade.knowledgeKey, biometryKey: nil, utilityKey: upgrade.utilityKey,
            serverPublicKeys: upgrade.serverPublicKeys, devicePublicKeys: upgrade.devicePublicKeys,
            devicePrivateKeys: upgrade.devicePrivateKeys)
        older.upgrade = upgrade
        return older
    }

    private func decode(_ data: Data) throws -> StoredActivation? {
        try SessionStateCoding.decode(data, suites: ServerV4.suites)
    }

    @Test func `Every field is at its place`() throws {
        func counted(_ bytes: Data) -> Data { Data([UInt8(bytes.count)]) + bytes }
        func filled(_ byte: UInt8, _ count: Int) -> Data { counted(Data(repeating: byte, count: count)) }
        var bytes = Data("PA".utf8) + Data([0x02, 0x50, 0x37, 0])
        bytes += counted(Data("EC_P384_ML_L3".utf8)) + counted(Data("id".utf8)) + filled(0x10, 32) + Data([1, 0xAB])
        bytes += filled(0x11, 32) + filled(0x12, 48) + filled(0x13, 48) + filled(0x14, 48) + Data([3, 1, 2, 3])
        bytes += Data([2, 4, 5, 3, 7, 8, 9, 1, 6, 3, 7, 8, 9, 3, 1, 1, 1])
        let state = StoredActivation.version4(try record(.named(.ecP384MLL3)))
        #expect(SessionStateCoding.encode(activation: state) == bytes + Digest.sha256(bytes))
        #expect(try decode(bytes + Digest.sha256(bytes)) == state)
        #expect(SessionStateCoding.encode(activation: nil) == Data([0x50, 0x41, 0x00]))
        #expect(try decode(Data([0x50, 0x41, 0x00])) == nil)
    }

    @Test(arguments: ServerV4.suites, [false, true])
    func `Activations of all suites are read as they were written`(suite: CryptographySuite, isFull: Bool) throws {
        let record = try record(suite, biometry: isFull, byte: isFull ? 0 : nil)
        let states = [StoredActivation.version4(record), .version3(try upgrading(suite)), .version3(try version3())]
        for state in states {
            let written = SessionStateCoding.encode(activation: state)
            #expect(try decode(written) == state)
            #expect(SessionStateCoding.encode(activation: try decode(written)) == written)
        }
    }

    @Test func `A session without suites refuses keys of protocol 4, and reads everything else`() throws {
        let newer = ProtocolError.invalidFormat(field: "data version", reason: "it is not 3, 4, 5 or 6")
        for state in [StoredActivation.version4(try record(.ecP384)), .version3(try upgrading(.ecP384))] {
            let written = SessionStateCoding.encode(activation: state)
            #expect(throws: newer) { try SessionStateCoding.decode(written) }
            #expect(throws: newer) { try SessionStateCoding.decode(written, suites: []) }
        }
        for text in [SessionStateFormatTests.version6, SessionStateFormatTests.version3] {
            let data = try #require(Data(base64Encoded: text))
            let record = try #require(try SessionStateCoding.decode(data))
            #expect(try SessionStateCoding.decode(data, suites: []) == .version3(record))
            #expect(try decode(data) == .version3(record))
        }
        let client = try ClientV4.activated()
        let old = try #require(PowerAuthCoreSessionSetup(configuration: try client.server.configuration))
        let session = try #require(PowerAuthCoreSession(sessionSetup: old, timeService: client.time))
        #expect(!session.deserializeState(client.session.serializedState()))
        #expect(session.canStartActivation && session.serializedState() == Data([0x50, 0x41, 0x00]))
    }

    @Test func `A suite that the session does not have is named`() throws {
        let written = SessionStateCoding.encode(activation: .version4(try record(.named(.ecP384MLL5))))
        #expect(
            throws: ProtocolError.invalidFormat(
                field: "suite", reason: "EC_P384_ML_L5 is none of EC_P384, EC_P384_ML_L3")
        ) { try SessionStateCoding.decode(written, suites: [.ecP384, .named(.ecP384MLL3)]) }
    }

    @Test(arguments: ServerV4.suites)
    func `Every changed, missing or further byte is refused`(suite: CryptographySuite) throws {
        let client = try ClientV4.activated(suite: suite, biometry: true)
        let whole = client.session.serializedState()
        let damaged = ProtocolError.invalidFormat(
            field: "checksum", reason: "the state was changed after it was written")
        #expect(try decode(whole) != nil)
        // The first five bytes say which format it is; the others are under the checksum.
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1 << (index % 8)
            if index < 5 {
                #expect(throws: ProtocolError.self, "byte \(index)") { try decode(changed) }
            } else {
                #expect(throws: damaged, "byte \(index)") { try decode(changed) }
            }
        }
        for length in 0..<whole.count where length < 80 || length % 61 == 0 || length > whole.count - 40 {
            #expect(throws: ProtocolError.self, "\(length) bytes") { try decode(whole.prefix(length)) }
        }
        #expect(throws: damaged) { try decode(whole + [0]) }
        #expect(!client.session.deserializeState(whole + [0]))
        #expect(client.session.canStartActivation && client.session.temporaryKeyIdV4(for: .activation) == nil)
    }

    @Test func `Every bit of the shortest state matters`() throws {
        let whole = SessionStateCoding.encode(activation: .version4(try record(.ecP384)))
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << bit
                #expect(throws: ProtocolError.self, "byte \(index), bit \(bit)") { try decode(changed) }
            }
        }
    }

    /// A state whose checksum is right and whose fields are these.
    private func state(_ fields: [Data]) -> Data {
        var bytes = Data("PA".utf8) + Data([0x02, 0x50, 0x37])
        for field in fields { bytes += (CountEncoding.encode(field.count) ?? Data()) + field }
        return bytes + Digest.sha256(bytes)
    }

    @Test func `A field of an unacceptable size is named, and so is one that is missing`() throws {
        func filled(_ count: Int) -> Data { Data(repeating: 0x10, count: count) }
        let usable: [(name: String, bytes: Data)] = [
            ("state of protocol 3", Data()), ("suite", Data("EC_P384".utf8)), ("activation id", Data("id".utf8)),
            ("counter data", filled(32)), ("counter byte", filled(1)), ("password salt", filled(32)),
            ("possession key", filled(48)), ("knowledge key", filled(48)), ("biometry key", filled(48)),
            ("utility key", filled(9)), ("server public keys", filled(9)), ("server container", Data()),
            ("device public keys", filled(9)), ("device container", Data()), ("device private keys", filled(9)),
        ]
        let fields = usable.map(\.bytes)
        #expect(try decode(state(fields)) != nil)
        for (index, name) in usable.map(\.name).enumerated() {
            let field = name.replacingOccurrences(of: "container", with: "public keys")
            #expect(throws: ProtocolError.missing(field: field)) { try decode(state(Array(fields.prefix(index)))) }
        }
        #expect(throws: ProtocolError.invalidFormat(field: "state", reason: "more bytes follow")) {
            try decode(state(fields + [Data()]))
        }
        func length(_ field: String, _ expected: String, _ actual: Int) -> ProtocolError {
            .invalidLength(field: field, expected: expected, actual: actual)
        }
        func keys(_ field: String) -> ProtocolError {
            .invalidFormat(field: field, reason: "they are not those of EC_P384")
        }
        let rows: [(index: Int, bytes: Data, error: ProtocolError)] = [
            (2, Data(), .missing(field: "activation id")),
            (2, Data([0xC3, 0x28]), .invalidEncoding(field: "activation id")),
            (3, filled(16), length("counter data", "32 bytes", 16)),
            (4, filled(2), length("counter byte", "1 byte or none", 2)),
            (5, filled(31), length("password salt", "32 bytes or more", 31)),
            (6, filled(47), length("possession key", "48 bytes", 47)),
            (7, filled(49), length("knowledge key", "48 bytes", 49)),
            (8, filled(16), length("biometry key", "48 bytes", 16)), (9, Data(), .missing(field: "utility key")),
            (10, Data(), keys("server public keys")), (11, filled(9), keys("server public keys")),
            (12, Data(), keys("device public keys")), (13, filled(9), keys("device public keys")),
            (14, Data(), .missing(field: "device private keys")),
        ]
        for row in rows {
            var changed = fields
            changed[row.index] = row.bytes
            #expect(throws: row.error, "\(usable[row.index].name)") { try decode(state(changed)) }
        }
        // The state of version 3 must be one, with an activation, and with this one.
        let other = try #require(Data(base64Encoded: SessionStateFormatTests.version6))
        for older in [Data([0x50, 0x41, 0x00]), other] {
            var changed = fields
            changed[0] = older
            #expect(
                throws: ProtocolError.invalidFormat(
                    field: "state of protocol 3", reason: "it is not of the activation that is upgraded")
            ) { try decode(state(changed)) }
        }
        var changed = fields
        changed[0] = Data([1, 2, 3])
        #expect(throws: ProtocolError.self) { try decode(state(changed)) }
    }

    @Test func `A state that was read keeps only the temporary keys of its own keys`() throws {
        let client = try ClientV4.activated()
        let state = client.session.serializedState()
        #expect(client.session.deserializeState(state))
        #expect(client.session.temporaryKeyIdV4(for: .activation) != nil)
        let other = try ClientV4.activated()
        #expect(client.session.deserializeState(other.session.serializedState()))
        #expect(client.session.temporaryKeyIdV4(for: .activation) == nil)
        #expect(client.session.temporaryKeyIdV4(for: .application) != nil)
    }
}
