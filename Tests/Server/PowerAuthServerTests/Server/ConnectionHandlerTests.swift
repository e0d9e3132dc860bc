// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import TestSupport
import Testing

@testable import HTTPConnections

/// The handlers of a connection, one by one and without a network.
@Suite("Handlers of connections", .endsInTime)
struct ConnectionHandlerTests {
    @Test func `Places are counted in all and by address, and each that is given back can be taken once`() {
        var limits = ConnectionLimits()
        (limits.connections, limits.connectionsPerAddress) = (3, 2)
        let limiter = ConnectionLimiter(limits)
        #expect(["a", "a", "a", "b", "b", "c"].map { limiter.enter($0) } == [true, true, false, true, false, false])
        #expect(limiter.count == 3)
        limiter.leave("a")
        #expect(limiter.count == 2)
        #expect(["a", "a", "b"].map { limiter.enter($0) } == [true, false, false])
        limiter.leave("b")
        #expect(["a", "c"].map { limiter.enter($0) } == [false, true])
        for address in ["a", "a", "c"] { limiter.leave(address) }
        #expect(limiter.count == 0)
        #expect(["a", "a", "a"].map { limiter.enter($0) } == [true, true, false])
    }

    @Test func `A refused client reads when it may try again`() {
        let lines = ["HTTP/1.1 503 Service Unavailable", "Retry-After: 1", "Content-Length: 0", "Connection: close"]
        #expect(ConnectionDoor.refusal == lines.map { $0 + "\r\n" }.joined() + "\r\n")
    }

    @Test func `The limits of a server are those of its documentation`() {
        let limits = ConnectionLimits()
        #expect(limits.headerTimeout == 10_000 && limits.bodyTimeout == 30_000)
        #expect(limits.idleTimeout == 30_000 && limits.answerTimeout == 30_000)
        #expect(limits.connections == 1_600 && limits.connectionsPerAddress == 400)
    }

    private func head(_ version: HTTPVersion, _ headers: HTTPHeaders) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: .GET, uri: "/", headers: headers)
    }

    @Test(
        arguments: [
            (1, 1, nil, nil), (1, 1, "close", "close"), (1, 1, "Upgrade, CLOSE", "close"), (1, 1, "keep-alive", nil),
            (1, 0, nil, "close"), (1, 0, "keep-alive", "keep-alive"), (1, 0, "Keep-Alive", "keep-alive"),
            (1, 0, "keep-alive, close", "close"), (0, 9, nil, "close"), (2, 0, nil, nil),
        ] as [(Int, Int, String?, String?)])
    func `An answer says that the connection ends, or to a client of HTTP/1.0 that it stays, and nothing otherwise`(
        major: Int, minor: Int, wanted: String?, expected: String?
    ) throws {
        let channel = EmbeddedChannel(handler: ConnectionPersistence())
        var headers: HTTPHeaders = ["Host": "localhost"]
        if let wanted { headers.add(name: "Connection", value: wanted) }
        try channel.writeInbound(HTTPServerRequestPart.head(head(HTTPVersion(major: major, minor: minor), headers)))
        guard case .head(let received)? = try channel.readInbound(as: HTTPServerRequestPart.self)
        else { throw Unexpected("the head did not arrive") }
        // The server behind ends the connection after this header.
        let passedOn = expected == "close" ? expected : wanted
        #expect(received.headers["connection"] == [passedOn].compactMap { $0 })
        // An announcement comes before the answer, and says nothing of the connection.
        for status in [HTTPResponseStatus.continue, .ok] {
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: status)))
            guard case .head(let sent)? = try channel.readOutbound(as: HTTPServerResponsePart.self)
            else { throw Unexpected("no answer was sent") }
            let said = status == .ok ? expected : nil
            #expect(sent.headers["connection"] == [said].compactMap { $0 }, "\(status)")
        }
        _ = try? channel.finish()
    }

    @Test func `Each answer has the option of its own request; one without a request is left as it is`() throws {
        let channel = EmbeddedChannel(handler: ConnectionPersistence())
        for version in [HTTPVersion.http1_1, .http1_0] {
            try channel.writeInbound(HTTPServerRequestPart.head(head(version, ["Host": "localhost"])))
        }
        var options: [[String]] = []
        for _ in 1...3 {
            let answer = HTTPResponseHead(version: .http1_1, status: .ok)
            try channel.writeOutbound(HTTPServerResponsePart.head(answer))
            if case .head(let sent)? = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                options.append(sent.headers["connection"])
            }
        }
        #expect(options == [[], ["close"], []])
        _ = try? channel.finish()
    }

    @Test(
        arguments: [
            ("/", ["a"], true), ("/", [], false), ("/", ["a", "b"], false), ("/", ["a", "a"], false),
            ("/x?u=http://b/", ["a"], true), ("*", ["a"], true), ("http://a", ["a"], true),
            ("http://A/x", ["a"], true), ("http://a?x", ["a"], true), ("http://a#x", ["a"], true),
            ("http://b/", ["a"], false), ("http://a:1/", ["a"], false), ("http://a@b/", ["a"], false),
            ("https://a/", ["a"], true), ("http:///", ["a"], false), ("http://ab/", ["a"], false),
        ] as [(String, [String], Bool)])
    func `A request is for one host, the same in its target and its header; otherwise its host has no name`(
        target: String, hosts: [String], isClear: Bool
    ) {
        var request = HTTPRequestHead(version: .http1_1, method: .GET, uri: target)
        for host in hosts { request.headers.add(name: "Host", value: host) }
        #expect(RequestAuthority.marked(request).headers["host"] == (isClear ? hosts : ["?"]))
    }

    @Test(arguments: [(1, 0, true), (1, 1, false)])
    func `Only a request of HTTP/1.0 may have no host, and none may have two`(major: Int, minor: Int, mayLackHost: Bool)
    {
        var request = HTTPRequestHead(version: HTTPVersion(major: major, minor: minor), method: .GET, uri: "/")
        #expect(RequestAuthority.marked(request).headers["host"] == (mayLackHost ? [] : ["?"]))
        for host in ["a", "b"] { request.headers.add(name: "Host", value: host) }
        #expect(RequestAuthority.marked(request).headers["host"] == ["?"])
    }
}
