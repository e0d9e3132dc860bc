// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

@Suite("What has changed in an activation since a request was made (sharing.md, D30)", .endsInTime)
struct ActivationSnapshotTests {
    private static let parts: [ActivationSnapshot.Part] = [.password, .knowledge, .protocolVersion, .counter]
    private static let other = Data(repeating: 0xEE, count: 16)

    /// Of a session that has loaded a record.
    private func snapshot(_ record: ActivationRecord) throws -> ActivationSnapshot {
        let session = try ClientFixture().session
        try #require(session.deserializeState(SessionStateCoding.encode(record)))
        return session.activationSnapshot
    }

    private func record(_ change: (inout ActivationRecord) -> Void = { _ in }) throws -> ActivationRecord {
        let data = try #require(Data(base64Encoded: SessionStateFormatTests.version6))
        var record = try #require(try SessionStateCoding.decode(data))
        change(&record)
        return record
    }

    @Test func `Every change shows in its own parts, and in no other`() throws {
        let before = try snapshot(record())
        let counter = try record().counterData
        let rows: [(name: String, change: (inout ActivationRecord) -> Void, parts: [ActivationSnapshot.Part])] = [
            ("nothing", { _ in }, []), ("salt", { $0.passwordSalt = Self.other }, [.password, .knowledge]),
            ("iterations", { $0.passwordIterations = 20_000 }, [.password, .knowledge]),
            ("knowledge key", { $0.knowledgeKey = Self.other }, [.knowledge]),
            ("started upgrade", { $0.pendingUpgradeVersion = .V3 }, [.protocolVersion]),
            ("counter", { $0.counter = .hash(counter.next(), byte: 0) }, [.counter]),
            ("counter byte", { $0.counter = .hash(counter, byte: 9) }, []),
            ("unknown counter byte", { $0.counter = .hash(counter, byte: nil) }, []),
            ("version and counter", { $0.counter = .numeric(7) }, [.protocolVersion, .counter]),
            ("possession key", { $0.possessionKey = Self.other }, []),
            ("transport key", { $0.transportKey = Self.other }, []),
            ("biometry key", { $0.biometryKey = Self.other }, []),
            ("recovery data", { $0.recoveryData = Self.other }, []),
            ("external key", { $0.usesExternalEncryptionKey = true }, []),
        ]
        for row in rows {
            let now = try snapshot(record(row.change))
            #expect(before.change(until: now) == nil, "\(row.name): the activation is the same")
            let changed = Self.parts.filter { before.change(until: now, of: [$0]) == .part($0) }
            let unchanged = Self.parts.filter { before.change(until: now, of: [$0]) == nil }
            #expect(changed == row.parts && changed.count + unchanged.count == Self.parts.count, "\(row.name)")
            // The first changed part of those that were asked for is named.
            let (first, last) = (row.parts.first.map { ActivationSnapshot.Change.part($0) }, row.parts.last)
            #expect(before.change(until: now, of: Self.parts) == first, "\(row.name)")
            let lastOnes = before.change(until: now, of: Self.parts.reversed())
            #expect(lastOnes == last.map { ActivationSnapshot.Change.part($0) }, "\(row.name)")
        }
    }

    @Test func `An activation begins with the keys of its device, and ends with its removal`() throws {
        let fixture = try ClientFixture()
        let session = fixture.session
        let none = session.activationSnapshot
        let started = try #require(session.startActivation(PowerAuthCoreActivationStep1Param()))
        let waiting = session.activationSnapshot
        #expect(none.change(until: none) == nil && none.change(until: waiting) == .replaced)
        #expect(waiting.change(until: none) == .removed)
        let answer = try fixture.server.exchange(devicePublicKey: started.devicePublicKey)
        try #require(session.validateActivationResponse(answer) != nil)
        #expect(waiting.change(until: session.activationSnapshot) == nil, "its server has answered")
        try #require(session.completeActivation(fixture.keys()))
        let activated = session.activationSnapshot
        #expect(activated.change(until: session.activationSnapshot, of: Self.parts) == nil)
        _ = fixture.sign(.possession)
        #expect(activated.change(until: session.activationSnapshot, of: Self.parts) == .part(.counter))

        session.resetSession(false)
        #expect(activated.change(until: session.activationSnapshot, of: Self.parts) == .removed)
        #expect(none == session.activationSnapshot)
        _ = try #require(session.startActivation(PowerAuthCoreActivationStep1Param()))
        #expect(waiting.change(until: session.activationSnapshot) == .replaced, "the keys are others")
        session.resetSession(false)
        try fixture.activate()
        #expect(activated.change(until: session.activationSnapshot) == .replaced, "the identifier is the same one")
    }

    @Test func `An activation is another one when either key, or the identifier, is another one`() throws {
        func activation(_ id: String = "id", server: UInt8 = 1, device: [UInt8] = []) -> ActivationRecord {
            ActivationRecord(
                counter: .numeric(1), activationId: id, passwordSalt: Self.other, possessionKey: Self.other,
                knowledgeKey: Self.other, transportKey: Self.other, serverPublicKey: Data([server]),
                devicePublicKey: Data(device), devicePrivateKey: Data([7]))
        }
        let before = try snapshot(activation())
        #expect(try before.change(until: snapshot(activation())) == nil)
        for other in [activation("other"), activation(server: 2), activation(device: [3])] {
            #expect(try before.change(until: snapshot(other), of: Self.parts) == .replaced)
        }
    }
}
