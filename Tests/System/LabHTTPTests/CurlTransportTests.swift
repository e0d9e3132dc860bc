// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabHTTP
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

    @Test func `Bodies and headers arrive as they are`() async throws {
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

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "GET"])
    func `A body is sent with any method, and its length also without one by POST`(method: String) async throws {
        let server = try LoopbackServer(.echo)
        defer { server.close() }
        let body = Data("body".utf8)
        #expect(try await send(HTTPRequest(url: server.url, method: method, body: body)).get().body == body)
        #expect(try await send(HTTPRequest(url: server.url, method: method)).get().body.isEmpty)
        let heads = server.heads
        try #require(heads.count == 2)
        #expect(heads.allSatisfy { $0.hasPrefix("\(method) /path HTTP/1.1\r\n") })
        #expect(heads[0].contains("\r\nContent-Length: 4"))
        #expect(heads[1].contains("\r\nContent-Length: 0") == (method == "POST"))
    }

    @Test(arguments: [204, 302, 401, 500]) func `Every status is a response`(status: Int) async throws {
        let server = try LoopbackServer(.answer(status: status, body: status == 204 ? "" : "{}"))
        defer { server.close() }
        #expect(try await send(HTTPRequest(url: server.url)).get().status == status)
    }

    @Test func `Connections are used again`() async throws {
        let server = try LoopbackServer(.answer(status: 200, body: "{}"))
        defer { server.close() }
        for _ in 0..<5 { #expect(try await send(HTTPRequest(url: server.url)).get().status == 200) }
        #expect(server.connections == 1)
    }

    @Test func `A request that shares no connection neither takes one over nor leaves its own`() async throws {
        let server = try LoopbackServer(.answer(status: 200, body: "{}"))
        defer { server.close() }
        for sharesConnection in [false, true, false, true, false] {
            var request = HTTPRequest(url: server.url)
            request.sharesConnection = sharesConnection
            #expect(try await send(request).get().status == 200)
        }
        #expect(server.connections == 4, "both that share have the same one")
    }

    @Test func `Several requests are on their way at once`() async throws {
        let (silent, answering) = (try LoopbackServer(.silence), try LoopbackServer(.echo))
        defer {
            silent.close()
            answering.close()
        }
        let stuck = CurlTransport.shared.send(HTTPRequest(url: silent.url)) { _ in }
        #expect(try await send(HTTPRequest(url: answering.url)).get().status == 200)
        stuck.cancel()
    }

    @Test func `A cancelled request ends with its own code`() async throws {
        let server = try LoopbackServer(.silence)
        defer { server.close() }
        let result = await callback { (report: @escaping @Sendable (Result<HTTPResponse, NSError>) -> Void) in
            let exchange = CurlTransport.shared.send(HTTPRequest(url: server.url), completion: report)
            exchange.cancel()
            exchange.cancel()
        }
        #expect(code(result) == .cancelled)
    }

    @Test func `A silent server ends in a timeout`() async throws {
        let server = try LoopbackServer(.silence)
        defer { server.close() }
        #expect(code(await send(HTTPRequest(url: server.url, timeout: 0.05))) == .timedOut)
    }

    @Test func `Broken connections are lost`() async throws {
        for behavior in [LoopbackServer.Behavior.hangUp, .breakOff] {
            let server = try LoopbackServer(behavior)
            defer { server.close() }
            #expect(code(await send(HTTPRequest(url: server.url))) == .networkConnectionLost)
        }
    }

    @Test func `A request is not sent again when its connection breaks`() async throws {
        let server = try LoopbackServer(.hangUpLater)
        defer { server.close() }
        #expect(try await send(HTTPRequest(url: server.url)).get().status == 200)
        #expect(code(await send(HTTPRequest(url: server.url))) == .networkConnectionLost)
        #expect(server.heads.count == 2, "the second request went out once")
        #expect(try await send(HTTPRequest(url: server.url)).get().status == 200)
    }

    @Test func `Unreachable and unusable addresses have their codes`() async throws {
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

    @Test(arguments: Sizes.around(10)) func `A body is as long as its request allows`(length: Int) async throws {
        let server = try LoopbackServer(.answer(status: 200, body: String(repeating: "x", count: length)))
        defer { server.close() }
        var request = HTTPRequest(url: server.url)
        request.largestResponse = 10
        let result = await send(request)
        if length <= 10 {
            #expect(try result.get().body.count == length)
        } else {
            #expect(code(result) == .dataLengthExceedsMaximum)
        }
    }

    @Test(.verifies("size", "HTTPRequest.largestBody")) func `A body without end is refused`() async throws {
        let server = try LoopbackServer(.answer(status: 200, body: String(repeating: "x", count: (16 << 20) + 1)))
        defer { server.close() }
        #expect(code(await send(HTTPRequest(url: server.url))) == .dataLengthExceedsMaximum)
    }
}
