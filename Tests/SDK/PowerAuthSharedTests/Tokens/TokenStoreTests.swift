// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import PowerAuthProtocol
import PowerAuthShared
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@Suite("The token store of an application (sharing.md, sections 15 and 19.5)", .endsInTime)
struct TokenStoreTests {
    private let device: TemporaryDevice
    private let main: TokenApp

    init() throws {
        device = try TemporaryDevice()
        main = try TokenApp("main", on: device)
        try main.app.save(StoredStates.version6)
    }

    /// What a completion was called with.
    private struct Outcome: Sendable, Equatable {
        let token: PowerAuthToken?
        let code: Int?
    }

    /// Collects outcomes by the name of the call.
    private final class Outcomes: Sendable {
        private let all = Mutex<[String: Outcome]>([:])
        subscript(name: String) -> Outcome? { all.withLock { $0[name] } }
        func collect(_ name: String) -> (PowerAuthToken?, (any Error)?) -> Void {
            { token, error in
                self.all.withLock { $0[name] = Outcome(token: token, code: error?.powerAuthErrorCode.rawValue) }
            }
        }
    }

    @Test func `T-1: tokens can be requested exactly while there is an activation`() {
        #expect(main.store.canRequestForAccessToken())
        main.app.interface.resetSession()
        #expect(!main.store.canRequestForAccessToken())
        let outcomes = Outcomes()
        let task = main.store.requestAccessToken(
            withName: "T", authentication: .possession(), completion: outcomes.collect("request"))
        #expect(task == nil)
        #expect(outcomes["request"]?.code == PowerAuthErrorCode.missingActivation.rawValue)
    }

    @Test func `Missing parameters are refused before anything else, at once`() {
        let outcomes = Outcomes()
        main.store.requestAccessToken(
            withName: "", authentication: .possession(), completion: outcomes.collect("no name"))
        main.store.requestAccessToken(withName: "T", completion: outcomes.collect("no authentication"))
        #expect(outcomes["no name"]?.code == 13)
        #expect(outcomes["no authentication"]?.code == 13)
    }

    @Test func `T-2: a stored token is given at once, and equal each time`() throws {
        main.put("T", factors: 3)
        let outcomes = Outcomes()
        for name in ["first", "second"] {
            let task = main.store.requestAccessToken(
                withName: "T", authentication: .possessionWithPassword(password: "1234"),
                completion: outcomes.collect(name))
            #expect(task == nil)
        }
        let first = try #require(outcomes["first"]?.token)
        let second = try #require(outcomes["second"]?.token)
        #expect(first.isEqual(to: second))
        #expect(main.provider.pending.isEmpty)
    }

    @Test func `T-5: requests for one name share one server request; other factors are refused`() async throws {
        let outcomes = Outcomes()
        let request = { (name: String, call: String, authentication: PowerAuthAuthentication) in
            main.store.requestAccessToken(
                withName: name, authentication: authentication, completion: outcomes.collect(call))
        }
        let two = { PowerAuthAuthentication.possessionWithPassword(password: "1234") }
        _ = request("SameToken", "same1", two())
        _ = request("SameToken", "same2", two())
        _ = request("AnotherToken", "another1", two())
        request("SameToken", "cancelled", two())?.cancel()
        _ = request("SameToken", "same3", two())
        _ = request("AnotherToken", "another2", two())
        #expect(request("AnotherToken", "refused", .possession()) == nil)
        #expect(outcomes["refused"]?.code == 13)
        #expect(main.provider.pending.count == 2)
        for pending in main.provider.pending { pending.succeed() }
        await mainQueueIsIdle()

        let same = try ["same1", "same2", "same3"].map { try #require(outcomes[$0]?.token) }
        let another = try ["another1", "another2"].map { try #require(outcomes[$0]?.token) }
        #expect(same.allSatisfy { $0.isEqual(to: same[0]) })
        #expect(another.allSatisfy { $0.isEqual(to: another[0]) })
        #expect(!same[0].isEqual(to: another[0]))
        #expect(outcomes["cancelled"] == nil)
        #expect(main.store.hasLocalToken(withName: "SameToken"))
    }

    @Test func `A request whose last caller cancels is cancelled and stores nothing`() async throws {
        let outcomes = Outcomes()
        let task = main.store.requestAccessToken(
            withName: "T", authentication: .possession(), completion: outcomes.collect("request"))
        task?.cancel()
        let pending = try #require(main.provider.pending.first)
        #expect(pending.task.isCancelled)
        pending.succeed()
        await mainQueueIsIdle()
        #expect(outcomes["request"] == nil)
        #expect(!main.store.hasLocalToken(withName: "T"))
    }

    @Test(arguments: [(1, true), (3, false)])
    func `T-6: a stored token with other factors is refused, either way`(stored: Int, asksWithPassword: Bool) {
        main.put("T", factors: stored)
        let outcomes = Outcomes()
        main.store.requestAccessToken(
            withName: "T",
            authentication: asksWithPassword ? .possessionWithPassword(password: "1234") : .possession(),
            completion: outcomes.collect("request"))
        #expect(outcomes["request"] == Outcome(token: nil, code: 13))
    }

    @Test func `A record of another activation is removed and not given`() {
        main.put("T", activationId: "c564e700-7e86-4a87-b6c8-a5a0cc89683f")
        #expect(!main.store.hasLocalToken(withName: "T"))
        #expect(main.records.record(named: "T") == nil)
    }

    @Test func `A cached token is checked against the activation too`() throws {
        main.put("T")
        let token = try #require(main.store.localToken(withName: "T"))
        #expect(token.canGenerateHeader)
        try main.app.save(StoredStates.ofActivation("c564e700-7e86-4a87-b6c8-a5a0cc89683f"))
        #expect(!main.store.hasLocalToken(withName: "T"))
        #expect(!token.canGenerateHeader)
        #expect(token.generateHeader() == nil)
    }

    @Test func `A record of 1.6 is adopted for the current activation`() throws {
        main.put("T", factors: 0, activationId: nil)
        let outcomes = Outcomes()
        main.store.requestAccessToken(
            withName: "T", authentication: .possessionWithPassword(password: "1234"),
            completion: outcomes.collect("request"))
        #expect(outcomes["request"]?.token != nil)
        let record = try #require(main.records.record(named: "T"))
        #expect(record.activationId == StoredStates.activationId)
        #expect(record.factors == 3)
    }

    @Test func `T-3: the header of an application has version 3.3 and an authentic digest`() async throws {
        main.put("T")
        let header: PowerAuthAuthorizationHttpHeader? = await callback { done in
            main.store.generateAuthorizationHeader(withName: "T") { header, _ in done(header) }
        }
        #expect(header?.key == "X-PowerAuth-Token")
        let parsed = try TokenHeader(parsing: header?.value)
        #expect(parsed.version == .v3_3)
        #expect(parsed.timestamp == 1_728_388_800_000)
        #expect(try parsed.isAuthentic(secret: TokenSecret(Data((0..<16).map { UInt8($0) }))))
    }

    @Test(arguments: [("", 13), ("unknown", 14)])
    func `A header for a missing token fails asynchronously, with a task`(name: String, code: Int) async {
        let received: Int? = await callback { done in
            main.store.generateAuthorizationHeader(withName: name) { _, error in
                done(error?.powerAuthErrorCode.rawValue)
            }
        }
        #expect(received == code)
    }

    @Test func `T-4: a token is removed once the server has removed it, and stays if the server refuses`() async {
        main.put("T")
        main.provider.refuseRemovals(.powerAuth(.networkError))
        let refused: (Bool, (any Error)?) = await callback { done in
            main.store.removeAccessToken(withName: "T") { done(($0, $1)) }
        }
        #expect(!refused.0)
        #expect(refused.1?.powerAuthErrorCode == .networkError)
        #expect(main.store.hasLocalToken(withName: "T"))
        let missing = Mutex<PowerAuthErrorCode?>(nil)
        let task = main.store.removeAccessToken(withName: "X") { _, error in
            missing.withLock { $0 = error?.powerAuthErrorCode }
        }
        #expect(task == nil)
        #expect(missing.withLock { $0 } == .invalidToken)
    }

    @Test func `The end of the SDK object ends all requests with the error operationCancelled`() async {
        let code: Int? = await callback { done in
            main.store.requestAccessToken(withName: "T", authentication: .possession()) { _, error in
                done(error?.powerAuthErrorCode.rawValue)
            }
            main.store.cancelAllRequests()
        }
        #expect(code == 11)
    }

    @Test func `A token that arrives after the activation was replaced is neither stored nor given`() async throws {
        let outcomes = Outcomes()
        main.store.requestAccessToken(
            withName: "T", authentication: .possession(), completion: outcomes.collect("request"))
        try main.app.save(StoredStates.ofActivation("c564e700-7e86-4a87-b6c8-a5a0cc89683f"))
        try #require(main.provider.pending.first).succeed()
        await mainQueueIsIdle()
        #expect(outcomes["request"]?.code == PowerAuthErrorCode.invalidActivationState.rawValue)
        #expect(main.records.record(named: "T") == nil)
    }

    /// A server that answers at once and keeps nothing.
    private final class PromptProvider: RemoteTokenProvider {
        func requestToken(
            _ request: RemoteTokenRequest, completion: @escaping @Sendable (TaskResult<TokenRecord>) -> Void
        ) -> any PowerAuthOperationTask {
            // Sixteen bytes make a record.
            let record = TokenRecord(
                name: request.name, identifier: "8e6a9c2b-2b1f-4f4f-9b61-3f0d5a0d7c11", secret: Data(count: 16),
                activationId: request.activationId, factors: request.authentication?.tokenFactorMask ?? 0)!
            completion(.success(record))
            return TestTokenProvider.Task()
        }

        func removeToken(
            _ record: TokenRecord, completion: @escaping @Sendable (TaskResult<Void>) -> Void
        ) -> (any PowerAuthOperationTask)? { nil }
    }

    @Test func `A request that has ended keeps no data of its caller, in particular no password`() async throws {
        let provider = PromptProvider()
        main.store.setProvider(provider)
        let outcomes = Outcomes()
        weak var password: PowerAuthCorePassword?
        do {
            let given = PowerAuthCorePassword(string: "1234")
            password = given
            main.store.requestAccessToken(
                withName: "T", authentication: .possessionWithPassword(password: given),
                completion: outcomes.collect("request"))
        }
        await mainQueueIsIdle()
        #expect(outcomes["request"]?.token != nil)
        #expect(password == nil)
    }
}
