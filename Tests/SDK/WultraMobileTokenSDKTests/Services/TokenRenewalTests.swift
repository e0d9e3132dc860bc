// SPDX-License-Identifier: Apache-2.0

import LabControl
import LabCore
import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

@Suite("Token renewal (mobile-token.md, section 24, item 19)", .endsInTime)
struct TokenRenewalTests {
    private static let create = "/pa/v3/token/create"

    @Test func `After a new token that was refused too none is made until a call succeeds`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let refusal = Answer.error("ERR_AUTHENTICATION", status: 401)
        app.answer(ServiceApp.list, refusal, refusal, refusal, try .operations("1"), refusal, try .operations("2"))
        // The first asks again with a new token, the second does not.
        for (lists, tokens) in [(2, 2), (3, 2)] {
            #expect(await service.list().failure?.restApiError?.errorCode == .authenticationError)
            #expect(app.transport.count(of: ServiceApp.list) == lists)
            #expect(app.transport.count(of: Self.create) == tokens)
        }
        #expect(await service.list().operations.map(\.id) == ["1"])
        #expect(await service.list().operations.map(\.id) == ["2"])
        #expect(app.transport.count(of: ServiceApp.list) == 6 && app.transport.count(of: Self.create) == 3)
    }

    @Test
    func `A token that the server accepts, although it refuses the call, ends that no new one is made`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let refusal = Answer.error("POWERAUTH_AUTH_FAIL", status: 401)
        app.answer(ServiceApp.list, refusal, refusal, .error("OPERATION_FAILED"), refusal, try .operations("1"))
        for _ in 0..<2 { _ = await service.list() }
        #expect(app.transport.count(of: Self.create) == 2)
        #expect(await service.list().operations.map(\.id) == ["1"])
        #expect(app.transport.count(of: Self.create) == 3)
    }

    @Test
    func `A blocked activation keeps its token, asks for no other one and uses it again when it is unblocked`()
        async throws
    {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        #expect(await service.list().failure == nil)
        let token = app.token
        try await app.app.backOffice.block(app.app.activationId)
        for _ in 0..<2 {
            #expect(await service.list().failure?.httpStatusCode == 401)
        }
        #expect(app.token == token && app.transport.count(of: Self.create) == 1)
        try await app.app.backOffice.unblock(app.app.activationId)
        #expect(await service.list().failure == nil)
        #expect(app.transport.count(of: Self.create) == 1)
    }

    @Test func `A new token counts as accepted, although the server refused the request`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let refusal = Answer.error("POWERAUTH_AUTH_FAIL", status: 401)
        app.answer(ServiceApp.detail, refusal, .error("OPERATION_EXPIRED"), refusal, .error("OPERATION_EXPIRED"))
        for tokens in [2, 3] {
            let failure = await result { service.getDetail(operationId: "1", completion: $0) }.failure
            #expect(failure?.restApiError?.errorCode == .operationExpired)
            #expect(app.transport.count(of: Self.create) == tokens)
        }
    }

    @Test
    func `A refusal that arrives after another call has made a new token does not affect that token`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        _ = await service.list()
        let old = try #require(app.token)
        try await app.app.backOffice.call(
            "token/remove", ["tokenId": .string(old), "activationId": .string(app.app.activationId)])
        app.transport.order(.hold(.response), for: ServiceApp.detail)
        async let late = result { app.networking.createWMTOperations().getDetail(operationId: "1", completion: $0) }
        await app.transport.holds(ServiceApp.detail)
        #expect(await service.list().failure == nil)
        let new = app.token
        #expect(new != nil && new != old)
        app.transport.release(ServiceApp.detail)
        #expect(await late.failure?.httpStatusCode == 400, "the new token is accepted, the operation is unknown")
        #expect(app.token == new && app.transport.count(of: Self.create) == 2)
    }

    @Test func `A refusal that is not about the token leaves it alone, also with the status 401`() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.detail, .error("OPERATION_FAILED", status: 401))
        let failure = await result { service.getDetail(operationId: "1", completion: $0) }.failure
        #expect(failure?.restApiError?.errorCode == .operationFailed && failure?.httpStatusCode == 401)
        #expect(app.transport.count(of: ServiceApp.detail) == 1 && app.transport.count(of: Self.create) == 1)
        #expect(app.app.sdk.tokenStore.hasLocalToken(withName: "possession_universal"))
    }
}

extension ServiceApp {
    /// Identifier of the token that is stored.
    fileprivate var token: String? {
        app.sdk.tokenStore.localToken(withName: "possession_universal")?.tokenIdentifier
    }
}
