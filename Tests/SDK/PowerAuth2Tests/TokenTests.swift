// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Tokens (sdk.md, section 12.9)", .endsInTime)
struct TokenTests {
    private static let creation = "/pa/v3/token/create"

    /// The header of a token, after time was synchronised.
    private func header(_ sdk: PowerAuthSDK, _ name: String) async throws -> AuthorizationHeader {
        let header = try await outcome {
            // The task is never nil, by its type.
            let _: any PowerAuthOperationTask = sdk.tokenStore.generateAuthorizationHeader(
                withName: name, completion: $0)
        }.get()
        #expect(header.key == "X-PowerAuth-Token")
        return try AuthorizationHeader(header)
    }

    private func remove(_ sdk: PowerAuthSDK, _ name: String) async -> (isRemoved: Bool, error: NSError?) {
        await callback { report in
            sdk.tokenStore.removeAccessToken(withName: name) { report(($0, $1 as NSError?)) }
        }
    }

    @Test(
        .verifies("sharing.md", "T-2"), .verifies("sdk.md", "B-40"),
        arguments: TestApp.Mode.allCases)
    func `A token requested again is the same one, and its headers validate on the server`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let first = try await app.sdk.token("list").get()
        let second = try await app.sdk.token("list").get()
        #expect(first.isEqual(to: second))
        #expect(app.transport.count(of: Self.creation) == 1)
        for token in [first, second] {
            let header = try AuthorizationHeader(#require(token.generateHeader()))
            let verdict = try await app.backOffice.validate(token: header)
            #expect(verdict["tokenValid"]?.boolValue == true)
            #expect(verdict["activationId"]?.stringValue == app.sdk.activationIdentifier)
            #expect(verdict["applicationId"]?.stringValue == app.backOffice.applicationId)
            #expect(verdict["userId"]?.stringValue == app.userId)
        }
    }

    @Test(
        .verifies("sharing.md", "T-3"),
        .verifies("sdk.md", "B-41"), arguments: TestApp.Mode.allCases)
    func `A token survives a restart: its header is valid and it is not created again`(mode: TestApp.Mode) async throws
    {
        let app = try await TestApp.activated(mode)
        let first = try await app.sdk.token("list").get()
        let restarted = try app.restarted()
        #expect(restarted.tokenStore.hasLocalToken(withName: "list"))
        let header = try await header(restarted, "list")
        #expect(try await app.backOffice.validate(token: header)["tokenValid"]?.boolValue == true)
        let again = try await restarted.token("list").get()
        #expect(again.tokenIdentifier == first.tokenIdentifier)
        #expect(app.transport.count(of: Self.creation) == 1)
    }

    @Test(
        .verifies("sharing.md", "T-4"),
        .verifies("sdk.md", "B-42"), arguments: TestApp.Mode.allCases)
    func `A removed token is deleted locally and on the server`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let token = try await app.sdk.token("list").get()
        let header = try AuthorizationHeader(#require(token.generateHeader()))
        let removal = await remove(app.sdk, "list")
        #expect(removal.isRemoved && removal.error == nil)
        #expect(!app.sdk.tokenStore.hasLocalToken(withName: "list"))
        #expect(try await app.backOffice.validate(token: header)["tokenValid"]?.boolValue == false)
        #expect(await remove(app.sdk, "list").error?.powerAuthErrorCode == .invalidToken)
    }

    @Test(
        .verifies("sharing.md", "T-1"),
        .verifies("sdk.md", "B-42"), arguments: TestApp.Mode.allCases)
    func `Without the activation no tokens can be requested`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        _ = try await app.sdk.token("list").get()
        #expect(app.sdk.tokenStore.canRequestForAccessToken())
        #expect(await failure { app.sdk.removeActivation(with: .rightPassword, callback: $0) } == nil)
        #expect(!app.sdk.tokenStore.canRequestForAccessToken())
        #expect(!app.sdk.tokenStore.hasLocalToken(withName: "list"))
        #expect(await app.sdk.token("list").code == .missingActivation)
    }

    @Test(
        .verifies("sharing.md", "T-5"), .verifies("sdk.md", "B-43"),
        arguments: TestApp.Mode.allCases)
    func `Requests at the same time share one token a name; other factors are refused; a cancelled one is silent`(
        mode: TestApp.Mode
    ) async throws {
        let app = try await TestApp.activated(mode)
        app.transport.order(.hold(.request), for: Self.creation)
        let requests: [(name: String, authentication: PowerAuthAuthentication)] = [
            ("A", .possession()), ("B", .possession()), ("A", .possession()), ("B", .rightPassword),
            ("B", .possession()),
            ("A", .possession()),
        ]
        let received = Mutex<[Int: Result<PowerAuthToken, NSError>]>([:])
        await callback { (report: @escaping @Sendable (()) -> Void) in
            for (number, request) in requests.enumerated() {
                app.sdk.tokenStore.requestAccessToken(
                    withName: request.name, authentication: request.authentication
                ) { token, error in
                    let count = received.withLock { received in
                        let failure = (error as NSError?) ?? .powerAuth(.NA)
                        received[number] = token.map { .success($0) } ?? .failure(failure)
                        return received.count
                    }
                    if count == requests.count { report(()) }
                }
            }
            app.sdk.tokenStore.requestAccessToken(withName: "A", authentication: .possession()) { _, _ in
                Issue.record("a cancelled request reports nothing")
            }?.cancel()
            Task {
                await app.transport.holds(Self.creation)
                app.transport.release(Self.creation)
            }
        }
        let results = received.withLock { $0 }
        #expect(results[3]?.code == .wrongParameter)
        let a = try [0, 2, 5].map { try #require(results[$0]).get() }
        let b = try [1, 4].map { try #require(results[$0]).get() }
        #expect(a.allSatisfy { $0.isEqual(to: a[0]) } && b.allSatisfy { $0.isEqual(to: b[0]) })
        #expect(!a[0].isEqual(to: b[0]))
        #expect(app.transport.count(of: Self.creation) == 2)
    }

    @Test(
        .verifies("sharing.md", "T-6"),
        .verifies("sdk.md", "B-44"), arguments: TestApp.Mode.allCases, [true, false])
    func `A stored token is not given for other factors, either way`(mode: TestApp.Mode, withPassword: Bool)
        async throws
    {
        let app = try await TestApp.activated(mode)
        _ = try await app.sdk.token("list", withPassword ? .rightPassword : .possession()).get()
        #expect(await app.sdk.token("list", withPassword ? .possession() : .rightPassword).code == .wrongParameter)
        #expect(try await app.sdk.token("list", withPassword ? .rightPassword : .possession()).get().canGenerateHeader)
    }

    @Test(
        .verifies("sharing.md", "C-1"), .verifies("sdk.md", "B-45"),
        arguments: TestApp.Mode.allCases)
    func `Twenty tokens are requested at once, and removed at once, and the activation stays active`(mode: TestApp.Mode)
        async throws
    {
        let app = try await TestApp.activated(mode)
        let names = (1...20).map { "token \($0)" }
        try await withThrowingTaskGroup(of: String.self) { group in
            for name in names { group.addTask { try await app.sdk.token(name).get().tokenIdentifier } }
            var identifiers: Set<String> = []
            for try await identifier in group { identifiers.insert(identifier) }
            #expect(identifiers.count == names.count)
        }
        await withTaskGroup(of: Bool.self) { group in
            for name in names { group.addTask { await remove(app.sdk, name).isRemoved } }
            for await isRemoved in group { #expect(isRemoved) }
        }
        #expect(try await app.status().get().state == .active)
        #expect(await app.validate() == nil)
    }

    @Test(arguments: TestApp.Mode.allCases)
    func `A hundred requests for one name make one call of the server`(mode: TestApp.Mode) async throws {
        let app = try await TestApp.activated(mode)
        let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await app.sdk.token("one").get().tokenIdentifier } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(identifiers.count == 1)
        #expect(app.transport.count(of: Self.creation) == 1)
    }

    @Test func `A header is computed after time was synchronised, once, and needs a stored token`() async throws {
        let app = try await TestApp.activated()
        _ = try await app.sdk.token("list").get()
        let restarted = try app.restarted()
        #expect(restarted.tokenStore.localToken(withName: "list")?.canGenerateHeader == true)
        #expect(!restarted.timeSynchronizationService.isTimeSynchronized)
        _ = try await header(restarted, "list")
        #expect(restarted.timeSynchronizationService.isTimeSynchronized)
        _ = try await header(restarted, "list")
        #expect(app.transport.count(of: "/pa/v3/status") == 1)
        let unknown = await outcome {
            _ = restarted.tokenStore.generateAuthorizationHeader(withName: "unknown", completion: $0)
        }
        #expect(unknown.code == .invalidToken)
    }
}
