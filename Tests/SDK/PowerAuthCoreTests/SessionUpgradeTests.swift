// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// An activation of protocol V2 and its way to V3 (protocol.md, section 15).
@Suite("Sessions: protocol upgrade", .endsInTime)
struct SessionUpgradeTests {
    static let counterData = Data(repeating: 0x5A, count: 16)

    /// A V2 session from stored bytes, as an older SDK left it behind. Its keys are not those of any server.
    private func legacyFixture() throws -> ClientFixture {
        let fixture = try ClientFixture()
        let state = try #require(Data(base64Encoded: SessionStateFormatTests.version3))
        try #require(fixture.session.deserializeState(state))
        return fixture
    }

    private func record(_ session: PowerAuthCoreSession) throws -> ActivationRecord {
        try #require(try SessionStateCoding.decode(session.serializedState()))
    }

    @Test func `A legacy activation signs in decimal and counts`() throws {
        let fixture = try legacyFixture()
        #expect(fixture.session.protocolVersion == .V2)
        #expect(try record(fixture.session).counter == .numeric(7))
        let signed = try #require(fixture.sign(.possession_Knowledge))
        #expect(signed.version == "2.1")
        let groups = signed.signature.split(separator: "-")
        #expect(groups.count == 2 && groups.allSatisfy { $0.count == 8 && $0.allSatisfy(\.isNumber) })
        #expect(try record(fixture.session).counter == .numeric(8))

        // The signature is that of the server's mathematics for counter 7.
        let stored = try record(fixture.session)
        let key: PossessionKey = try FactorKeyProtection.recover(
            stored.possessionKey, unlockKey: UnlockKey(ClientFixture.possessionKey))
        let next = try #require(fixture.sign(.possession))
        let expected = try SymmetricSignature.signature(
            form: .decimal(length: 8), keys: SignatureKeys(possession: key), counter: CounterData(legacyCounter: 8),
            request: SignedRequest(
                method: "POST", uriId: "/test", nonce: next.nonce, body: Data(),
                applicationSecretText: StrictBase64.encode(ProtocolServer.applicationSecret)))
        #expect(next.signature == expected)
    }

    @Test func `The upgrade goes through its steps in order`() throws {
        let session = try legacyFixture().session
        #expect(session.hasProtocolUpgradeAvailable && !session.hasPendingProtocolUpgrade)
        #expect(!session.applyProtocolUpgradeData(StrictBase64.encode(Self.counterData)), "not started")
        #expect(!session.finishProtocolUpgrade(), "not started")

        #expect(session.startProtocolUpgrade())
        #expect(session.pendingProtocolUpgradeVersion == .V3)
        #expect(!session.hasProtocolUpgradeAvailable && session.hasPendingProtocolUpgrade)
        #expect(session.startProtocolUpgrade(), "a repeated start continues the upgrade")
        #expect(!session.finishProtocolUpgrade(), "still V2")
        for wrong in ["", "!", StrictBase64.encode(Data(count: 15)), StrictBase64.encode(Data(count: 17))] {
            #expect(!session.applyProtocolUpgradeData(wrong))
        }
        #expect(session.protocolVersion == .V2, "wrong data change nothing")

        #expect(session.applyProtocolUpgradeData(StrictBase64.encode(Self.counterData)))
        #expect(session.protocolVersion == .V3)
        #expect(try record(session).counter == .hash(CounterData(Self.counterData), byte: nil))
        #expect(!session.applyProtocolUpgradeData(StrictBase64.encode(Self.counterData)), "already V3")
        #expect(!session.startProtocolUpgrade(), "already V3")

        #expect(session.finishProtocolUpgrade())
        #expect(!session.hasPendingProtocolUpgrade)
        #expect(!session.finishProtocolUpgrade(), "nothing pending")
    }

    @Test func `An upgrade continues after saving and loading`() throws {
        let first = try legacyFixture().session
        #expect(first.startProtocolUpgrade())
        let second = try ClientFixture().session
        #expect(second.deserializeState(first.serializedState()))
        #expect(second.hasPendingProtocolUpgrade && second.protocolVersion == .V2)
        #expect(second.applyProtocolUpgradeData(StrictBase64.encode(Self.counterData)))
        let third = try ClientFixture().session
        #expect(third.deserializeState(second.serializedState()))
        #expect(third.hasPendingProtocolUpgrade && third.protocolVersion == .V3)
        #expect(third.finishProtocolUpgrade())
    }

    @Test func `The data of an upgrade may come as an object`() throws {
        struct Unknown: PowerAuthCoreProtocolUpgradeData {
            var toVersion: PowerAuthCoreProtocolVersion { .NA }
        }
        let session = try legacyFixture().session
        #expect(session.startProtocolUpgrade())
        #expect(!session.applyProtocolUpgradeData(Unknown()))
        let data = PowerAuthCoreProtocolUpgradeDataV3(ctrData: StrictBase64.encode(Self.counterData))
        #expect(data.toVersion == .V3 && session.applyProtocolUpgradeData(data))
        #expect(session.protocolVersion == .V3)
    }

    @Test func `During an upgrade offline signatures are refused, and online ones are those of version 3`() throws {
        let fixture = try legacyFixture()
        #expect(fixture.session.startProtocolUpgrade())
        let offline = PowerAuthCoreHTTPRequestData(
            method: "POST", uri: "/operation", offlineNonce: "ICEiIyQlJicoKSorLC0uLw==")
        #expect(fixture.session.signHttpRequestData(offline, keys: fixture.keys(), factor: .possession) == nil)
        #expect(try record(fixture.session).counter == .numeric(7), "a refused signature does not count")
        #expect(fixture.session.applyProtocolUpgradeData(StrictBase64.encode(Self.counterData)))
        #expect(fixture.session.signHttpRequestData(offline, keys: fixture.keys(), factor: .possession) == nil)
        let commit = try #require(fixture.sign(.possession))
        #expect(commit.version == "3.3")
        #expect(StrictBase64.decode(commit.signature)?.count == 16)
        #expect(fixture.session.finishProtocolUpgrade())
        #expect(fixture.session.signHttpRequestData(offline, keys: fixture.keys(), factor: .possession) != nil)
    }

    @Test func `Legacy fingerprints use the device key only`() throws {
        let fixture = try ClientFixture.activated()
        var machineRecord = try record(fixture.session)
        machineRecord.counter = .numeric(1)
        #expect(fixture.session.deserializeState(SessionStateCoding.encode(machineRecord)))
        let device = try PublicKey(encoded: machineRecord.devicePublicKey)
        #expect(fixture.session.activationFingerprint == Fingerprint.v2(device: device))
    }

    @Test func `Without an activation there is nothing to upgrade`() throws {
        let session = try ClientFixture().session
        #expect(!session.startProtocolUpgrade())
        #expect(!session.applyProtocolUpgradeData(StrictBase64.encode(Self.counterData)))
        #expect(!session.finishProtocolUpgrade())
        #expect(session.pendingProtocolUpgradeVersion == .NA)
    }
}
