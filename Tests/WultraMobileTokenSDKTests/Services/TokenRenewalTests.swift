import PowerAuth2
import SDKTestSupport
import TestSupport
import Testing
import WultraMobileTokenSDK
import WultraPowerAuthNetworking

@Suite("When a token is made anew (mobile-token.md, section 24, item 19)", .endsInTime)
struct TokenRenewalTests {
    private static let create = "/pa/v3/token/create"

    @Test("After a new token that was refused too none is made until a call succeeds")
    func refusedAgain() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        let refusal = Answer.error("ERR_AUTHENTICATION", status: 401)
        app.answer(
            ServiceApp.list, refusal, refusal, refusal, try .operations("1"), refusal, try .operations("2"))
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

    @Test("A refusal that is not about the token leaves it alone, also with the status 401")
    func anotherRefusal() async throws {
        let app = try await ServiceApp.activated()
        let service = app.networking.createWMTOperations()
        app.answer(ServiceApp.detail, .error("OPERATION_FAILED", status: 401))
        let failure = await result { service.getDetail(operationId: "1", completion: $0) }.failure
        #expect(failure?.restApiError?.errorCode == .operationFailed && failure?.httpStatusCode == 401)
        #expect(app.transport.count(of: ServiceApp.detail) == 1 && app.transport.count(of: Self.create) == 1)
        #expect(app.app.sdk.tokenStore.hasLocalToken(withName: "possession_universal"))
    }
}
