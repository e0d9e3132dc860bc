// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import PowerAuthServer

/// The small forms of text that requests and settings are written in.
@Suite("Texts of requests", .endsInTime)
struct RequestTextTests {
    @Test(
        arguments: [
            ("", "", true), ("", "a", false), ("a", "a", true), ("a", "ab", false), ("a", "ba", false),
            ("*", "", true), ("*", "abc", true), ("a*", "a", true), ("a*", "abc", true), ("a*", "ba", false),
            ("*c", "abc", true), ("*c", "c", true), ("*c", "cb", false), ("a*c", "ac", true), ("a*c", "abbc", true),
            ("a*c", "abcd", false), ("a*b*c", "abc", true), ("a*b*c", "axbxbxc", true), ("a*b*c", "acb", false),
            ("aa*aa", "aaa", false), ("aa*aa", "aaaa", true), ("*a*a*", "ba", false), ("*a*a*", "bacad", true),
            ("a|b", "b", true), ("a|b", "a|b", false), ("a|", "", true), ("x*|*y", "ay", true),
            ("x*|*y", "yx", false),
        ])
    func `A star stands for any text, a bar between alternatives, and each pattern for the whole text`(
        pattern: String, text: String, isMatch: Bool
    ) {
        #expect(Wildcard.matches(pattern, text) == isMatch, "\(pattern) and \(text)")
    }

    @Test func `A query is split before it is decoded, and the first value of a name counts`() throws {
        let query = try QueryParameters("a=1&b=x%26y%3Dz+%2B&a=2&c&d=&=e&f=g=h&%61b=i")
        #expect(query["a"] == "1" && query["b"] == "x&y=z +" && query["c"] == "" && query["d"] == "")
        #expect(query[""] == "e" && query["f"] == "g=h" && query["ab"] == "i" && query["g"] == nil)
        #expect(try QueryParameters(nil)["a"] == nil && QueryParameters("&&a=1&")["a"] == "1")
        for broken in ["a=%", "a=%FF", "%C3=1", "b=1&a=%4"] {
            #expect(throws: DeviceAuthentication.Refusal.self, "\(broken)") { try QueryParameters(broken) }
        }
        #expect(try QueryParameters("id=x")["id"] == "x" && QueryParameters("id=x").identifier("id") == "x")
        #expect(try QueryParameters("id=x").identifier("other") == nil)
        #expect(throws: ServiceError.self) { try QueryParameters("id=%01").identifier("id") }
    }

    @Test func `The placeholders of a URI identifier are filled from the query, then from the path, or stay`() throws {
        let request = ServerRequest(
            method: "GET", path: "/a", query: "a=1&b=${a}", headers: [:], body: Data(),
            parameters: ["a": "path", "c": "3"])
        #expect(try UriIdTemplate("/${a}/${b}/${c}/${d}/$a/${}").filled(from: request) == "/1/${a}/3/${d}/$a/${}")
    }

    @Test func `A form has its values escaped, and so have the credentials of its client`() {
        let form = FormText.encode([("a", "x y&z=1"), ("b", "\u{E9}+/*-_."), ("c", "")])
        #expect(String(decoding: form, as: UTF8.self) == "a=x%20y%26z%3D1&b=%C3%A9%2B%2F*-_.&c=")
        #expect(FormText.encode([]).isEmpty)
        let header = FormText.basicHeader(clientId: "a:b", clientSecret: "c d")
        #expect(header == "Basic " + Data("a%3Ab:c%20d".utf8).base64EncodedString())
        #expect(HTTPBasic.header(userName: "a", password: "b:c") == "Basic " + Data("a:b:c".utf8).base64EncodedString())
    }

    @Test func `A correlation identifier has 8 to 1,024 letters, digits and dashes`() {
        for (count, isTaken) in [(0, false), (7, false), (8, true), (1_024, true), (1_025, false)] {
            #expect((CurrentCorrelation(String(repeating: "a", count: count)) != nil) == isTaken, "\(count)")
        }
        let letters = "abcdefghijklmnopqrstuvwxyz"
        let taken = Set(letters.utf8).union(letters.uppercased().utf8).union("0123456789-".utf8)
        for byte in UInt8(0)..<0x80 {
            let text = "abcdefg" + String(UnicodeScalar(byte))
            #expect(CurrentCorrelation(text)?.id == (taken.contains(byte) ? text : nil), "\(byte)")
        }
        #expect(CurrentCorrelation("abcdefg\u{E9}") == nil)
    }

    // MARK: Media types

    private func request(_ type: String?, _ body: String = "{}") -> ServerRequest {
        var headers = HTTPFields()
        headers[.contentType] = type
        return ServerRequest(method: "POST", path: "/a", query: nil, headers: headers, body: Data(body.utf8))
    }

    @Test(
        arguments: [
            ("application/json", "application/json"), ("Application/JSON", "application/json"),
            ("application/json; charset=utf-8", "application/json"), ("text/plain ;x=y", "text/plain"), ("", ""),
        ])
    func `A media type is compared in lower case and without parameters`(given: String, read: String) {
        #expect(request(given).mediaType == read)
    }

    @Test
    func `A body has the type of its resource; a device may leave it out, a tool with nothing in the body only`() {
        let form = BodyType.form.rawValue
        for surface in [APISurface.device, .mobileToken, .backOffice, .lab] {
            let isDevice = surface == .device || surface == .mobileToken
            #expect(BodyType.json.fits(request("application/json"), on: surface))
            #expect(BodyType.form.fits(request(form), on: surface))
            #expect(!BodyType.json.fits(request(form), on: surface))
            #expect(!BodyType.form.fits(request("application/json"), on: surface))
            #expect(BodyType.unread.fits(request(form), on: surface))
            #expect(BodyType.json.fits(request(nil), on: surface) == isDevice)
            #expect(BodyType.json.fits(request(nil, ""), on: surface))
            // Nothing is read there.
            #expect(BodyType.json.fits(request(form, ""), on: surface) == (surface == .lab))
            #expect(surface.isForTools == !isDevice)
        }
    }

    @Test func `A request with another body is the same request otherwise`() {
        let request = ServerRequest(
            method: "PUT", path: "/a", query: "b=1", headers: [.accept: "c"], body: Data([1]), parameters: ["d": "e"],
            mountPoint: "/f", remoteAddress: "::1", reading: .strict)
        let other = request.with(body: Data([2]))
        #expect(other.method == "PUT" && other.path == "/a" && other.query == "b=1" && other.headers == request.headers)
        #expect(other.body == Data([2]) && other.parameters == ["d": "e"] && other.mountPoint == "/f")
        #expect(other.remoteAddress == "::1" && other.reading == .strict)
        #expect(other.header("accept") == "c" && other.header("ACCEPT") == "c" && other.header("Other") == nil)
    }
}
