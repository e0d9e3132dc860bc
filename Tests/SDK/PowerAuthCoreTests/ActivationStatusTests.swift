// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthCore

/// What an application is shown of a status (protocol.md, section 12).
@Suite("Statuses of an activation", .endsInTime)
struct ActivationStatusTests {
    private static let states: [PowerAuthCoreActivationState] = [
        .created, .pendingCommit, .active, .blocked, .removed, .deadlock,
    ]
    private static let counterStates: [PowerAuthCoreCounterState] = [.NA, .OK, .updated, .calculateSignature, .invalid]

    private func status(
        _ state: PowerAuthCoreActivationState = .active, failures: UInt32 = 1,
        versions: (PowerAuthCoreProtocolVersion, PowerAuthCoreProtocolVersion) = (.V3, .V3),
        counterState: PowerAuthCoreCounterState = .OK
    ) -> PowerAuthCoreActivationStatus {
        PowerAuthCoreActivationStatus(
            state: state, failCount: failures, maxFailCount: 5, currentActivationVersion: versions.0,
            upgradeActivationVersion: versions.1, counterState: counterState, lookAheadCount: 20)
    }

    @Test func `Only an active activation has attempts left, offers an upgrade, or asks for a signature`() {
        for state in Self.states {
            let isActive = state == .active
            for (failures, left) in [(UInt32(0), UInt32(5)), (4, 1), (5, 0), (6, 0), (UInt32.max, 0)] {
                #expect(status(state, failures: failures).remainingAttempts == (isActive ? left : 0), "\(state)")
            }
            for (current, upgrade, isOffered) in [
                (PowerAuthCoreProtocolVersion.V2, PowerAuthCoreProtocolVersion.V3, true), (.V3, .V3, false),
                (.V2, .V2, false), (.V3, .V2, false), (.NA, .V3, true), (.V3, .NA, false),
            ] {
                let status = status(state, versions: (current, upgrade))
                #expect(status.isProtocolUpgradeAvailable == (isActive && isOffered), "\(state) \(current) \(upgrade)")
            }
            for counterState in Self.counterStates {
                let status = status(state, counterState: counterState)
                let asks = isActive && counterState == .calculateSignature
                #expect(status.isSignatureCalculationRecommended == asks, "\(state) \(counterState)")
                #expect(status.needsSerializeSessionState == (counterState == .updated), "\(state) \(counterState)")
            }
        }
        #expect(Self.states.map(\.rawValue) == [1, 2, 3, 4, 5, 128])
        #expect(Self.counterStates.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    @Test func `Every value of a status comes from its place in the blob; an unknown version counts as none`() throws {
        let fixture = try ClientFixture.activated()
        let transport = try #require(fixture.server.keys).transport
        func decoded(
            _ state: ActivationState, _ current: UInt8, _ upgrade: UInt8
        ) throws -> PowerAuthCoreActivationStatus {
            let exchange = try StatusBlob.Exchange(challenge: Data(count: 16), nonce: Data(repeating: 1, count: 16))
            let hash = StatusBlob.counterDataHash(transportKey: transport, counter: fixture.server.counter)
            let blob = StatusBlob(
                state: state, currentVersion: current, upgradeVersion: upgrade, failedAttempts: 7,
                maxFailedAttempts: 9, counter: .init(byte: 0, lookAhead: 33, dataHash: hash))
            let encrypted = PowerAuthCoreEncryptedActivationStatus(
                challenge: StrictBase64.encode(exchange.challenge),
                encryptedStatusBlob: StrictBase64.encode(
                    try blob.encrypted(transportKey: transport, exchange: exchange)),
                nonce: StrictBase64.encode(exchange.nonce))
            return try #require(fixture.session.decodeActivationStatus(encrypted, keys: fixture.keys(password: nil)))
        }
        let known = try decoded(.blocked, 2, 3)
        #expect(known.state == .blocked && known.failCount == 7 && known.maxFailCount == 9)
        #expect(known.currentActivationVersion == .V2 && known.upgradeActivationVersion == .V3)
        #expect(known.counterState == .OK && known.lookAheadCount == 33)
        let unknown = try decoded(.active, 1, 4)
        #expect(unknown.currentActivationVersion == .NA && unknown.upgradeActivationVersion == .NA)
        #expect(unknown.state == .active && unknown.remainingAttempts == 2)
        for state in ActivationState.allCases {
            #expect(try decoded(state, 3, 3).state.rawValue == Int(state.rawValue))
        }
    }
}
