// SPDX-License-Identifier: Apache-2.0

import Foundation
import PowerAuthProtocol
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Codes and links of a second channel (mobile-token.md, section 10.3)", .endsInTime)
struct PACTests {
    private static let id = "6a1cb007-ff75-4f40-a21b-0b546f0f6cad"
    private static let base64Id = "E/+x="
    private static let header = Base64URL.encode(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))

    private static func jwt(_ payload: String, padded: Bool = false) -> String {
        let data = Data(payload.utf8)
        let text = padded ? data.base64EncodedString() : Base64URL.encode(data)
        return "\(header).\(text).c2ln"
    }

    private func link(_ text: String) throws -> WMTPACData? {
        WMTPACUtils.parseDeeplink(url: try #require(URL(string: text)))
    }

    @Test(.verifies("mobile-token.md", "B-34")) func `A text without an operation yields nil`() throws {
        let token = Self.jwt(#"{"oid":"1","potp":"2"}"#)
        let dot = try #require(token.firstIndex(of: "."))
        var shifted = token
        shifted.insert("x", at: token.index(after: dot))
        for code in [
            "", "abc", token.replacing(".", with: ""), shifted, "ThisShouldBeHeader.NotPayload.Neither",
            "operation?oid=1&potp=2", "a.b",
        ] {
            #expect(WMTPACUtils.parseQRCode(code: code) == nil, "\(code)")
        }
        for text in [
            "scheme://operation", "scheme://operation?code=abc", "scheme://operation?oid", "scheme://operation?x=y.z",
        ] {
            #expect(try link(text) == nil, "\(text)")
        }
    }

    @Test(.verifies("mobile-token.md", "B-35"))
    func `A link has its operation and its one-time password, in any encoding`() throws {
        for name in ["totp", "potp"] {
            let expected = WMTPACData(operationId: Self.id, totp: "12345678")
            #expect(try link("scheme://operation?oid=\(Self.id)&\(name)=12345678") == expected)
            #expect(WMTPACUtils.parseQRCode(code: "scheme://operation?oid=\(Self.id)&\(name)=12345678") == expected)
        }
        for id in [Self.base64Id, "E%2F%2Bx%3D"] {
            #expect(try link("scheme://operation?oid=\(id)&totp=1")?.operationId == Self.base64Id, "\(id)")
            let scanned = WMTPACUtils.parseQRCode(code: "scheme://operation?oid=\(id)&totp=1")
            #expect(scanned == WMTPACData(operationId: Self.base64Id, totp: "1"), "\(id)")
        }
        #expect(try link("scheme://operation?oid=\(Self.id)") == WMTPACData(operationId: Self.id, totp: nil))
        #expect(try link("scheme://operation?oid=1&potp=2&totp=3")?.totp == "2")
    }

    @Test(.verifies("mobile-token.md", "B-36"))
    func `A JWT names them too, alone and in a link, with and without padding`() throws {
        let expected = WMTPACData(operationId: Self.id, totp: "1")
        for payload in [#"{"oid":"\#(Self.id)","totp":"1"}"#, #"{"oid":"\#(Self.id)","potp":"1"}"#] {
            for isPadded in [false, true] {
                let token = Self.jwt(payload, padded: isPadded)
                #expect(WMTPACUtils.parseQRCode(code: token) == expected)
                let encoded = token.replacing("=", with: "%3D").replacing("+", with: "%2B")
                #expect(try link("scheme://operation?code=\(encoded)") == expected)
                #expect(WMTPACUtils.parseQRCode(code: "scheme://operation?code=\(encoded)") == expected)
            }
        }
        #expect(WMTPACUtils.parseQRCode(code: Self.jwt(#"{"oid":"a","totp":"1","potp":"2"}"#))?.totp == "1")
        #expect(WMTPACUtils.parseQRCode(code: Self.jwt(#"{"oid":"a"}"#)) == WMTPACData(operationId: "a", totp: nil))
        for payload in [#"{"totp":"1"}"#, #"{"oid":null}"#, #"{"oid":7}"#, #"{"oid":"a","totp":7}"#, "[]"] {
            #expect(WMTPACUtils.parseQRCode(code: Self.jwt(payload)) == nil, "\(payload)")
        }
    }

    @Test func `The payload of a JWT is read by any decoder, with the one-time password under either name`() throws {
        func read(_ text: String) throws -> WMTPACData {
            try JSONDecoder().decode(WMTPACData.self, from: Data(text.utf8))
        }
        let expected = WMTPACData(operationId: Self.id, totp: "1")
        #expect(try read(#"{"oid":"\#(Self.id)","totp":"1","exp":7}"#) == expected)
        #expect(try read(#"{"oid":"\#(Self.id)","potp":"1"}"#) == expected)
        #expect(try read(#"{"oid":"\#(Self.id)","potp":"2","totp":"1"}"#) == expected)
        #expect(try read(#"{"oid":"\#(Self.id)","totp":null}"#) == WMTPACData(operationId: Self.id, totp: nil))
        for text in ["{}", #"{"oid":null}"#, #"{"oid":7}"#, #"{"oid":"a","totp":7}"#, #"{"oid":"a","potp":7}"#, "[]"] {
            #expect(throws: DecodingError.self, "\(text)") { try read(text) }
        }
    }

    @Test func `Both alphabets of Base64 are understood, and the item called code is preferred`() throws {
        // The payload has a dash and an underscore in the alphabet of JWTs.
        let token = Self.jwt(#"{"oid":"~~?>?~ÿÿ>>??","totp":"1"}"#)
        #expect(token.contains("-") || token.contains("_"))
        #expect(WMTPACUtils.parseQRCode(code: token)?.operationId == "~~?>?~ÿÿ>>??")
        let plain = Self.jwt(#"{"oid":"a"}"#)
        #expect(try link("scheme://operation?first=x&code=\(plain)")?.operationId == "a")
        #expect(try link("scheme://operation?any=\(plain)")?.operationId == "a")
    }
}
