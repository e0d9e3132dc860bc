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

    @Test("An empty session has three bytes")
    func anEmptySessionHasThreeBytes() throws {
        #expect(SessionStateCoding.encode(nil).base64EncodedString() == "UEEA")
        #expect(try SessionStateCoding.decode(Data([0x50, 0x41, 0x00])) == nil)
    }

    @Test("Version 6 is read and written byte for byte")
    func versionSixIsReadAndWrittenByteForByte() throws {
        let record = try record(Self.version6)
        #expect(record.activationId == "7b2f0c52-4d0a-4b0e-9a57-0f3e9f3f2a11")
        #expect(record.counter == .hash(try CounterData(Data(0..<16)), byte: 0))
        #expect(record.biometryKey == nil && record.recoveryData == nil)
        #expect(SessionStateCoding.encode(record).base64EncodedString() == Self.version6)
    }

    @Test("Version 3 is read and written byte for byte")
    func versionThreeIsReadAndWrittenByteForByte() throws {
        let record = try record(Self.version3)
        #expect(record.counter == .numeric(7))
        #expect(record.protocolVersion == .V2)
        #expect(SessionStateCoding.encode(record).base64EncodedString() == Self.version3)
    }

    @Test("Versions 4 and 5 are written as version 6")
    func versionsFourAndFiveAreWrittenAsSix() throws {
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

    @Test("Fewer password iterations than ten thousand are refused")
    func fewerIterationsAreRefused() throws {
        var record = try record(Self.version6)
        record.passwordIterations = 10_000
        #expect(try SessionStateCoding.decode(SessionStateCoding.encode(record)) == record)
        record.passwordIterations = 9_999
        #expect(throws: ProtocolError.self) { try SessionStateCoding.decode(SessionStateCoding.encode(record)) }
    }

    @Test("Truncated data are refused", arguments: [version6, version3])
    func truncatedDataAreRefused(text: String) throws {
        let data = try #require(Data(base64Encoded: text))
        for length in 0..<data.count {
            #expect(throws: ProtocolError.self) { try SessionStateCoding.decode(data.prefix(length)) }
        }
    }

    @Test("Any flipped bit is refused or decoded consistently", arguments: [version6, version3])
    func anyFlippedBitIsRefusedOrDecodedConsistently(text: String) throws {
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

    @Test("Unknown and legacy formats are refused")
    func unknownAndLegacyFormatsAreRefused() {
        let formats: [[UInt8]] = [
            [], [0x50], [0x50, 0x41], [0x50, 0x41, 0x4D], [0x41, 0x50, 0x00], [0x50, 0x41, 0x02, 0x50, 0x37],
            [0x50, 0x41, 0x00, 0x00],
        ]
        for format in formats {
            #expect(throws: ProtocolError.self) { try SessionStateCoding.decode(Data(format)) }
        }
    }

    @Test("Unusable state leaves the session empty")
    func unusableStateLeavesTheSessionEmpty() throws {
        let fixture = try ClientFixture.activated()
        #expect(!fixture.session.deserializeState(Data([1, 2, 3])))
        #expect(fixture.session.canStartActivation)
        #expect(fixture.session.activationIdentifier == nil)
    }

    @Test("A pending activation is not persisted")
    func aPendingActivationIsNotPersisted() throws {
        let fixture = try ClientFixture()
        _ = try #require(fixture.session.startActivation(PowerAuthCoreActivationStep1Param()))
        #expect(fixture.session.serializedState().base64EncodedString() == "UEEA")
    }

    @Test("Saved state restores everything")
    func savedStateRestoresEverything() throws {
        let fixture = try ClientFixture()
        try fixture.activate(
            biometry: true,
            recovery: PowerAuthCoreRecoveryData(recoveryCode: "EZEJG-RD4GK-7OLKN-MYGBQ", puk: "7165461507"))
        #expect(try fixture.accepted(.possessionKnowledge))
        let (identifier, fingerprint) = (
            fixture.session.activationIdentifier, fixture.session.activationFingerprint
        )
        let state = fixture.session.serializedState()
        fixture.session.resetSession(true)
        #expect(fixture.session.activationIdentifier == nil && fixture.session.activationFingerprint == nil)
        #expect(fixture.session.deserializeState(state))
        #expect(fixture.session.activationIdentifier == identifier)
        #expect(fixture.session.activationFingerprint == fingerprint)
        #expect(fixture.session.hasBiometryFactor() && fixture.session.hasActivationRecoveryData)
        #expect(try fixture.accepted(.possessionKnowledge))
        #expect(try fixture.fetchStatus()?.counterState == .OK)
    }
}
