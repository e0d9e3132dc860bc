// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@Suite("One application upgrades the protocol (sharing.md, section 8)", .endsInTime)
struct ExternalUpgradeTests {
    private let device: TemporaryDevice
    private let main: SharingApp
    private let wallet: SharingApp

    init() throws {
        device = try TemporaryDevice()
        main = try SharingApp("main", on: device)
        wallet = try SharingApp("wallet", on: device)
        try main.save(StoredStates.version3)
    }

    /// Announces and starts an upgrade, as the SDK does.
    private func startUpgrade(_ app: SharingApp) throws {
        try app.interface.write { session in
            try app.interface.startExternalPendingOperation(.protocolUpgrade)
            #expect(session.startProtocolUpgrade())
        }
    }

    @Test func `The others see the upgrade and its owner, and cannot start an operation of any type`() throws {
        try startUpgrade(main)
        #expect(main.interface.externalPendingOperation == nil)
        let seen = try #require(wallet.interface.externalPendingOperation)
        #expect(seen.externalOperationType == .protocolUpgrade && seen.externalApplicationId == "main")
        for type in [PowerAuthExternalPendingOperationType.activation, .protocolUpgrade] {
            let error = try #require(throws: NSError.self) { try wallet.interface.startExternalPendingOperation(type) }
            #expect(error.powerAuthErrorCode == .externalPendingOperation)
            #expect(error.powerAuthExternalPendingOperation?.externalOperationType == .protocolUpgrade)
        }
        let snapshot = try wallet.interface.snapshot()
        #expect(snapshot.operationType == 2 && snapshot.operationTicket == 2)
        #expect(snapshot.operationApplication == "main")
    }

    @Test func `An upgrade that its owner announces again continues; an operation of another type is refused`() throws {
        try startUpgrade(main)
        try main.interface.startExternalPendingOperation(.protocolUpgrade)
        var error = #expect(throws: NSError.self) { try main.interface.startExternalPendingOperation(.activation) }
        #expect(error?.powerAuthErrorCode == .operationCancelled)
        let snapshot = try wallet.interface.snapshot()
        #expect(snapshot.operationType == 2 && snapshot.operationTicket == 2)

        main.interface.resetSession()
        try main.startActivation()
        error = #expect(throws: NSError.self) { try main.interface.startExternalPendingOperation(.protocolUpgrade) }
        #expect(error?.powerAuthErrorCode == .operationCancelled)
        #expect(wallet.interface.externalPendingOperation?.externalOperationType == .activation)
    }

    @Test func `The upgrade lasts from task to task, and ends in the one that finds none in the session`() throws {
        try startUpgrade(main)
        _ = try main.state()
        #expect(wallet.interface.externalPendingOperation != nil)
        #expect(wallet.interface.hasPendingProtocolUpgrade())
        try main.save(StoredStates.version6)
        #expect(wallet.interface.externalPendingOperation == nil)
        #expect(try wallet.interface.snapshot().operationType == 0)
    }

    @Test
    func `An operation that its owner abandons is free for the others; of another type, or of others, none is`() throws
    {
        try startUpgrade(main)
        main.interface.abandonExternalPendingOperation(.activation)
        wallet.interface.abandonExternalPendingOperation(.protocolUpgrade)
        #expect(wallet.interface.externalPendingOperation?.externalApplicationId == "main")
        main.interface.abandonExternalPendingOperation(.protocolUpgrade)
        #expect(wallet.interface.externalPendingOperation == nil)
        #expect(wallet.interface.hasPendingProtocolUpgrade(), "the session is in the middle of it")
        try wallet.interface.startExternalPendingOperation(.protocolUpgrade)
        #expect(main.interface.externalPendingOperation?.externalApplicationId == "wallet")
    }

    @Test func `Each task of the owner, and no other's, is a sign of life`() throws {
        try device.clock.freeze()
        func touched() throws -> TimeInterval? {
            try wallet.interface.snapshot().operationTouched?.timeIntervalSince1970
        }
        try startUpgrade(main)
        let start = try #require(try touched())
        try device.clock.advance(by: .seconds(60))
        _ = try wallet.state()
        #expect(try touched() == start)
        _ = try main.state()
        let later = try #require(try touched())
        #expect(abs(later - start - 60) < 0.01)
    }
}
