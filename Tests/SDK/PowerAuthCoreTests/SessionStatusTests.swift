// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthCore
import PowerAuthProtocol
import TestSupport
import Testing

/// protocol.md, sections 12, 21 and 22.
@Suite("Sessions: status and counter", .endsInTime)
struct SessionStatusTests {
    @Test func `Status shows state and attempts`() throws {
        let fixture = try ClientFixture.activated()
        _ = try fixture.accepted(.possession_Knowledge, password: "0000")
        let status = try #require(try fixture.fetchStatus())
        #expect(status.state == .active && status.failCount == 1 && status.maxFailCount == 5)
        #expect(status.remainingAttempts == 4 && !status.isProtocolUpgradeAvailable)
    }

    @Test func `The activation is blocked exactly at the maximum`() throws {
        let fixture = try ClientFixture.activated()
        for attempt in 1...5 {
            _ = try fixture.accepted(.possession_Knowledge, password: "0000")
            #expect(try fixture.fetchStatus()?.state == (attempt < 5 ? .active : .blocked))
        }
        #expect(try !fixture.accepted(.possession_Knowledge))
        #expect(try fixture.fetchStatus()?.remainingAttempts == 0)
    }

    @Test func `More than 256 signatures keep the activation active`() throws {
        let fixture = try ClientFixture.activated()
        for round in 1...263 {
            #expect(try fixture.accepted(.possession))
            if round % 50 == 0 || round > 250 { #expect(try fixture.fetchStatus()?.state == .active) }
        }
    }

    @Test func `A client ahead is asked for a signature in time`() throws {
        let fixture = try ClientFixture.activated()
        for ahead in 1...19 {
            _ = fixture.sign(.possession)
            let status = try #require(try fixture.fetchStatus())
            #expect(status.state == .active)
            #expect(status.isSignatureCalculationRecommended == (ahead > 10), "client ahead by \(ahead)")
        }
        #expect(try fixture.accepted(.possession), "the last counter value inside the window is accepted")
        #expect(try fixture.fetchStatus()?.counterState == .OK)
    }

    @Test func `A client ahead by the whole window is lost`() throws {
        let fixture = try ClientFixture.activated()
        for _ in 1...20 { _ = fixture.sign(.possession) }
        #expect(try fixture.fetchStatus()?.state == .deadlock)
        #expect(try !fixture.accepted(.possession), "the server cannot find the signature")
    }

    @Test func `Status checks keep a client alive`() throws {
        let fixture = try ClientFixture.activated()
        for round in 1...22 {
            _ = fixture.sign(.possession)
            guard round % 4 == 0 else { continue }
            let status = try #require(try fixture.fetchStatus())
            #expect(status.state == .active)
            if status.isSignatureCalculationRecommended { #expect(try fixture.accepted(.possession)) }
        }
        #expect(try fixture.fetchStatus()?.state == .active)
    }

    @Test(arguments: [1, 10, 19]) func `A server ahead is followed`(distance: Int) throws {
        let fixture = try ClientFixture.activated()
        fixture.server.advance(by: distance)
        let status = try #require(try fixture.fetchStatus())
        #expect(status.state == .active && status.needsSerializeSessionState)
        #expect(try fixture.accepted(.possession_Knowledge))
        #expect(try fixture.fetchStatus()?.counterState == .OK)
    }

    @Test func `A server too far ahead is a deadlock`() throws {
        let fixture = try ClientFixture.activated()
        fixture.server.advance(by: 22)
        #expect(try fixture.fetchStatus()?.state == .deadlock)
    }

    @Test func `A deadlock does not hide that an activation is blocked or removed`() throws {
        let fixture = try ClientFixture.activated()
        for _ in 1...25 { _ = fixture.sign(.possession) }
        fixture.server.state = .blocked
        #expect(try fixture.fetchStatus()?.state == .blocked)
        fixture.server.state = .removed
        #expect(try fixture.fetchStatus()?.state == .removed)
    }

    @Test func `An unknown counter byte is learned`() throws {
        let fixture = try ClientFixture.activated()
        #expect(try fixture.accepted(.possession))
        // Data version 5 knows no counter byte: drop it and mark the data as such.
        var old = fixture.session.serializedState().dropLast()
        old[4] = 0x35
        #expect(fixture.session.deserializeState(Data(old)))
        fixture.server.advance(by: 3)
        #expect(try fixture.fetchStatus()?.needsSerializeSessionState == true)
        #expect(try fixture.accepted(.possession))
        #expect(try fixture.fetchStatus()?.counterState == .OK)
    }

    @Test func `A status of something else is refused`() throws {
        let fixture = try ClientFixture.activated()
        let status = try fixture.server.status(challenge: PowerAuthCoreSession.generateActivationStatusChallenge())
        let random = PowerAuthCoreEncryptedActivationStatus(
            challenge: status.challenge, encryptedStatusBlob: Random.bytes(32).base64EncodedString(),
            nonce: status.nonce)
        let short = PowerAuthCoreEncryptedActivationStatus(
            challenge: status.challenge, encryptedStatusBlob: Random.bytes(31).base64EncodedString(),
            nonce: status.nonce)
        let missing = PowerAuthCoreEncryptedActivationStatus(
            challenge: status.challenge, encryptedStatusBlob: status.encryptedStatusBlob, nonce: "")
        for wrong in [random, short, missing] {
            #expect(fixture.session.decodeActivationStatus(wrong, keys: fixture.keys()) == nil)
        }
        #expect(fixture.session.decodeActivationStatus(status, keys: PowerAuthCoreSignatureUnlockKeys()) == nil)
        #expect(fixture.session.decodeActivationStatus(status, keys: fixture.keys()) != nil)
    }
}
