// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SimulatedDevice
import TestSupport
import Testing

@Suite("A phone pushes its tokens to the watch (watch.md, section 5.4)", .endsInTime)
struct TokenPushTests {
    private let phone: TokenApp
    private let phoneTransport = TestTransport()
    private let phoneManager: PowerAuthWCSessionManager
    private let storage: WatchStorage
    private let synchronization: WatchSynchronizationService

    init() throws {
        phone = try TokenApp("main", on: TemporaryDevice())
        try phone.app.save(StoredStates.version6)
        phone.put("T")
        phoneManager = PowerAuthWCSessionManager(transport: phoneTransport)
        storage = WatchStorage(
            configuration: PowerAuthKeychainConfiguration(),
            sandbox: try Sandbox.temporary(name: "watch", kind: .watchApp))
        synchronization = WatchSynchronizationService(storage: storage)
        let watchManager = PowerAuthWCSessionManager(transport: nil)
        watchManager.register(synchronization)
        phoneTransport.connect(to: watchManager)
    }

    /// Sends a command and gives its error, and whether the completion ran on the main queue.
    private func send(_ packet: Result<WatchPacket, NSError>) async -> (error: NSError?, isOnMainQueue: Bool) {
        await callback { done in phoneManager.sendCommand(packet) { done(($0 as NSError?, MainQueue.isCurrent)) } }
    }

    @Test func `A pushed token is on the watch, with its activation and factors`() async throws {
        let token = try #require(phone.store.localToken(withName: "T"))
        let sent = await send(token.copyPacket())
        #expect(sent.error == nil)
        #expect(sent.isOnMainQueue)
        #expect(storage.records(SharingApp.instanceId).record(named: "T") == phone.records.record(named: "T"))
    }

    @Test func `W31: without an activation a token is not sent, but can be removed`() async throws {
        let token = try #require(phone.store.localToken(withName: "T"))
        _ = await send(token.copyPacket())
        phone.app.interface.resetSession()
        let refused = await send(token.copyPacket())
        #expect(refused.error?.powerAuthErrorCode == .missingActivation)
        #expect(refused.isOnMainQueue)
        #expect(await send(token.removalPacket()).error == nil)
        #expect(storage.records(SharingApp.instanceId).record(named: "T") == nil)
    }

    @Test func `A token of a former activation is not sent`() async throws {
        let token = try #require(phone.store.localToken(withName: "T"))
        try phone.app.save(StoredStates.ofActivation("c564e700-7e86-4a87-b6c8-a5a0cc89683f"))
        #expect(await send(token.copyPacket()).error?.powerAuthErrorCode == .invalidToken)
        #expect(phoneTransport.sent.isEmpty)
    }

    @Test
    func `A token that was taken from the watch is no longer sent there when it changes, others are`() async throws {
        let service = PhoneWatchService(
            instanceId: SharingApp.instanceId, session: phone.app.interface, tokenStore: phone.store,
            sandbox: phone.app.sandbox)
        service.register(with: phoneManager)
        service.synchronization = .tokens
        phone.put("U")
        let taken = try #require(phone.store.localToken(withName: "T"))
        let kept = try #require(phone.store.localToken(withName: "U"))
        /// How many messages the changes of both tokens make.
        func changes() -> Int {
            let before = phoneTransport.sent.count
            for name in ["T", "U"] { service.tokenChanged(name, to: phone.records.record(named: name)) }
            return phoneTransport.sent.count - before
        }
        #expect(changes() == 0, "the watch has got none")
        for token in [taken, kept] { #expect(await send(token.copyPacket()).error == nil) }
        #expect(changes() == 2)
        #expect(await send(taken.removalPacket()).error == nil)
        #expect(changes() == 1)
        #expect(await send(taken.copyPacket()).error == nil)
        #expect(changes() == 2, "the watch has got it again")
    }

    @Test func `A token whose SDK object was released cannot be sent or removed, and reports that`() async throws {
        let token = try Self.orphan()
        #expect(await send(token.copyPacket()).error?.powerAuthErrorCode == .missingActivation)
        #expect(await send(token.removalPacket()).error?.powerAuthErrorCode == .watchConnectivity)
    }

    private static func orphan() throws -> PowerAuthToken {
        let phone = try TokenApp("main", on: TemporaryDevice())
        try phone.app.save(StoredStates.version6)
        phone.put("T")
        return try #require(phone.store.localToken(withName: "T"))
    }
}
