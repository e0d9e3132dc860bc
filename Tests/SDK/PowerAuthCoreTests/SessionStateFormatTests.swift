// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// sharing.md, section 13.
@Suite("Sessions: the serialized state", .endsInTime)
struct SessionStateFormatTests {
    static let version6 =
        "UEECUDYQAAECAwQFBgcICQoLDA0ODyQ3YjJmMGM1Mi00ZDBhLTRiMGUtOWE1Ny0wZjNlOWYzZjJhMTEAACcQEBAREhMUFRYXGBkaGxwdHh8QICEiIyQlJicoKSorLC0uLxAwMTIzNDU2Nzg5Ojs8PT4/ABBAQUJDREVGR0hJSktMTU5PIQJQUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ubyEDcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo8wkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/AAAEAAAA"
    static let version3 =
        "UEECUDMAAAAAAAAAByQ3YjJmMGM1Mi00ZDBhLTRiMGUtOWE1Ny0wZjNlOWYzZjJhMTEAACcQEBAREhMUFRYXGBkaGxwdHh8QICEiIyQlJicoKSorLC0uLxAwMTIzNDU2Nzg5Ojs8PT4/ABBAQUJDREVGR0hJSktMTU5PIQJQUVJTVFVWV1hZWltcXV5fYGFiY2RlZmdoaWprbG1ubyEDcHFyc3R1dnd4eXp7fH1+f4CBgoOEhYaHiImKi4yNjo8wkJGSk5SVlpeYmZqbnJ2en6ChoqOkpaanqKmqq6ytrq+wsbKztLW2t7i5uru8vb6/AAAAAA=="

    private func record(_ text: String) throws -> ActivationRecord {
        let data = try #require(Data(base64Encoded: text))
        return try #require(try SessionStateCoding.decode(data))
    }

    @Test func `An empty session has three bytes`() throws {
        #expect(SessionStateCoding.encode(nil).base64EncodedString() == "UEEA")
        #expect(try SessionStateCoding.decode(Data([0x50, 0x41, 0x00])) == nil)
    }

    @Test func `Version 6 is read and written byte for byte`() throws {
        let record = try record(Self.version6)
        #expect(record.activationId == "7b2f0c52-4d0a-4b0e-9a57-0f3e9f3f2a11")
        #expect(record.counter == .hash(try CounterData(Data(0..<16)), byte: 0))
        #expect(record.biometryKey == nil && record.recoveryData == nil)
        #expect(SessionStateCoding.encode(record).base64EncodedString() == Self.version6)
    }

    @Test func `Version 3 is read and written byte for byte`() throws {
        let record = try record(Self.version3)
        #expect(record.counter == .numeric(7))
        #expect(record.protocolVersion == .V2)
        #expect(SessionStateCoding.encode(record).base64EncodedString() == Self.version3)
    }

    @Test func `Versions 4 and 5 are written as version 6`() throws {
        let six = [UInt8](try #require(Data(base64Encoded: Self.version6)))
        var five = six.dropLast()
        five[4] = 0x35
        var four = five.dropLast()
        four[4] = 0x34
        for old in [Data(five), Data(four)] {
            let record = try #require(try SessionStateCoding.decode(old))
            #expect(record.counter == .hash(try CounterData(Data(0..<16)), byte: nil), "the counter byte is unknown")
            let written = SessionStateCoding.encode(record)
            #expect(written[4] == 0x36)
            #expect(try SessionStateCoding.decode(written) == record)
        }
    }

    @Test(.verifies("size", "ActivationRecord.passwordIterations", "SymmetricKey.passwordIterations"))
    func `Fewer password iterations than ten thousand are refused`() throws {
        var record = try record(Self.version6)
        record.passwordIterations = 10_000
        #expect(try SessionStateCoding.decode(SessionStateCoding.encode(record)) == record)
        record.passwordIterations = 9_999
        #expect(throws: ProtocolError.self) { try SessionStateCoding.decode(SessionStateCoding.encode(record)) }
    }

    /// A record with another value in every field.
    private func full(
        counter: ActivationRecord.Counter, recovery: Data? = Data([8, 9])
    ) -> ActivationRecord {
        ActivationRecord(
            counter: counter, activationId: "id", passwordIterations: 20_000,
            passwordSalt: Data(repeating: 0x11, count: 16), possessionKey: Data(repeating: 0x12, count: 16),
            knowledgeKey: Data(repeating: 0x13, count: 16), biometryKey: Data(repeating: 0x14, count: 16),
            transportKey: Data(repeating: 0x15, count: 16), serverPublicKey: Data([1, 2]), devicePublicKey: Data([3]),
            devicePrivateKey: Data([4, 5, 6]), recoveryData: recovery, usesExternalEncryptionKey: true,
            pendingUpgradeVersion: .V3)
    }

    @Test func `Every field is at its place, in both forms, with all flags`() throws {
        func locked(_ byte: UInt8) -> Data { Data([16]) + Data(repeating: byte, count: 16) }
        var common = Data([2]) + Data("id".utf8) + Data([0x00, 0x00, 0x4E, 0x20])
        for byte in UInt8(0x11)...0x15 { common += locked(byte) }
        common += Data([2, 1, 2, 1, 3, 3, 4, 5, 6])
        // The external key is bit 1, the version of the pending upgrade begins at bit 2, a known counter byte is bit 10.
        let hash = full(counter: .hash(try CounterData(Data(repeating: 0x10, count: 16)), byte: 0xAB))
        let newest = Data("PA".utf8) + Data([0x02, 0x50, 0x36]) + locked(0x10) + common
        let newestBytes = newest + Data([0x00, 0x00, 0x04, 0x0E, 2, 8, 9, 0xAB])
        #expect(SessionStateCoding.encode(hash) == newestBytes)
        #expect(try SessionStateCoding.decode(newestBytes) == hash)
        let numeric = full(counter: .numeric(0x0102_0304_0506_0708), recovery: nil)
        let oldest = Data("PA".utf8) + Data([0x02, 0x50, 0x33, 1, 2, 3, 4, 5, 6, 7, 8]) + common
        let oldestBytes = oldest + Data([0x00, 0x00, 0x00, 0x0E])
        #expect(SessionStateCoding.encode(numeric) == oldestBytes)
        #expect(try SessionStateCoding.decode(oldestBytes) == numeric)
        // The byte counts only with its flag, and only in the version that has it.
        let unknown = newest + Data([0x00, 0x00, 0x00, 0x0E, 2, 8, 9, 0xAB])
        let withoutByte = full(counter: .hash(hash.counterData, byte: nil))
        #expect(try SessionStateCoding.decode(unknown) == withoutByte)
        let version5 = Data("PA".utf8) + Data([0x02, 0x50, 0x35]) + locked(0x10) + common
        let read = try SessionStateCoding.decode(version5 + Data([0x00, 0x00, 0x04, 0x0E, 2, 8, 9]))
        #expect(read == withoutByte)
        for flags in [UInt8(1 << 2), 4 << 2, 7 << 2] {
            #expect(throws: ProtocolError.self, "no such version") {
                try SessionStateCoding.decode(newest + Data([0x00, 0x00, 0x00, flags, 0, 0]))
            }
        }
        let noText =
            Data("PA".utf8) + Data([0x02, 0x50, 0x36]) + locked(0x10) + Data([2, 0xC3, 0x28]) + common.dropFirst(3)
        #expect(throws: ProtocolError.invalidEncoding(field: "activation id")) {
            try SessionStateCoding.decode(noText + Data([0, 0, 0, 0, 0, 0]))
        }
    }

    @Test func `A field of an unacceptable size is named`() {
        func mistake(_ change: (inout ActivationRecord) -> Void) -> ProtocolError? {
            var record = full(counter: .hash(.random(), byte: 0))
            change(&record)
            return thrown { try record.validate() } as? ProtocolError
        }
        #expect(mistake({ _ in }) == nil)
        for (field, name) in [
            (\ActivationRecord.passwordSalt, "password salt"), (\.possessionKey, "possession key"),
            (\.knowledgeKey, "knowledge key"), (\.transportKey, "transport key"),
        ] {
            for count in [0, 15, 17] {
                let expected = ProtocolError.invalidLength(field: name, expected: "16 bytes", actual: count)
                #expect(mistake({ $0[keyPath: field] = Data(count: count) }) == expected)
            }
        }
        let biometry = ProtocolError.invalidLength(field: "biometry key", expected: "16 bytes", actual: 15)
        #expect(mistake({ $0.biometryKey = Data(count: 15) }) == biometry)
        #expect(mistake({ $0.biometryKey = nil }) == nil)
        for (id, server, device, missing) in [
            ("", Data([1]), Data([1]), "activation id"), ("id", Data(), Data([1]), "server public key"),
            ("id", Data([1]), Data(), "device private key"),
        ] {
            let key = Data(count: 16)
            let record = ActivationRecord(
                counter: .numeric(1), activationId: id, passwordSalt: key, possessionKey: key, knowledgeKey: key,
                transportKey: key, serverPublicKey: server, devicePublicKey: Data(), devicePrivateKey: device)
            #expect(throws: ProtocolError.missing(field: missing)) { try record.validate() }
        }
    }

    @Test func `A counter moves by one, and begins again behind its greatest value`() {
        let data = CounterData.random()
        for (counter, next) in [
            (ActivationRecord.Counter.numeric(7), ActivationRecord.Counter.numeric(8)), (.numeric(.max), .numeric(0)),
            (.hash(data, byte: 7), .hash(data.next(), byte: 8)), (.hash(data, byte: 255), .hash(data.next(), byte: 0)),
            (.hash(data, byte: nil), .hash(data.next(), byte: nil)),
        ] {
            var record = full(counter: counter)
            record.advanceCounter()
            #expect(record.counter == next)
        }
    }

    /// The fields of the newest version in their order, with the bytes of a usable session.
    private static let fields: [(name: String, bytes: Data)] = {
        func key(_ byte: UInt8) -> Data { Data([16]) + Data(repeating: byte, count: 16) }
        return [
            ("magic", Data("PA".utf8)), ("content", Data([0x02])), ("tag", Data([0x50])),
            ("data version", Data([0x36])), ("counter data", key(0x10)), ("activation id", Data([2, 0x69, 0x64])),
            ("password iterations", Data([0x00, 0x00, 0x27, 0x10])), ("password salt", key(0x11)),
            ("possession key", key(0x12)), ("knowledge key", key(0x13)), ("biometry key", key(0x14)),
            ("transport key", key(0x15)), ("server public key", Data([2, 1, 2])),
            ("device public key", Data([1, 3])), ("device private key", Data([3, 4, 5, 6])),
            ("flags", Data([0x00, 0x00, 0x00, 0x00])), ("recovery data", Data([2, 8, 9])),
            ("counter byte", Data([0xAB])),
        ]
    }()

    /// A usable state in which a field has other bytes.
    private func state(_ field: String = "", _ bytes: [UInt8] = []) -> Data {
        Self.fields.reduce(into: Data()) { $0.append($1.name == field ? Data(bytes) : $1.bytes) }
    }

    @Test func `Data that end too early name the first field that is missing`() {
        var begin = Data()
        for (name, bytes) in Self.fields {
            let torn = begin + bytes.dropLast()
            #expect(throws: ProtocolError.missing(field: name)) { try SessionStateCoding.decode(torn) }
            begin += bytes
        }
        let numeric = Data("PA".utf8) + Data([0x02, 0x50, 0x33, 0, 0, 0, 0, 0, 0, 7])
        #expect(throws: ProtocolError.missing(field: "counter")) { try SessionStateCoding.decode(numeric) }
    }

    @Test func `Data that are refused name the field and the reason, each in its place`() throws {
        #expect(try SessionStateCoding.decode(state()) != nil)
        let rows: [(field: String, bytes: [UInt8], error: ProtocolError)] = [
            ("magic", [0x41, 0x50], .invalidFormat(field: "magic", reason: "it is not PA")),
            ("content", [0x00], .invalidFormat(field: "content", reason: "no activation follows")),
            ("content", [0x01], .invalidFormat(field: "content", reason: "no activation follows")),
            ("tag", [0x51], .invalidFormat(field: "content", reason: "no activation follows")),
            ("data version", [0x32], .invalidFormat(field: "data version", reason: "it is not 3, 4, 5 or 6")),
            ("data version", [0x37], .invalidFormat(field: "data version", reason: "it is not 3, 4, 5 or 6")),
            (
                "flags", [0x00, 0x00, 0x00, 0x10],
                .invalidFormat(field: "flags", reason: "version 4 of a pending upgrade is unknown")
            ),
            ("counter data", [1, 0x10], .invalidLength(field: "counter data", expected: "16 bytes", actual: 1)),
            ("counter data", [0], .invalidLength(field: "counter data", expected: "16 bytes", actual: 0)),
            ("activation id", [2, 0xC3, 0x28], .invalidEncoding(field: "activation id")),
            (
                "password iterations", [0x00, 0x00, 0x27, 0x0F],
                .invalidFormat(field: "password iterations", reason: "fewer than 10000")
            ),
            ("password salt", [1, 0x11], .invalidLength(field: "password salt", expected: "16 bytes", actual: 1)),
        ]
        for (field, bytes, error) in rows {
            let refused = state(field, bytes)
            #expect(throws: error, "\(field)") { try SessionStateCoding.decode(refused) }
        }
    }

    @Test(arguments: [version6, version3]) func `Truncated data are refused`(text: String) throws {
        let data = try #require(Data(base64Encoded: text))
        for length in 0..<data.count {
            #expect(throws: ProtocolError.self) { try SessionStateCoding.decode(data.prefix(length)) }
        }
    }

    @Test(arguments: [version6, version3])
    func `Any flipped bit is refused or decoded consistently`(text: String) throws {
        let data = try #require(Data(base64Encoded: text))
        for index in data.indices {
            for bit in 0..<8 {
                var changed = data
                changed[index] ^= 1 << bit
                guard let record = try? SessionStateCoding.decode(changed) else { continue }
                #expect(throws: Never.self) { try record.validate() }
                #expect(try SessionStateCoding.decode(SessionStateCoding.encode(record)) == record)
            }
        }
    }

    @Test func `Unknown and legacy formats are refused`() {
        let formats: [[UInt8]] = [
            [], [0x50], [0x50, 0x41], [0x50, 0x41, 0x4D], [0x41, 0x50, 0x00], [0x50, 0x41, 0x02, 0x50, 0x37],
            [0x50, 0x41, 0x00, 0x00], [0x50, 0x41, 0x01, 0x50, 0x36], [0x50, 0x41, 0x02, 0x51, 0x36],
            [0x50, 0x41, 0x02, 0x50, 0x32],
        ]
        for format in formats {
            #expect(throws: ProtocolError.self) { try SessionStateCoding.decode(Data(format)) }
        }
    }

    @Test func `Unusable state leaves the session empty`() throws {
        let fixture = try ClientFixture.activated()
        #expect(!fixture.session.deserializeState(Data([1, 2, 3])))
        #expect(fixture.session.canStartActivation)
        #expect(fixture.session.activationIdentifier == nil)
    }

    @Test func `A pending activation is not persisted`() throws {
        let fixture = try ClientFixture()
        _ = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        #expect(fixture.session.serializedState().base64EncodedString() == "UEEA")
    }

    @Test func `Saved state restores everything`() throws {
        let fixture = try ClientFixture()
        try fixture.activate(
            biometry: true,
            recovery: PowerAuthCoreRecoveryData(recoveryCode: "EZEJG-RD4GK-7OLKN-MYGBQ", puk: "7165461507"))
        #expect(try fixture.accepted(.possession_Knowledge))
        let (identifier, fingerprint) = (fixture.session.activationIdentifier, fixture.session.activationFingerprint)
        let state = fixture.session.serializedState()
        fixture.session.resetSession(true)
        #expect(fixture.session.activationIdentifier == nil && fixture.session.activationFingerprint == nil)
        #expect(fixture.session.deserializeState(state))
        #expect(fixture.session.activationIdentifier == identifier)
        #expect(fixture.session.activationFingerprint == fingerprint)
        #expect(fixture.session.hasBiometryFactor() && fixture.session.hasActivationRecoveryData)
        #expect(try fixture.accepted(.possession_Knowledge))
        #expect(try fixture.fetchStatus()?.counterState == .OK)
    }
}
