// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import LabHTTP
import PowerAuth2
import SDKTestSupport
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Content of a request (networking.md, sections 4 and 16)", .endsInTime)
struct RequestTests {
    @Test(.verifies("networking.md", "B-11"))
    func `A request is a POST of JSON that names language and library`() async throws {
        let app = try await TestApp()
        let service = try app.service()
        let outcome = await service.send(WPNRequestBase(), Endpoints.basic)
        #expect(outcome.response?.status == .Ok && outcome.error == nil)
        let request = try app.lastRequest(of: Endpoints.basicPath)
        #expect(request.method == "POST" && request.body == Data("{}".utf8))
        #expect(request["Accept"] == "application/json" && request["Content-Type"] == "application/json")
        #expect(request["Accept-Language"] == "en")
        #expect(request["User-Agent"] == WPNUserAgent.libraryDefault.getValue(on: app.sandbox))
        for name in ["X-PowerAuth-Authorization", "X-PowerAuth-Token", "X-PowerAuth-Encryption"] {
            #expect(request[name] == nil)
        }
        #expect(app.transport.paths == [Endpoints.basicPath], "a plain request needs nothing before it")
    }

    @Test(.verifies("networking.md", "B-10", "B-25"))
    func `Each kind of endpoint sends the headers of its kind, encrypted or not`() async throws {
        let app = try await TestApp.activated()
        let service = try app.service()
        let message = Message(data: "hello")
        func names(_ path: String) throws -> Set<String> {
            Set(try app.lastRequest(of: path).headers.map(\.name).filter { $0.hasPrefix("X-PowerAuth-") })
        }
        #expect(await service.send(WPNRequestBase(), .rightPassword, Endpoints.signed).error == nil)
        #expect(try names(Endpoints.signedPath) == ["X-PowerAuth-Authorization"])
        #expect(await service.send(WPNRequestBase(), .possession(), Endpoints.token).error == nil)
        #expect(try names(Endpoints.tokenPath) == ["X-PowerAuth-Token"])
        for endpoint in [Endpoints.application, Endpoints.activation] {
            let outcome = await service.send(WPNRequest(message), endpoint)
            #expect(outcome.response?.responseObject == message && outcome.error == nil)
            #expect(try names(endpoint.endpointURLPath) == ["X-PowerAuth-Encryption"])
        }
        let signed = await service.send(WPNRequest(message), .rightPassword, Endpoints.signedAndEncrypted)
        #expect(signed.response?.responseObject == message && signed.error == nil)
        #expect(try names("/exchange/v3/signed/generics") == ["X-PowerAuth-Authorization"])
        let token = await service.send(WPNRequest(message), .rightPassword, Endpoints.tokenAndEncrypted)
        #expect(token.response?.responseObject == message && token.error == nil)
        #expect(try names("/exchange/v3/token/generics") == ["X-PowerAuth-Token", "X-PowerAuth-Encryption"])

        let body = try app.lastRequest(of: "/exchange/v3/token/generics").body
        let keys = try #require(JSONSerialization.jsonObject(with: body) as? [String: Any]).keys
        #expect(Set(keys) == ["temporaryKeyId", "ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp"])
        #expect(!String(decoding: body, as: UTF8.self).contains("hello"))
    }

    @Test(.verifies("networking.md", "B-11"))
    func `A caller's header replaces the library's, ignoring case; the protocol's own cannot be replaced`() async throws
    {
        let app = try await TestApp.activated()
        let service = try app.service()
        let outcome = await service.send(
            WPNRequestBase(), Endpoints.basic,
            headers: [
                "accept": "application/custom+json", "X-Extra": "1", "accept-language": "cs", "User-Agent": "me",
                "x-powerauth-authorization": "forged",
            ], timeout: 12)
        #expect(outcome.error == nil)
        let request = try app.lastRequest(of: Endpoints.basicPath)
        #expect(request["Accept"] == "application/custom+json" && request["Content-Type"] == "application/json")
        #expect(request["X-Extra"] == "1" && request["Accept-Language"] == "cs" && request["User-Agent"] == "me")
        #expect(request["X-PowerAuth-Authorization"] == nil)
    }

    @Test(.verifies("networking.md", "B-11"))
    func `A request's own timeout overrides the configuration's`() async throws {
        let app = try await TestApp()
        app.transport.order(.hold(.request), .hold(.request), for: Endpoints.basicPath)
        // Twelve seconds of the device's time end the first request, not the second.
        let service = try app.service(timeout: 3600)
        async let first = service.send(WPNRequestBase(), Endpoints.basic, timeout: 12)
        await app.transport.holds(Endpoints.basicPath)
        try app.device.clock.advance(by: .seconds(13))
        let outcome = await first
        #expect(outcome.error?.reason == .network_timeOut)
        #expect((outcome.error?.nestedError as? URLError)?.code == .timedOut)
        app.transport.release(Endpoints.basicPath)
        async let second = service.send(WPNRequestBase(), Endpoints.basic)
        await app.transport.holds(Endpoints.basicPath)
        try app.device.clock.advance(by: .seconds(13))
        app.transport.release(Endpoints.basicPath)
        #expect(await second.error == nil)
    }

    /// A request that cannot be written.
    private final class BrokenRequest: WPNRequestBase {
        private struct Broken: Error {}

        override func encode(to encoder: any Encoder) throws { throw Broken() }
    }

    @Test(.verifies("networking.md", "B-12")) func `A request that cannot be written is not sent`() async throws {
        let app = try await TestApp.activated()
        let sent = app.transport.requests.count
        let service = try app.service()
        let basic = WPNEndpointBasic<BrokenRequest, WPNResponseBase>(endpointURLPath: "/any", e2ee: .activationScope)
        let signed = WPNEndpointSigned<BrokenRequest, WPNResponseBase>(endpointURLPath: "/any", uriId: "/any")
        for error in [
            await service.send(BrokenRequest(), basic).error,
            await service.send(BrokenRequest(), .rightPassword, signed).error,
        ] {
            #expect(error?.reason == .network_invalidRequestObject && error?.nestedError == nil)
        }
        #expect(app.transport.requests.count == sent)
    }

    @Test(.verifies("networking.md", "B-32"))
    func `The language is that of the moment at which a request is made`() async throws {
        let app = try await TestApp()
        let service = try app.service()
        app.transport.order(.hold(.request), for: Endpoints.basicPath)
        async let first = service.send(WPNRequestBase(), Endpoints.basic)
        await app.transport.holds(Endpoints.basicPath)
        service.acceptLanguage = "cs"
        app.transport.release(Endpoints.basicPath)
        #expect(await first.error == nil)
        #expect(try app.lastRequest(of: Endpoints.basicPath)["Accept-Language"] == "en")
        #expect(await service.send(WPNRequestBase(), Endpoints.basic).error == nil)
        #expect(try app.lastRequest(of: Endpoints.basicPath)["Accept-Language"] == "cs")
    }

    @Test func `Progress goes from 0 to 1 and never back, and ends at 1 when there is an answer`() async throws {
        let app = try await TestApp()
        let seen = Mutex<[Double]>([])
        let large = WPNEndpointBasic<WPNRequest<Message>, WPNResponseBase>(endpointURLPath: Endpoints.basicPath)
        let outcome = try await app.service().send(
            WPNRequest(Message(data: String(repeating: "a", count: 400_000))), large,
            progress: { part in seen.withLock { $0.append(part) } })
        #expect(outcome.error == nil)
        let parts = seen.withLock { $0 }
        #expect(parts == parts.sorted() && parts.last == 1 && parts.allSatisfy { $0 > 0 && $0 <= 1 })
    }

    @Test func `The JSON of a service is written and read with its encoder and decoder`() async throws {
        struct Timed: Codable, Sendable { let serverTime: Date }
        let app = try await TestApp()
        let service = try app.service()
        app.transport.order(
            .answer(status: 200, body: #"{"status":"OK","responseObject":{"serverTime":1000}}"#), for: "/time")
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        service.jsonEncoder = encoder
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        service.jsonDecoder = decoder
        let endpoint = WPNEndpointBasic<WPNRequest<Timed>, WPNResponse<Timed>>(endpointURLPath: "/time")
        let time = Date(timeIntervalSince1970: 1000)
        let outcome = await service.send(WPNRequest(Timed(serverTime: time)), endpoint)
        #expect(outcome.response?.responseObject?.serverTime == time)
        #expect(try app.lastRequest(of: "/time").body == Data(#"{"requestObject":{"serverTime":1000}}"#.utf8))
    }
}
