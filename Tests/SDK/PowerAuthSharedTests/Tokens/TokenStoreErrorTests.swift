// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("What a token store reports, keeps and forgets (sharing.md, section 15)", .endsInTime)
struct TokenStoreErrorTests {
    private let device: TemporaryDevice
    private let main: TokenApp

    init() throws {
        device = try TemporaryDevice()
        main = try TokenApp("main", on: device)
        try main.app.save(StoredStates.version6)
    }

    /// Asks for a token; `answer` gets the request that reached the provider.
    private func request(_ answer: (TestTokenProvider.Pending) -> Void) async -> Result<PowerAuthToken, NSError> {
        await outcome { report in
            main.store.requestAccessToken(withName: "T", authentication: .possession(), completion: report)
            if let pending = main.provider.pending.last { answer(pending) }
        }
    }

    @Test func `A token of another name than the requested one is refused and not stored`() async {
        let result = await request { pending in
            // Sixteen bytes make a record.
            let record = TokenRecord(
                name: "other", identifier: "x", secret: Data(count: 16), activationId: StoredStates.activationId,
                factors: 1)!
            pending.completion(.success(record))
        }
        #expect(result.code == .invalidToken)
        #expect(main.records.record(named: "T") == nil && main.records.record(named: "other") == nil)
    }

    @Test func `A token that the keychain refuses is neither given nor kept in memory`() async throws {
        try device.faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("EIO")))
        let result = await request { $0.succeed() }
        #expect(result.code == .invalidToken)
        #expect(!main.store.hasLocalToken(withName: "T"))
    }

    @Test func `The error of the server is that of the request, and the next request asks again`() async throws {
        #expect(await request { $0.completion(.failure(.powerAuth(.encryption))) }.code == .encryption)
        #expect(try await request { $0.succeed() }.get().tokenName == "T")
        #expect(main.provider.pending.count == 2)
    }

    @Test func `Without what gets tokens, a request and a removal end with the error invalidToken`() {
        let store = store(time: { 0 })
        main.put("T")
        let codes = Mutex<[PowerAuthErrorCode?]>([])
        #expect(
            store.requestAccessToken(withName: "X", authentication: .possession()) { _, error in
                codes.withLock { $0.append(error?.powerAuthErrorCode) }
            } == nil)
        #expect(
            store.removeAccessToken(withName: "T") { _, error in
                codes.withLock { $0.append(error?.powerAuthErrorCode) }
            } == nil)
        #expect(codes.withLock { $0 } == [.invalidToken, .invalidToken])
        #expect(store.hasLocalToken(withName: "T"))
    }

    @Test
    func `A removal needs a name, an activation and a token, in this order, and reports what is missing at once`() {
        let codes = Mutex<[PowerAuthErrorCode?]>([])
        func remove(_ name: String) {
            let task = main.store.removeAccessToken(withName: name) { isRemoved, error in
                #expect(!isRemoved)
                codes.withLock { $0.append(error?.powerAuthErrorCode) }
            }
            #expect(task == nil)
        }
        remove("X")
        main.app.interface.resetSession()
        remove("X")
        remove("")
        #expect(codes.withLock { $0 } == [.invalidToken, .missingActivation, .wrongParameter])
        #expect(main.provider.removed == [])
    }

    @Test
    func `An application keeps records in memory until another one changes some; an extension keeps none`() throws {
        let reader = try TokenApp("reader", on: device, rules: .appExtension)
        main.put("T")
        #expect(main.store.hasLocalToken(withName: "T") && reader.store.hasLocalToken(withName: "T"))
        // Nothing counts this change.
        #expect(main.records.remove(named: "T"))
        #expect(main.store.hasLocalToken(withName: "T"))
        #expect(!reader.store.hasLocalToken(withName: "T"))
        try TokenApp("wallet", on: device).store.removeAllLocalTokens()
        #expect(!main.store.hasLocalToken(withName: "T"))
    }

    /// Hears which tokens changed.
    private final class Observer: TokenStoreObserver {
        let changes = Mutex<[String]>([])

        func tokenChanged(_ name: String, to record: TokenRecord?) {
            changes.withLock { $0.append(record == nil ? "-" + name : "+" + name) }
        }
    }

    @Test func `The observer hears of every stored and removed token, and of no other`() async throws {
        let observer = Observer()
        main.store.setObserver(observer)
        _ = try await request { $0.succeed() }.get()
        main.store.removeLocalToken(withName: "T")
        for name in ["A", "B"] { main.put(name) }
        main.store.removeTokensOfRemovedActivation()
        #expect(observer.changes.withLock { $0 } == ["+T", "-T"], "there is an activation")
        #expect(main.store.hasLocalToken(withName: "A"))
        main.app.interface.resetSession()
        main.store.removeTokensOfRemovedActivation()
        #expect(observer.changes.withLock { Set($0.dropFirst(2)) } == ["-A", "-B"])
        main.put("C")
        main.store.removeAllLocalTokens()
        #expect(observer.changes.withLock { $0.dropFirst(4) } == ["-C"])
        #expect(main.records.record(named: "A") == nil)
    }

    // MARK: Headers

    /// A store beside the application's, with its own clock and without a provider.
    private func store(
        time: @escaping @Sendable () -> TimeInterval,
        synchronizeTime: (@Sendable (@escaping @Sendable (NSError?) -> Void) -> (any PowerAuthOperationTask)?)? = nil
    ) -> KeychainTokenStore {
        KeychainTokenStore(
            rules: .application,
            environment: TokenStoreEnvironment(
                activation: { .identifier(StoredStates.activationId) }, currentTime: time,
                synchronizeTime: synchronizeTime),
            records: main.records, lock: UnlockedTokenStore())
    }

    private func header(of store: KeychainTokenStore) async -> Result<PowerAuthAuthorizationHttpHeader, NSError> {
        await outcome { store.generateAuthorizationHeader(withName: "T", completion: $0) }
    }

    @Test func `A header has the whole milliseconds of its time; a time before 1970 makes no header`() async throws {
        main.put("T")
        for (time, timestamp) in [
            (100_000, 100_000_000), (1_728_388_800.9999, 1_728_388_800_999), (1_728_388_800.5, 1_728_388_800_500),
        ] as [(Double, UInt64)] {
            let header = try await header(of: store(time: { time })).get()
            #expect(try TokenHeader(parsing: header.value).timestamp == timestamp)
        }
        #expect(await header(of: store(time: { -1 })).code == .invalidToken)
    }

    @Test func `The time is synchronised before a header is made, and an error of that is the header's`() async throws {
        main.put("T")
        let now = Mutex(1_728_388_800.0)
        let synchronizing = store(
            time: { now.withLock { $0 } },
            synchronizeTime: { done in
                now.withLock { $0 += 60 }
                done(nil)
                return nil
            })
        let value = try await header(of: synchronizing).get().value
        #expect(try TokenHeader(parsing: value).timestamp == 1_728_388_860_000)
        let failing = store(
            time: { 1 },
            synchronizeTime: { done in
                done(.powerAuth(.timeSynchronization))
                return nil
            })
        #expect(await header(of: failing).code == .timeSynchronization)
    }

    @Test func `A cancel of a header cancels the synchronisation that it waits for`() async {
        main.put("T")
        let part = GroupedTaskTests.Work()
        let waiting = store(time: { 1 }, synchronizeTime: { _ in part })
        waiting.generateAuthorizationHeader(withName: "T") { _, _ in Issue.record("it is cancelled") }.cancel()
        #expect(part.cancelCount == 1)
        await mainQueueIsIdle()
    }

    @Test func `A token whose store was released makes no header and equals none`() throws {
        main.put("T")
        var released: KeychainTokenStore? = store(time: { 1 })
        let found = released?.localToken(withName: "T")
        let token = try #require(found)
        let isEqual = token == token.copy()
        #expect(isEqual)
        let wasUsable = token.tokenStore === released && token.canGenerateHeader && token.isEqual(to: token.copy())
        #expect(wasUsable)
        released = nil
        #expect(token.tokenStore == nil && !token.canGenerateHeader && token.generateHeader() == nil)
        #expect(!token.isEqual(to: token.copy()))
        #expect(token.tokenName == "T" && token.isValid)
    }
}
