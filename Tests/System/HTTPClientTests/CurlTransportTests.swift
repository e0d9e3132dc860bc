import Foundation
import HTTPClient
import TestSupport
import Testing

@Suite("Transport by libcurl", .endsInTime)
struct CurlTransportTests {
    private func send(_ request: HTTPRequest) async -> Result<HTTPResponse, NSError> {
        await callback { report in _ = CurlTransport.shared.send(request, completion: report) }
    }

    private func code(_ result: Result<HTTPResponse, NSError>) -> URLError.Code? {
        guard case .failure(let error) = result, error.domain == NSURLErrorDomain else { return nil }
        return URLError.Code(rawValue: error.code)
    }

    @Test("Bodies and headers arrive as they are")
    func bodiesAndHeadersArriveAsTheyAre() async throws {
        let server = try LoopbackServer(.echo)
        defer { server.close() }
        let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0) })
        let request = HTTPRequest(
            url: server.url, headers: [("X-One", "1"), ("Content-Type", "application/json")], body: body)
        let response = try await send(request).get()
        #expect(response.status == 200 && response.body == body)
        let head = try #require(server.heads.first)
        #expect(head.hasPrefix("POST /path HTTP/1.1\r\n"))
        #expect(head.contains("\r\nX-One: 1\r\nContent-Type: application/json"))
        #expect(!head.contains("Expect:"), "the client does not wait for 100 Continue")
        #expect(try await send(HTTPRequest(url: server.url)).get().body.isEmpty)
    }

    @Test("Every status is a response", arguments: [204, 302, 401, 500])
    func everyStatusIsAResponse(status: Int) async throws {
        let server = try LoopbackServer(.answer(status: status, body: status == 204 ? "" : "{}"))
        defer { server.close() }
        #expect(try await send(HTTPRequest(url: server.url)).get().status == status)
    }

    @Test("Connections are used again")
    func connectionsAreUsedAgain() async throws {
        let server = try LoopbackServer(.answer(status: 200, body: "{}"))
        defer { server.close() }
        for _ in 0..<5 { #expect(try await send(HTTPRequest(url: server.url)).get().status == 200) }
        #expect(server.connections == 1)
    }

    @Test("Several requests are on their way at once")
    func severalRequestsAreOnTheirWayAtOnce() async throws {
        let (silent, answering) = (try LoopbackServer(.silence), try LoopbackServer(.echo))
        defer {
            silent.close()
            answering.close()
        }
        let stuck = CurlTransport.shared.send(HTTPRequest(url: silent.url)) { _ in }
        #expect(try await send(HTTPRequest(url: answering.url)).get().status == 200)
        stuck.cancel()
    }

    @Test("A cancelled request ends with its own code")
    func aCancelledRequestEndsWithItsOwnCode() async throws {
        let server = try LoopbackServer(.silence)
        defer { server.close() }
        let result = await callback { (report: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void) in
            let exchange = CurlTransport.shared.send(HTTPRequest(url: server.url), completion: report)
            exchange.cancel()
            exchange.cancel()
        }
        #expect(code(result) == .cancelled)
    }

    @Test("A silent server ends in a timeout")
    func silenceEndsInATimeOut() async throws {
        let server = try LoopbackServer(.silence)
        defer { server.close() }
        #expect(code(await send(HTTPRequest(url: server.url, timeout: 0.05))) == .timedOut)
    }

    @Test("Broken connections are lost")
    func brokenConnectionsAreLost() async throws {
        for behavior in [LoopbackServer.Behavior.hangUp, .breakOff] {
            let server = try LoopbackServer(behavior)
            defer { server.close() }
            #expect(code(await send(HTTPRequest(url: server.url))) == .networkConnectionLost)
        }
    }

    @Test("A request is not sent again when its connection breaks")
    func aRequestIsNotSentAgainWhenItsConnectionBreaks() async throws {
        let server = try LoopbackServer(.hangUpLater)
        defer { server.close() }
        #expect(try await send(HTTPRequest(url: server.url)).get().status == 200)
        #expect(code(await send(HTTPRequest(url: server.url))) == .networkConnectionLost)
        #expect(server.heads.count == 2, "the second request went out once")
        #expect(try await send(HTTPRequest(url: server.url)).get().status == 200)
    }

    @Test("Unreachable and unusable addresses have their codes")
    func unreachableAndUnusableAddressesHaveTheirCodes() async throws {
        let addresses = [
            ("http://127.0.0.1:1/", URLError.Code.cannotConnectToHost), ("http://host.invalid/", .cannotFindHost),
            ("ftp://127.0.0.1/", .unsupportedURL),
        ]
        for (text, expected) in addresses {
            let url = try #require(URL(string: text))
            let result = await send(HTTPRequest(url: url, timeout: 5))
            #expect(code(result) == expected, "\(text)")
            guard case .failure(let error) = result else { continue }
            #expect(error.localizedDescription.contains(text), "the error names the address")
        }
    }

    @Test("A body without end is refused")
    func aBodyWithoutEndIsRefused() async throws {
        let server = try LoopbackServer(.answer(status: 200, body: String(repeating: "x", count: (16 << 20) + 1)))
        defer { server.close() }
        #expect(code(await send(HTTPRequest(url: server.url))) == .dataLengthExceedsMaximum)
    }
}
