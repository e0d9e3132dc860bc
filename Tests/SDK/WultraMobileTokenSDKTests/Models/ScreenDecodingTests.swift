// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Screens before and after the approval (mobile-token.md, sections 7.5 to 7.7)", .endsInTime)
struct ScreenDecodingTests {
    private let warning: JSONValue = [
        "type": "WARNING", "heading": "Careful", "message": "Is it you?", "items": ["a", "b", "c"],
        "approvalType": "SLIDER",
    ]

    private func ui(_ value: JSONValue) throws -> WMTOperationUIData { try JSON.read(WMTOperationUIData.self, value) }
    private func before(_ value: JSONValue) throws -> WMTPreApprovalScreen? {
        try ui(["preApprovalScreen": value]).preApprovalScreen
    }
    private func after(_ value: JSONValue) throws -> WMTPostApprovalScreen? {
        try ui(["postApprovalScreen": value]).postApprovalScreen
    }

    @Test(.verifies("mobile-token.md", "B-15"))
    func `A warning with three points and a slider is read completely, with both flags`() throws {
        let data = try ui(["flipButtons": true, "blockApprovalOnCall": false, "preApprovalScreen": warning])
        #expect(data.flipButtons == true && data.blockApprovalOnCall == false)
        let screen = try #require(data.preApprovalScreen)
        #expect(screen.type == .warning && screen.heading == "Careful" && screen.message == "Is it you?")
        #expect(screen.items == ["a", "b", "c"] && screen.approvalType == .slider)
    }

    @Test(.verifies("mobile-token.md", "B-16"))
    func `A screen of an unknown kind before the approval is unknown and keeps its heading`() throws {
        let screen = try #require(
            try before(warning.with("type", "CAPTCHA").with("approvalType", "DANCE").with("items", nil)))
        #expect(screen.type == .unknown && screen.heading == "Careful" && screen.approvalType == nil)
        #expect(screen.items == nil)
        #expect(try before(warning.with("type", "CAPTCHA").with("heading", nil)) == nil)
    }

    @Test(arguments: ["INFO", "WARNING", "QR_SCAN"])
    func `A screen of a known kind may lack its texts`(type: String) throws {
        let screen = try #require(try before(["type": .string(type)]))
        #expect(screen.heading.isEmpty && screen.message.isEmpty)
        #expect(try before(["type": .string(type), "heading": .integer(1)]) == nil)
        #expect(try before(["type": .string(type), "items": [.integer(1)], "approvalType": .null])?.items == nil)
    }

    @Test func `A screen without a type is nil`() throws {
        for value in [nil, .null, .integer(1)] as [JSONValue?] {
            #expect(try before(warning.with("type", value)) == nil)
            let generic: JSONValue = ["type": "GENERIC", "heading": "h", "message": "m", "payload": [:]]
            #expect(try after(generic.with("type", value)) == nil)
        }
    }

    @Test(.verifies("mobile-token.md", "B-17"))
    func `A generic payload is the same JSON, and its members have their types`() throws {
        let payload = #"{"s":"x","i":7,"b":true,"a":[1,"y",null],"o":{"d":1.5,"whole":1.0}}"#
        let text = #"{"type":"GENERIC","heading":"h","message":"m","payload":\#(payload)}"#
        let screen = try JSON.read(WMTPostApprovalScreenGeneric.self, text)
        #expect(screen.payload == (try JSON.read(WMTJSONValue.self, payload)))
        #expect(screen.payload["s"] == .string("x") && screen.payload["i"] == .int(7))
        #expect(screen.payload["b"] == .bool(true) && screen.payload["a"] == .array([.int(1), .string("y"), .null]))
        #expect(screen.payload["o"]?["d"] == .double(1.5) && screen.payload["o"]?["whole"] == .int(1))
        #expect(screen.payload["none"] == nil && screen.payload["s"]?["x"] == nil)
    }

    @Test func `Any JSON is read from its bytes, and other bytes are refused`() throws {
        #expect(try WMTJSONValue(jsonData: Data(#"{"a":[1,null]}"#.utf8)) == .object(["a": .array([.int(1), .null])]))
        for text in ["", "{", "x"] {
            #expect(throws: DecodingError.self, "\(text)") { try WMTJSONValue(jsonData: Data(text.utf8)) }
        }
    }

    @Test func `JSON that is written again is the same JSON`() throws {
        for text in [#"{"a":[1,2.5,"x",null,true,{}]}"#, "[]", #""x""#, "null", "-3", "0.125", "false"] {
            let value = try JSON.read(WMTJSONValue.self, text)
            #expect(try JSON.write(value) == JSONValue.parse(text), "\(text)")
        }
    }

    @Test(.verifies("mobile-token.md", "B-18"))
    func `A redirection has its text, URL and countdown; flags that are not sent are nil`() throws {
        let payload: JSONValue = ["redirectText": "Back", "redirectUrl": "https://shop.test/back", "countdown": 5]
        let screen: JSONValue = ["type": "MERCHANT_REDIRECT", "heading": "h", "message": "m", "payload": payload]
        let data = try ui(["postApprovalScreen": screen])
        let redirect = try #require(data.postApprovalScreen as? WMTPostApprovalScreenRedirect)
        #expect(redirect.type == .redirect && redirect.heading == "h" && redirect.message == "m")
        #expect(redirect.payload.text == "Back" && redirect.payload.url == "https://shop.test/back")
        #expect(redirect.payload.countdown == 5)
        #expect(data.flipButtons == nil && data.blockApprovalOnCall == nil)
        for path in [
            "payload.redirectText", "payload.redirectUrl", "payload.countdown", "payload", "heading", "message",
        ] {
            for value in [nil, .null, .bool(true)] as [JSONValue?] {
                #expect(try after(screen.with(path, value)) == nil, "\(path) = \(value as Any)")
            }
        }
    }

    @Test(.verifies("mobile-token.md", "B-19"))
    func `A review shows its note, with identifier and text of the label`() throws {
        let note: JSONValue = ["type": "NOTE", "id": "n", "label": "Note", "note": "Thanks"]
        let screen: JSONValue = ["type": "REVIEW", "heading": "h", "message": "m", "payload": ["attributes": [note]]]
        let review = try #require(try after(screen) as? WMTPostApprovalScreenReview)
        let read = try #require(review.payload.attributes.first as? WMTOperationAttributeNote)
        #expect(read.note == "Thanks" && read.label.id == "n" && read.label.value == "Note")
        let spoiled = screen.with("payload.attributes", [note, ["type": "NOTE"]])
        #expect((try after(spoiled) as? WMTPostApprovalScreenReview)?.payload.attributes.isEmpty == true)
        #expect(try after(screen.with("payload", nil)) == nil)
    }

    @Test func `A screen of an unknown kind after the approval is a generic one, with or without payload`() throws {
        let screen: JSONValue = ["type": "FIREWORKS", "heading": "h", "message": "m", "payload": ["n": 3]]
        let known = try #require(try after(screen) as? WMTPostApprovalScreenGeneric)
        #expect(known.type == .unknown && known.payload["n"] == .int(3))
        let bare = try #require(try after(screen.with("payload", nil)) as? WMTPostApprovalScreenGeneric)
        #expect(bare.payload == .null)
        #expect(try after(screen.with("payload", nil).with("type", "GENERIC")) == nil)
    }
}
