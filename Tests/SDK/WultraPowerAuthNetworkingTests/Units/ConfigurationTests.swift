// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
import PowerAuthShared
import SimulatedDevice
import TestSupport
import Testing

@testable import WultraPowerAuthNetworking

@Suite("Configuration of a service (networking.md, sections 2.1, 4.1, 9, 12 and 16)", .endsInTime)
struct ConfigurationTests {
    @Test(
        .verifies("networking.md", "B-1"),
        arguments: ["https://example.com/api", "https://example.com/api/"],
        [("/v1/action", "v1/action"), ("v2/items", "v2/items"), ("/a?x=1", "a%3Fx=1"), ("", ""), ("/", "")])
    func `A URL is built with one slash between base and path, whichever of them has one`(
        base: String, path: (given: String, built: String)
    ) throws {
        let config = WPNConfig(baseUrl: try #require(URL(string: base)))
        let built = config.buildURL(path.given).absoluteString
        #expect(
            built == "https://example.com/api/\(path.built)" || built + "/" == "https://example.com/api/\(path.built)")
    }

    @Test(.verifies("networking.md", "B-2"))
    func `Without further arguments the system judges servers, the limit is 20 s, and the library names itself`() throws
    {
        for config in [WPNConfig(baseUrl: try #require(URL(string: "https://h"))), WPNConfig(baseUrl: "https://h")] {
            #expect(config.timeoutIntervalForRequest == 20 && config.baseUrl.absoluteString == "https://h")
            guard case .default = config.sslValidation, case .libraryDefault = config.userAgent
            else { throw Unexpected("other defaults") }
        }
    }

    @Test(.verifies("networking.md", "B-3"))
    func `The user agent is absent, the caller's text, or library, network, application and device`() throws {
        let sandbox = try Sandbox.temporary()
        #expect(WPNUserAgent.systemDefault.getValue(on: sandbox) == nil)
        #expect(WPNUserAgent.custom("Custom/1.0").getValue(on: sandbox) == "Custom/1.0")
        let text = try #require(WPNUserAgent.libraryDefault.getValue(on: sandbox))
        #expect(text.hasPrefix("PowerAuthNetworking/\(WPNUserAgent.libraryVersion) ("))
        #expect(text.contains(") com.example.main/1.0 (Apple; iOS/\(sandbox.device.osVersion); "))
        #expect(text.hasSuffix("\(sandbox.device.model.lowercased()))"))
        let nowhere = try #require(WPNUserAgent.libraryDefault.getValue(on: nil))
        #expect(nowhere.contains(" ??/ (Apple; iOS/; UNKNOWN)"))
    }

    /// A provider with one opinion about everything.
    private struct Opinion: WPNPinningProvider {
        let accepts: Bool

        func validate(challenge: URLAuthenticationChallenge) -> Bool { accepts }
    }

    @Test(arguments: [("https://a.b", 443), ("https://a.b:8443/x", 8_443)])
    func `A challenge names the server of the request`(address: String, port: Int) throws {
        let url = try #require(URL(string: address))
        let space = URLAuthenticationChallenge(server: ServerCertificates(chain: [], problem: nil), of: url)
            .protectionSpace
        #expect(space.host == "a.b" && space.port == port && space.protocol == "https")
        #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
    }

    @Test(.verifies("networking.md", "B-4")) func `A challenge is answered by the strategy`() throws {
        let url = try #require(URL(string: "https://example.com"))
        let server = URLAuthenticationChallenge(server: ServerCertificates(chain: [Data([1])], problem: nil), of: url)
        let other = URLAuthenticationChallenge(
            protectionSpace: URLProtectionSpace(
                host: "example.com", port: 443, protocol: "https", realm: nil,
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic), proposedCredential: nil,
            previousFailureCount: 0, failureResponse: nil, error: nil, sender: try #require(server.sender))
        let answers: [(WPNSSLValidationStrategy, URLAuthenticationChallenge, URLSession.AuthChallengeDisposition)] = [
            (.default, server, .performDefaultHandling), (.noValidation, server, .useCredential),
            (.noValidation, other, .performDefaultHandling),
            (.sslPinning(Opinion(accepts: true)), server, .performDefaultHandling),
            (.sslPinning(Opinion(accepts: false)), server, .cancelAuthenticationChallenge),
        ]
        for (strategy, challenge, disposition) in answers {
            let answer = strategy.answer(to: challenge)
            #expect(answer.disposition == disposition, "\(strategy)")
            #expect((answer.credential != nil) == (disposition == .useCredential))
        }
    }

    @Test func `An endpoint of each kind is made without encryption, also by an initialiser that is passed on`() {
        let makeBasic = WPNEndpointBasic<WPNRequestBase, WPNResponseBase>.init(endpointURLPath:)
        let basic = makeBasic("/a")
        #expect(basic.endpointURLPath == "/a" && basic.e2ee == .notEncrypted)
        let makeSigned = WPNEndpointSigned<WPNRequestBase, WPNResponseBase>.init(endpointURLPath:uriId:)
        let signed = makeSigned("/b", "/id")
        #expect(signed.endpointURLPath == "/b" && signed.uriId == "/id" && signed.e2ee == .notEncrypted)
        let makeToken = WPNEndpointSignedWithToken<WPNRequestBase, WPNResponseBase>.init(endpointURLPath:tokenName:)
        let token = makeToken("/c", "t")
        #expect(token.endpointURLPath == "/c" && token.tokenName == "t" && token.e2ee == .notEncrypted)
    }

    @Test func `Both spellings of the concurrency strategies name the same`() {
        let strategy: WPNRequestConcurrencyStrategy = .concurrentAll
        #expect(strategy == WPNRequestConcurencyStrategy.concurentAll && strategy != .serialAll)
    }
}
