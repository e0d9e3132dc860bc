import Foundation
import LabKit
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
        await callback { done in
            phoneManager.sendCommand(packet) { done(($0, MainQueue.isCurrent)) }
        }
    }

    @Test("A pushed token is on the watch, with its activation and factors")
    func push() async throws {
        let token = try #require(phone.store.localToken(withName: "T"))
        let sent = await send(token.copyPacket())
        #expect(sent.error == nil)
        #expect(sent.isOnMainQueue)
        #expect(storage.records(SharingApp.instanceId).record(named: "T") == phone.records.record(named: "T"))
    }

    @Test("W31: without an activation a token is not sent, but can be removed")
    func withoutActivation() async throws {
        let token = try #require(phone.store.localToken(withName: "T"))
        _ = await send(token.copyPacket())
        phone.app.interface.resetSession()
        let refused = await send(token.copyPacket())
        #expect(refused.error?.powerAuthErrorCode == .missingActivation)
        #expect(refused.isOnMainQueue)
        #expect(await send(token.removalPacket()).error == nil)
        #expect(storage.records(SharingApp.instanceId).record(named: "T") == nil)
    }

    @Test("A token of a former activation is not sent")
    func staleToken() async throws {
        let token = try #require(phone.store.localToken(withName: "T"))
        try phone.app.save(StoredStates.ofActivation("c564e700-7e86-4a87-b6c8-a5a0cc89683f"))
        #expect(await send(token.copyPacket()).error?.powerAuthErrorCode == .invalidToken)
        #expect(phoneTransport.sent.isEmpty)
    }

    @Test("A token whose SDK object was released cannot be sent or removed, and reports that")
    func releasedStore() async throws {
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
