// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing
// Not testable: an application sees no more.
import WultraMobileTokenSDK

/// What an application reads again of what it has written.
private func kept<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}

/// A form with one attribute; attributes are read as parts of a form.
private func form(_ attribute: WMTOperationAttribute) -> WMTOperationFormData {
    WMTOperationFormData(title: "t", message: "m", attributes: [attribute])
}

@Suite("Operations that an application keeps (mobile-token.md, section 7.10)", .endsInTime)
struct CachingTests {
    /// An attribute with all members of its kind, and with the required ones only.
    private func attributes(_ type: WMTOperationAttribute.AttributeType) -> (full: JSONValue, least: JSONValue) {
        let base: JSONValue = ["type": .string(type.rawValue), "id": "i", "label": "Číslo"]
        switch type {
        case .amount:
            let least = base.with("amountFormatted", "1,710.98").with("currencyFormatted", "$")
            let raw = least.with("amount", .number(1710.98)).with("currency", "USD")
            return (raw.with("valueFormatted", "$1,710.98"), least)
        case .amountConversion:
            var (full, least) = (base.with("dynamic", true), base.with("dynamic", false))
            for side in ["source", "target"] {
                least = least.with(side + "AmountFormatted", "1.26").with(side + "CurrencyFormatted", "Ξ")
                full = full.with(side + "AmountFormatted", "1.26").with(side + "CurrencyFormatted", "Ξ")
                full = full.with(side + "Amount", .number(1.26)).with(side + "Currency", "ETH")
                full = full.with(side + "ValueFormatted", "1.26 ETH")
            }
            return (full, least)
        case .keyValue: return (base.with("value", "v"), base.with("value", ""))
        case .note: return (base.with("note", "n\nm"), base.with("note", ""))
        case .heading, .unknown: return (base, base)
        case .partyInfo:
            let least = base.with("partyInfo", ["name": "Shop", "description": "Lab shop"])
            let logo = least.with("partyInfo.logoUrl", "https://shop.test/l.png")
            return (logo.with("partyInfo.websiteUrl", "https://shop.test"), least)
        case .image:
            let least = base.with("thumbnailUrl", "https://shop.test/t.png")
            return (least.with("originalUrl", "https://shop.test/o.png"), least)
        }
    }

    @Test(arguments: WMTOperationAttribute.AttributeType.allCases)
    func `An attribute is written as the server sends it, and read again as an object of its class`(
        type: WMTOperationAttribute.AttributeType
    ) throws {
        let (full, least) = attributes(type)
        for json in [full, least] {
            let whole: JSONValue = ["title": "t", "message": "m", "attributes": [json]]
            let read = try JSON.read(WMTOperationFormData.self, whole)
            #expect(try JSON.write(read) == whole)
            let first = try #require(read.attributes.first)
            let again = try #require(try kept(read).attributes.first)
            #expect(first.type == type && again.type == type && again.label.value == "Číslo")
            let (class1, class2) = (ObjectIdentifier(Swift.type(of: first)), ObjectIdentifier(Swift.type(of: again)))
            #expect(class1 == class2)
            #expect((class1 == ObjectIdentifier(WMTOperationAttribute.self)) == (type == .unknown))
        }
    }

    private func before(_ type: WMTPreApprovalScreen.ScreenType) -> JSONValue {
        ["preApprovalScreen": ["type": .string(type.rawValue), "heading": "h", "message": "m"]]
    }

    @Test(arguments: WMTPreApprovalScreen.ScreenType.allCases)
    func `A screen before the approval is written as the server sends it, with and without its optional members`(
        type: WMTPreApprovalScreen.ScreenType
    ) throws {
        let full = before(type).with("preApprovalScreen.items", ["a", "b"])
            .with("preApprovalScreen.approvalType", "SLIDER")
        for json in [full, before(type)] {
            let read = try JSON.read(WMTOperationUIData.self, json)
            #expect(read.preApprovalScreen?.type == type)
            #expect(try JSON.write(read) == json)
            #expect(try JSON.write(kept(read)) == json)
        }
    }

    /// A payload of a kind of screen.
    private func payload(_ type: WMTPostApprovalScreen.ScreenType) -> JSONValue {
        switch type {
        case .review: ["attributes": [["type": "NOTE", "id": "n", "label": "Note", "note": "Thanks"]]]
        case .redirect: ["redirectText": "Back", "redirectUrl": "https://shop.test/back", "countdown": 5]
        case .generic, .unknown: ["any": [.integer(1), .number(2.5), .null, ["deep": true]]]
        }
    }

    @Test(arguments: WMTPostApprovalScreen.ScreenType.allCases)
    func `A screen after the approval is written as the server sends it, and read again as an object of its class`(
        type: WMTPostApprovalScreen.ScreenType
    ) throws {
        let screen: JSONValue = [
            "type": .string(type.rawValue), "heading": "h", "message": "m", "payload": payload(type),
        ]
        let read = try JSON.read(WMTOperationUIData.self, ["postApprovalScreen": screen])
        #expect(try JSON.write(read) == ["postApprovalScreen": screen])
        let first = try #require(read.postApprovalScreen)
        let again = try #require(try kept(read).postApprovalScreen)
        let (class1, class2) = (ObjectIdentifier(Swift.type(of: first)), ObjectIdentifier(Swift.type(of: again)))
        #expect(first.type == type && again.type == type && class1 == class2)
        #expect(class1 != ObjectIdentifier(WMTPostApprovalScreen.self))
    }

    @Test func `A whole operation is written as the server sends it, and is read again as it was`() throws {
        let check: JSONValue = ["totp": "1", "type": "QR_CODE", "timestampReceived": "2026-03-01T08:16:00Z"]
        let templates: JSONValue = [
            "list": ["style": "s", "header": "${a}", "title": "t", "message": "m", "image": "i"],
            "detail": [
                "style": "d", "showTitleAndMessage": false,
                "sections": [
                    [
                        "style": "s", "title": "i",
                        "cells": [
                            [
                                "name": "i", "style": "c", "visibleTitle": true, "canCopy": false, "collapsable": "YES",
                                "centered": true,
                            ]
                        ],
                    ]
                ],
            ],
        ]
        // The level of a heading has no meaning for the SDK, and dates are written with `Z`.
        let json = try Example.operation.with("formData.attributes.3.level", nil)
            .with("operationCreated", "2026-03-01T08:15:30Z").with("operationExpires", "2026-03-01T08:20:30Z")
            .with("statusReason", "REASON").with("proximityCheck", check).with("ui.templates", templates)
            .with("ui.blockApprovalOnCall", false)
        let operation = try JSON.read(WMTUserOperation.self, json)
        #expect(try JSON.write(operation) == json)
        #expect(try JSON.write(kept(operation)) == json)
        let least = try Example.operation(formData: ["title": "t", "message": "", "attributes": []])
            .with("operationCreated", "2026-03-01T08:15:30Z").with("operationExpires", "2026-03-01T08:20:30Z")
        #expect(try JSON.write(JSON.read(WMTUserOperation.self, least)) == least)
    }

    @Test func `An amount of twelve digits and two decimals is still exact when it is read again`() throws {
        let text = #"{"type":"AMOUNT","id":"a","label":"L","amount":965165234082.23,"currency":"CZK"}"#
        let amount = try kept(JSON.read(WMTOperationAttributeAmount.self, text))
        #expect(amount.amount == Decimal(string: "965165234082.23") && amount.amountFormatted == "965165234082.23")
    }

    @Test func `A check with the device's time stays one, and any other is written as the server sends it`() throws {
        let own = WMTProximityCheck(totp: "1", type: .deeplink)
        let marked = try JSON.write(kept(own))
        #expect(marked["isDeviceTime"] == .bool(true) && marked["totp"] == "1" && marked["type"] == "DEEPLINK")
        #expect(try kept(own).timestampReceived == own.timestampReceived)
        let given = WMTProximityCheck(totp: "1", type: .qrCode, timestampReceived: Date(timeIntervalSince1970: 60))
        #expect(
            try JSON.write(kept(given)) == [
                "totp": "1", "type": "QR_CODE", "timestampReceived": "1970-01-01T00:01:00Z",
            ])
    }

    /// A note with a colour.
    private final class ColouredNote: WMTOperationAttributeNote {
        private enum Key: CodingKey { case colour }
        let colour: String

        init(label: AttributeLabel, note: String, colour: String) {
            self.colour = colour
            super.init(label: label, note: note)
        }

        required init(from decoder: any Decoder) throws {
            colour = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .colour)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(colour, forKey: .colour)
        }
    }

    @Test func `An application's own attribute writes its members beside those of its class`() throws {
        let note = ColouredNote(label: .init(id: "n", value: "Note"), note: "Thanks", colour: "red")
        let json = try #require(try JSON.write(form(note))["attributes"]?.arrayValue?.first)
        #expect(json == ["type": "NOTE", "id": "n", "label": "Note", "note": "Thanks", "colour": "red"])
        let again = try JSON.read(ColouredNote.self, json)
        #expect(again.colour == "red" && again.note == "Thanks" && again.label.id == "n")
        #expect((try kept(form(note)).attributes.first as? WMTOperationAttributeNote)?.note == "Thanks")
    }

    /// An operation with a colour.
    private final class ColouredOperation: WMTUserOperation {
        private enum Key: CodingKey { case colour }
        let colour: String

        required init(from decoder: any Decoder) throws {
            colour = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .colour)
            try super.init(from: decoder)
        }

        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(colour, forKey: .colour)
        }
    }

    @Test func `An application's own class of operations is kept with its members`() throws {
        let operation = try JSON.read(ColouredOperation.self, Example.operation.with("colour", "red"))
        let again = try kept(operation)
        #expect(again.colour == "red" && again.id == Example.id && again.formData.attributes.count == 7)
    }
}

@Suite("Operations that an application's tests make (mobile-token.md, section 7.10)", .endsInTime)
struct MockedOperationTests {
    private let label = WMTOperationAttribute.AttributeLabel(id: "i", value: "v")

    /// An operation whose parts are made by their initialisers.
    private struct Mock: Encodable {
        var id = "1"
        var name = "payment"
        var data = "A1"
        var status = WMTUserOperation.Status.pending
        var operationCreated = Date(timeIntervalSince1970: 1)
        var operationExpires = Date(timeIntervalSince1970: 2)
        var allowedSignatureType = WMTAllowedOperationSignature(
            signatureType: .twoFactors, signatureFactors: [.possessionKnowledge, .possessionBiometry])
        var formData: WMTOperationFormData
        var ui: WMTOperationUIData?

        var operation: WMTUserOperation {
            get throws { try JSONDecoder().decode(WMTUserOperation.self, from: JSONEncoder().encode(self)) }
        }
    }

    @Test func `An operation that is made of parts has the values of its parts`() throws {
        let party = try JSON.read(WMTPartyInfo.self, ["name": "Shop", "description": "Lab shop"])
        let attributes: [WMTOperationAttribute] = [
            WMTOperationAttributeAmount(
                label: label, amountFormatted: "1.00", currencyFormatted: "Kč", valueFormatted: "1.00 Kč",
                amount: 1, currency: "CZK"),
            WMTOperationAttributeKeyValue(label: label, value: "k"),
            WMTOperationAttributeNote(label: label, note: "n"),
            WMTOperationAttributePartyInfo(label: label, partyInfo: party),
            WMTOperationAttributeImage(label: label, thumbnailUrl: "t", originalUrl: nil),
            WMTOperationAttribute(type: .heading, label: label),
        ]
        let mock = Mock(
            formData: WMTOperationFormData(
                title: "t", message: "m", attributes: attributes,
                resultTexts: WMTResultTexts(success: "s", failure: nil, reject: "r")))
        let operation = try mock.operation
        #expect(operation.status == .pending && operation.allowedSignatureType.isBiometryAllowed)
        #expect(operation.operationExpires == mock.operationExpires && operation.proximityCheck == nil)
        #expect(
            operation.formData.attributes.map(\.type) == [.amount, .keyValue, .note, .partyInfo, .image, .heading])
        let amount = try #require(operation.formData.attributes[0] as? WMTOperationAttributeAmount)
        #expect(amount.amount == 1 && amount.currency == "CZK" && amount.valueFormatted == "1.00 Kč")
        #expect(operation.formData.attributes[5] is WMTOperationAttributeHeading)
        let texts = operation.formData.resultTexts
        #expect(texts?.success == "s" && texts?.failure == nil && texts?.reject == "r")
    }

    @Test func `A conversion that is made of two amounts has these amounts`() throws {
        let text = #"""
            {"type":"AMOUNT_CONVERSION","id":"c","label":"C","dynamic":false,"sourceAmount":1,"sourceCurrency":"A",
             "targetAmount":2,"targetCurrency":"B"}
            """#
        let read = try JSON.read(WMTOperationAttributeAmountConversion.self, text)
        let made = WMTOperationAttributeAmountConversion(
            label: label, dynamic: true, source: read.target, target: read.source)
        let again = try #require(try kept(form(made)).attributes.first as? WMTOperationAttributeAmountConversion)
        #expect(again.dynamic && again.source == read.target && again.target == read.source)
    }

    @Test func `Screens that an application makes are written as the server sends them`() throws {
        let generic = WMTPostApprovalScreenGeneric(heading: "h", message: "m", payload: .object(["a": .int(1)]))
        let redirect = WMTPostApprovalScreenRedirect(
            heading: "h", message: "m", payload: .init(text: "Back", url: "https://s.test", countdown: 5),
            type: .redirect)
        let review = WMTPostApprovalScreenReview(
            heading: "h", message: "m",
            payload: .init(attributes: [WMTOperationAttributeNote(label: label, note: "n")]), type: .review)
        let screens: [WMTPostApprovalScreen] = [generic, redirect, review]
        let payloads: [JSONValue] = [
            ["a": 1], ["redirectText": "Back", "redirectUrl": "https://s.test", "countdown": 5],
            ["attributes": [["type": "NOTE", "id": "i", "label": "v", "note": "n"]]],
        ]
        for (screen, payload) in zip(screens, payloads) {
            let data = WMTOperationUIData(
                flipButtons: true, blockApprovalOnCall: nil,
                preApprovalScreen: WMTPreApprovalScreen(type: .qr, heading: "h", message: "m", approvalType: .slider),
                postApprovalScreen: screen)
            let operation = try Mock(
                formData: WMTOperationFormData(title: "t", message: "m", attributes: []), ui: data
            ).operation
            let before = try #require(operation.ui?.preApprovalScreen)
            #expect(before.type == .qr && before.items == nil && before.approvalType == .slider)
            #expect(operation.ui?.flipButtons == true && operation.ui?.blockApprovalOnCall == nil)
            let after = try #require(operation.ui?.postApprovalScreen)
            #expect(ObjectIdentifier(type(of: after)) == ObjectIdentifier(type(of: screen)))
            #expect(
                try JSON.write(after)
                    == ["type": .string(screen.type.rawValue), "heading": "h", "message": "m", "payload": payload])
        }
    }

    @Test func `An application's own class of screens writes its members beside those of the base class`() throws {
        final class Fireworks: WMTPostApprovalScreen {
            let colour = "red"
            override func encode(to encoder: any Encoder) throws {
                try super.encode(to: encoder)
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(colour, forKey: .colour)
            }
            private enum Key: CodingKey { case colour }
        }
        #expect(try JSON.write(Fireworks(type: .generic)) == ["type": "GENERIC", "colour": "red"])
    }
}
