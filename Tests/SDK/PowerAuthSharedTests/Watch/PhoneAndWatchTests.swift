// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2ForWatch
import PowerAuthProtocol
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("A phone and a watch (watch.md, sections 5, 6 and 12)", .endsInTime)
struct PhoneAndWatchTests {
    private let phone: TokenApp
    private let service: PhoneWatchService
    private let phoneTransport = TestTransport()
    private let phoneManager: PowerAuthWCSessionManager
    private let watchTransport = TestTransport()
    private let watchManager: PowerAuthWCSessionManager
    private let storage: WatchStorage
    private let synchronization: WatchSynchronizationService
    private let watchSandbox: Sandbox
    private let watch: PowerAuthWatchSDK

    init() throws {
        phone = try TokenApp("main", on: TemporaryDevice())
        phoneManager = PowerAuthWCSessionManager(transport: phoneTransport)
        watchManager = PowerAuthWCSessionManager(transport: watchTransport)
        phoneTransport.connect(to: watchManager)
        watchTransport.connect(to: phoneManager)
        service = PhoneWatchService(
            instanceId: SharingApp.instanceId, session: phone.app.interface, tokenStore: phone.store)
        phoneManager.register(service)
        watchSandbox = try Sandbox.temporary(name: "watch", kind: .watchApp, bundleIdentifier: "com.example.main.watch")
        storage = WatchStorage(configuration: PowerAuthKeychainConfiguration(), sandbox: watchSandbox)
        synchronization = WatchSynchronizationService(storage: storage)
        watchManager.register(synchronization)
        watch = Self.makeWatch(storage, watchManager, watchSandbox)
    }

    private static func makeWatch(
        _ storage: WatchStorage, _ manager: PowerAuthWCSessionManager, _ sandbox: Sandbox
    ) -> PowerAuthWatchSDK {
        PowerAuthWatchSDK(
            configuration: PowerAuthConfiguration(
                instanceId: SharingApp.instanceId, baseEndpointUrl: "http://localhost", configuration: "-"),
            storage: storage, manager: manager, sandbox: sandbox)
    }

    private let otherActivation = "c564e700-7e86-4a87-b6c8-a5a0cc89683f"

    /// The watch receives a message.
    private func receive(_ payload: some WatchPayload, target: String) -> WatchPacket? {
        var reply: WatchPacket?
        watchManager.processReceivedMessageData(WatchPacket(target: target, payload: payload).serialized()) {
            if case .packet(let packet) = WatchPacket.read($0) { reply = packet }
        }
        return reply
    }

    private func pushStatus(_ activationId: String?) {
        _ = receive(
            WatchStatusPayload(.put, activationId: activationId), target: WatchTarget.session(SharingApp.instanceId))
    }

    private func pushToken(
        _ name: String, of instanceId: String = SharingApp.instanceId,
        activationId: String? = StoredStates.activationId
    ) {
        let record = TokenRecord(
            name: name, identifier: "8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11", secret: Data((0..<16).map { UInt8($0) }),
            activationId: activationId,
            factors: 1)!
        _ = receive(
            WatchTokenPayload(.put, tokenName: name, tokenData: record.serialized()),
            target: WatchTarget.token(instanceId))
    }

    private var records: TokenRecordStore { storage.records(SharingApp.instanceId) }

    private func update() async -> (String?, NSError?) {
        await callback { done in watch.updateActivationStatus { done(($0, $1 as NSError?)) } }
    }

    // MARK: Status

    @Test func `The watch asks for the status and gets it, with and without an activation`() async throws {
        #expect(await update() == (nil, nil))
        try phone.app.save(StoredStates.version6)
        #expect(await update() == (StoredStates.activationId, nil))
        #expect(watch.hasValidActivation())
        #expect(watch.activationIdentifier == StoredStates.activationId)
    }

    @Test func `A watch neither activates nor upgrades, and its configuration is a copy at each access`() {
        pushStatus(StoredStates.activationId)
        #expect(!watch.canStartActivation() && !watch.hasPendingActivation())
        #expect(!watch.hasPendingProtocolUpgrade() && !watch.hasProtocolUpgradeAvailable())
        watch.configuration.disableAutomaticProtocolUpgrade = true
        #expect(watch.configuration.instanceId == SharingApp.instanceId)
        #expect(!watch.configuration.disableAutomaticProtocolUpgrade)
    }

    @Test func `W19: an answer without an activation removes the stored one and its tokens`() async {
        pushStatus(StoredStates.activationId)
        pushToken("T")
        #expect(await update() == (nil, nil))
        #expect(!watch.hasValidActivation())
        #expect(records.record(named: "T") == nil)
    }

    @Test func `W17: a question without a reply handler is answered by a message of its own`() throws {
        try phone.app.save(StoredStates.version6)
        #expect(watch.updateActivationStatus())
        #expect(watchTransport.sent.count == 1)
        #expect(phoneTransport.sent.count == 1)
        #expect(watch.activationIdentifier == StoredStates.activationId)
    }

    @Test func `W20: a failed update leaves the stored state alone`() async {
        pushStatus(StoredStates.activationId)
        watchTransport.fail(domain: "WCErrorDomain", code: 7007)
        let outcome = await update()
        #expect(outcome.1?.code == 7007)
        #expect(watch.activationIdentifier == StoredStates.activationId)
    }

    @Test func `A pending activation of the phone does not count for the watch`() async throws {
        try phone.app.startActivation()
        #expect(await update() == (nil, nil))
        #expect(!watch.hasValidActivation())
    }

    @Test func `W18: tokens stay with their activation and go when it ends or changes`() {
        // none -> A keeps, A -> A keeps, A -> B removes, B -> none removes, none -> none removes.
        for (before, after, keeps) in [
            (nil, "A", true), ("A", "A", true), ("A", "B", false), ("B", nil, false), (nil, nil, false),
        ] as [(String?, String?, Bool)] {
            pushStatus(before)
            pushToken("T", activationId: before ?? after)
            pushStatus(after)
            #expect((records.record(named: "T") != nil) == keeps, "\(before ?? "none") to \(after ?? "none")")
            #expect(watch.activationIdentifier == after)
        }
    }

    @Test func `W21: data that arrive before the SDK object exists are available to it`() {
        pushStatus(StoredStates.activationId)
        #expect(Self.makeWatch(storage, watchManager, watchSandbox).hasValidActivation())
    }

    @Test func `W7: the phone answers for exactly its instance, the watch for any`() {
        let foreign = WatchPacket(
            target: WatchTarget.session(SharingApp.instanceId + "x"), payload: WatchStatusPayload(.get))
        var error: NSError?
        phoneManager.processReceivedMessageData(foreign.serialized()) {
            if case .packet(let packet) = WatchPacket.read($0) { error = packet.error }
        }
        #expect(error?.powerAuthErrorCode == .watchConnectivity)
        #expect(receive(WatchStatusPayload(.put, activationId: "A"), target: "session:other")?.error == nil)
        #expect(storage.activationId("other") == "A")
        #expect(receive(WatchStatusPayload(.put), target: "session:")?.error != nil)
        #expect(receive(WatchTokenPayload(.remove, tokenName: "T"), target: "token:")?.error != nil)
    }

    @Test func `Commands of the other side are refused`() {
        #expect(receive(WatchStatusPayload(.get), target: "session:i")?.error?.code == 15)
        #expect(receive(WatchTokenPayload(.get, tokenName: "T"), target: "token:i")?.error?.code == 15)
        var codes: [Int?] = []
        for packet in [
            WatchPacket(target: WatchTarget.session(SharingApp.instanceId), payload: WatchStatusPayload(.put)),
            WatchPacket(
                target: WatchTarget.token(SharingApp.instanceId), payload: WatchTokenPayload(.remove, tokenName: "T")),
        ] {
            phoneManager.processReceivedMessageData(packet.serialized()) {
                if case .packet(let packet) = WatchPacket.read($0) { codes.append(packet.error?.code) }
            }
        }
        #expect(codes == [15, 15])
    }

    @Test func `A phone that cannot read its state answers an error, and the watch keeps what it has`() async throws {
        let sandbox = try Sandbox.temporary(name: "locked")
        try sandbox.security.changeState { $0.reboot() }
        let service = PhoneWatchService(
            instanceId: SharingApp.instanceId,
            session: try Installed(in: sandbox, instanceId: SharingApp.instanceId).session(in: sandbox),
            tokenStore: phone.store)
        let manager = PowerAuthWCSessionManager(transport: phoneTransport)
        manager.register(service)
        watchTransport.connect(to: manager)
        pushStatus(StoredStates.activationId)
        pushToken("T")
        #expect(await update().1?.powerAuthErrorCode == .invalidActivationState)
        #expect(await request("other").1?.powerAuthErrorCode == .invalidActivationState)
        #expect(throws: NSError.self) { try service.statusPacket().get() }
        #expect(watch.updateActivationStatus())
        #expect(phoneTransport.sent.isEmpty, "without a reply handler nothing is sent")
        #expect(watch.activationIdentifier == StoredStates.activationId)
        #expect(records.record(named: "T") != nil)
    }

    @Test func `W6: a request with an error code is not executed`() {
        let fields =
            #""activationCmd":"put_session","activationId":"A","errorCode":0"#
        let text = "PAwc1{\"target\":\"\(WatchTarget.session(SharingApp.instanceId))\",\(fields)}"
        var error: NSError?
        watchManager.processReceivedMessageData(Data(text.utf8)) {
            if case .packet(let packet) = WatchPacket.read($0) { error = packet.error }
        }
        #expect(error?.powerAuthErrorCode == .watchConnectivity)
        #expect(watch.activationIdentifier == nil)
    }

    // MARK: Tokens

    @Test func `W22 and W23: tokens are stored as they are, replaced and removed; a broken one changes nothing`() {
        pushToken("T")
        pushToken("T")
        #expect(records.record(named: "T") != nil)
        let broken = receive(
            WatchTokenPayload(.put, tokenName: "T", tokenData: Data("{\"name\":\"T\"}".utf8)),
            target: WatchTarget.token(SharingApp.instanceId))
        #expect(broken?.error?.localizedDescription == WatchError.watchTokenDeserialization.message)
        #expect(records.record(named: "T") != nil)
        for _ in 1...2 {
            let removed = receive(
                WatchTokenPayload(.remove, tokenName: "T"), target: WatchTarget.token(SharingApp.instanceId))
            #expect(removed?.payload() == WatchSuccessPayload())
        }
        #expect(records.record(named: "T") == nil)
    }

    @Test func `W24: a token of another activation is removed by a look-up`() {
        pushStatus(StoredStates.activationId)
        pushToken("T", activationId: otherActivation)
        #expect(!watch.tokenStore.hasLocalToken(withName: "T"))
        #expect(records.record(named: "T") == nil)
    }

    /// watch.md, section 13, item 10.
    @Test
    func `Of two instances whose tokens have one account each gets its own, and the end of one spares the other's`() {
        let other = SharingApp.instanceId + "__b"
        pushStatus(StoredStates.activationId)
        pushToken("mine")
        pushToken("b__x")
        pushToken("x", of: other)
        #expect(records.account("b__x") == storage.records(other).account("x"))
        #expect(records.record(named: "b__x") == nil)
        #expect(storage.records(other).record(named: "x") != nil)
        pushStatus(nil)
        #expect(records.record(named: "mine") == nil)
        #expect(storage.records(other).record(named: "x") != nil)
    }

    @Test func `A token that arrives before the status is hidden, not destroyed`() {
        pushToken("T")
        #expect(!watch.tokenStore.hasLocalToken(withName: "T"))
        pushStatus(StoredStates.activationId)
        #expect(watch.tokenStore.hasLocalToken(withName: "T"))
    }

    @Test func `W25: a token of 1.6 is adopted for the current activation`() {
        pushStatus(StoredStates.activationId)
        pushToken("T", activationId: nil)
        #expect(watch.tokenStore.hasLocalToken(withName: "T"))
        #expect(records.record(named: "T")?.activationId == StoredStates.activationId)
    }

    private func request(_ name: String) async -> (PowerAuthToken?, NSError?) {
        await callback { done in
            watch.tokenStore.requestAccessToken(withName: name) { done(($0, $1 as NSError?)) }
        }
    }

    @Test func `A token is pulled from the phone, stored, and given at once the next time`() async throws {
        try phone.app.save(StoredStates.version6)
        phone.put("T")
        _ = await update()
        let pulled = try #require(await request("T").0)
        #expect(pulled.tokenIdentifier == "8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11")
        let messages = watchTransport.sent.count
        let again = await request("T")
        #expect(again.0?.isEqual(to: pulled) == true)
        let awaited = try await watch.tokenStore.requestAccessToken(withName: "T")
        #expect(awaited == pulled)
        #expect(watchTransport.sent.count == messages)
    }

    @Test func `W26: without an activation on the phone the answer is 6, for a missing token 14`() async throws {
        #expect(await request("T").1?.code == 6)
        try phone.app.save(StoredStates.version6)
        _ = await update()
        let missing = await request("T")
        #expect(missing.1?.code == 14)
        #expect(missing.1?.localizedDescription == WatchError.tokenNotFoundOnPhone.message)
        phone.app.interface.resetSession()
        #expect(await request("T").1?.localizedDescription == WatchError.cannotGetTokenWithoutActivation.message)
    }

    @Test func `W29: removing a token through the watch never succeeds and sends nothing`() {
        let result = Mutex<Int?>(nil)
        watch.tokenStore.removeAccessToken(withName: "T") { _, error in
            result.withLock { $0 = error?.powerAuthErrorCode.rawValue }
        }
        #expect(result.withLock { $0 } == 6)
        pushStatus(StoredStates.activationId)
        pushToken("T")
        let task = watch.tokenStore.removeAccessToken(withName: "T") { removed, error in
            result.withLock { $0 = error?.powerAuthErrorCode.rawValue }
            #expect(!removed)
        }
        #expect(task == nil)
        #expect(result.withLock { $0 } == 14)
        #expect(watch.tokenStore.hasLocalToken(withName: "T"))
        #expect(watchTransport.sent.isEmpty)
    }

    @Test func `W30: local removal needs no activation and sends nothing`() {
        pushToken("A")
        pushToken("B")
        watch.tokenStore.removeLocalToken(withName: "A")
        #expect(records.record(named: "A") == nil)
        watch.tokenStore.removeAllLocalTokens()
        #expect(records.record(named: "B") == nil)
        #expect(watchTransport.sent.isEmpty)
    }

    @Test func `W32: headers of a watch have version 3.1 and need the token's activation`() throws {
        pushStatus(StoredStates.activationId)
        pushToken("T")
        let token = try #require(watch.tokenStore.localToken(withName: "T"))
        let header = try TokenHeader(parsing: #require(token.generateHeader()).value)
        #expect(header.version == .v3_1)
        #expect(try header.isAuthentic(secret: TokenSecret(Data((0..<16).map { UInt8($0) }))))
        pushStatus(otherActivation)
        #expect(token.generateHeader() == nil)
    }
}

@Suite("Requests of a watch that wait for their answer (watch.md, section 6.7)", .endsInTime)
struct WaitingWatchRequestTests {
    /// A phone that answers when the test says so.
    private final class SlowPhone: WatchTransport {
        let isUsable = true
        let isReachable = true
        let hasOutstandingTransfers = false
        private let replies = Mutex<[@Sendable (Data) -> Void]>([])

        var waiting: Int { replies.withLock { $0.count } }

        func answerAll(_ data: Data) {
            for reply in replies.withLock({ $0 }) { reply(data) }
        }

        func sendMessageData(
            _ data: Data, replyHandler: (@Sendable (Data) -> Void)?,
            errorHandler: @escaping @Sendable (NSError) -> Void
        ) {
            if let replyHandler { replies.withLock { $0.append(replyHandler) } }
        }

        func transferUserInfo(_ userInfo: [String: Data]) -> Bool { true }
    }

    private let phone = SlowPhone()
    private let storage: WatchStorage
    private let watch: PowerAuthWatchSDK

    init() throws {
        (watch, storage) = try PowerAuthWatchSDK.withActivation(over: phone)
    }

    private var answer: Data { answer(of: "A") }

    /// What a phone with an activation answers.
    private func answer(of activationId: String?) -> Data {
        let record = TokenRecord(
            name: "T", identifier: "x", secret: Data(count: 16), activationId: activationId, factors: 1)!
        return WatchPacket(
            target: "*", payload: WatchTokenPayload(.put, tokenName: "T", tokenData: record.serialized())
        ).serialized()
    }

    @Test func `W27: parallel requests for one name send one message and all get the token`() async {
        let tokens = Mutex<[String]>([])
        for _ in 1...3 {
            let task = watch.tokenStore.requestAccessToken(withName: "T") { token, _ in
                tokens.withLock { $0.append(token?.tokenIdentifier ?? "none") }
            }
            #expect(task != nil)
        }
        #expect(phone.waiting == 1)
        phone.answerAll(answer)
        await mainQueueIsIdle()
        #expect(tokens.withLock { $0 } == ["x", "x", "x"])
        #expect(storage.records("i").record(named: "T") != nil)
    }

    @Test func `A token belongs to the activation that the watch knew when it asked`() async {
        let token: PowerAuthToken? = await callback { done in
            watch.tokenStore.requestAccessToken(withName: "T") { token, _ in done(token) }
            phone.answerAll(answer(of: nil))
        }
        #expect(token != nil)
        #expect(storage.records("i").record(named: "T")?.activationId == "A")
    }

    @Test func `W28: a cancelled request is not called and stores nothing`() async {
        let calls = Mutex(0)
        let task = watch.tokenStore.requestAccessToken(withName: "T") { _, _ in calls.withLock { $0 += 1 } }
        task?.cancel()
        phone.answerAll(answer)
        await mainQueueIsIdle()
        #expect(calls.withLock { $0 } == 0)
        #expect(storage.records("i").record(named: "T") == nil)
    }

    @Test func `A token with another name than the requested one is refused`() async {
        let code: Int? = await callback { done in
            watch.tokenStore.requestAccessToken(withName: "other") { _, error in
                done(error?.powerAuthErrorCode.rawValue)
            }
            phone.answerAll(answer)
        }
        #expect(code == 15)
        #expect(storage.records("i").record(named: "T") == nil)
    }
}
