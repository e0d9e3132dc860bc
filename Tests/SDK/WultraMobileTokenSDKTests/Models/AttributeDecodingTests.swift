// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import TestSupport
import Testing

@testable import WultraMobileTokenSDK

@Suite("Attributes (mobile-token.md, section 7.4)", .endsInTime)
struct AttributeDecodingTests {
    private func attributes(_ items: JSONValue) throws -> [WMTOperationAttribute] {
        try JSON.read(WMTOperationFormData.self, ["title": "t", "message": "m", "attributes": items]).attributes
    }

    private func attribute<Attribute: WMTOperationAttribute>(
        _ type: Attribute.Type, _ value: JSONValue
    ) throws -> Attribute? {
        try attributes([value.with("id", "a").with("label", "L")]).first as? Attribute
    }

    @Test(.verifies("mobile-token.md", "B-6"))
    func `Eight attributes keep their order and classes, labels their characters, and exact values`() throws {
        let extra: JSONValue = ["type": "IMAGE", "id": "img2", "label": "Ž", "thumbnailUrl": "https://shop.test/2.png"]
        let operation = try Example.operation
        var items = try #require(operation["formData"]?["attributes"]?.arrayValue)
        items.remove(at: 3)
        items.append(extra)
        items.insert(["type": "KEY_VALUE", "id": "vs", "label": "VS", "value": "1"], at: 2)
        let read = try JSON.read(WMTUserOperation.self, operation.with("formData.attributes", .array(items)))
        let attributes = read.formData.attributes
        #expect(
            attributes.map(\.type) == [
                .amount, .keyValue, .keyValue, .note, .partyInfo, .image, .amountConversion, .image,
            ])
        #expect(attributes[0] is WMTOperationAttributeAmount && attributes[3] is WMTOperationAttributeNote)
        #expect(attributes[1].label.id == "operation.account" && attributes[1].label.value == "Na účet")
        #expect((attributes[1] as? WMTOperationAttributeKeyValue)?.value == "CZ6508000000192000145399")
        let party = try #require(attributes[4] as? WMTOperationAttributePartyInfo).partyInfo
        #expect(party.websiteUrl == URL(string: "https://shop.test") && party.name == "Shop")
        #expect(party.hasLogo && party.logoUrl == URL(string: "https://shop.test/l.png"))
        #expect((attributes[5] as? WMTOperationAttributeImage)?.originalUrl == "https://shop.test/o.png")
        #expect((attributes[7] as? WMTOperationAttributeImage)?.originalUrl == nil)
    }

    @Test func `The example of the specification is read completely`() throws {
        let operation = try JSON.read(WMTUserOperation.self, Example.operationText)
        let amount = try #require(operation.formData.attributes[0] as? WMTOperationAttributeAmount)
        #expect(amount.amount == Decimal(string: "250.5") && amount.amountFormatted == "250.50")
        #expect(amount.currency == "EUR" && amount.currencyFormatted == "€" && amount.valueFormatted == "€250.50")
        #expect(operation.formData.attributes[3] is WMTOperationAttributeHeading)
        let rate = try #require(operation.formData.attributes[6] as? WMTOperationAttributeAmountConversion)
        #expect(!rate.dynamic && rate.source.valueFormatted == "1.26 ETH")
        #expect(rate.target.amountFormatted == "1,710.98" && rate.target.amount == Decimal(string: "1710.98"))
        #expect(operation.statusReason == nil && operation.status == .pending)
        #expect(operation.data == Example.data)
    }

    @Test(.verifies("mobile-token.md", "B-7")) func `An amount of twelve digits and two decimals is exact`() throws {
        let text = #"{"type":"AMOUNT","id":"a","label":"L","amount":965165234082.23,"currency":"CZK"}"#
        let amount = try JSON.read(WMTOperationAttributeAmount.self, text)
        #expect(amount.amount == Decimal(string: "965165234082.23"))
        #expect(amount.amountFormatted == "965165234082.23")
    }

    @Test(.verifies("mobile-token.md", "B-9"))
    func `Raw amounts alone make texts, and texts alone leave the raw amounts nil`() throws {
        let raw = try #require(
            try attribute(
                WMTOperationAttributeAmount.self, ["type": "AMOUNT", "amount": 1710.98, "currency": "USD"]))
        #expect(raw.amountFormatted == "1710.98" && raw.currencyFormatted == "USD" && raw.valueFormatted == nil)
        let whole = try JSON.read(
            WMTOperationAttributeAmount.self,
            #"{"type":"AMOUNT","id":"a","label":"L","amount":100.00,"currency":"CZK"}"#)
        #expect(whole.amountFormatted == "100")
        let formatted = try #require(
            try attribute(
                WMTOperationAttributeAmount.self,
                ["type": "AMOUNT", "amountFormatted": "1,710.98", "currencyFormatted": "$"]))
        #expect(formatted.amount == nil && formatted.currency == nil && formatted.amountFormatted == "1,710.98")

        let rawRate = try #require(
            try attribute(
                WMTOperationAttributeAmountConversion.self,
                [
                    "type": "AMOUNT_CONVERSION", "dynamic": true, "sourceAmount": 1.26, "sourceCurrency": "ETH",
                    "targetAmount": 2, "targetCurrency": "USD",
                ]))
        #expect(rawRate.dynamic && rawRate.source.amountFormatted == "1.26" && rawRate.source.valueFormatted == nil)
        #expect(rawRate.target.amountFormatted == "2" && rawRate.target.currencyFormatted == "USD")
        let formattedRate = try #require(
            try attribute(
                WMTOperationAttributeAmountConversion.self,
                [
                    "type": "AMOUNT_CONVERSION", "dynamic": false, "sourceAmountFormatted": "1.26",
                    "sourceCurrencyFormatted": "ETH", "targetAmountFormatted": "2", "targetCurrencyFormatted": "$",
                ]))
        #expect(formattedRate.source.amount == nil && formattedRate.target.currency == nil)
        #expect(formattedRate.target.currencyFormatted == "$")
    }

    @Test(.verifies("mobile-token.md", "B-10"))
    func `An attribute of an unknown kind is unknown, keeps its label and disturbs no other one`() throws {
        let read = try attributes([
            ["type": "ALERT", "id": "x", "label": "Beware", "alertType": "WARNING", "title": .null],
            ["type": "HEADING", "id": "h", "label": "H"],
        ])
        #expect(read.map(\.type) == [.unknown, .heading])
        #expect(read[0].label.id == "x" && read[0].label.value == "Beware")
    }

    @Test(.verifies("mobile-token.md", "B-11"))
    func `An amount without a value is left out, and a conversion behind it stays`() throws {
        let read = try attributes([
            ["type": "AMOUNT", "id": "a", "label": "A", "currency": "CZK"],
            [
                "type": "AMOUNT_CONVERSION", "id": "c", "label": "C", "dynamic": false, "sourceAmount": 1,
                "sourceCurrency": "ETH", "targetAmount": 2, "targetCurrency": "USD",
            ],
        ])
        #expect(read.map(\.type) == [.amountConversion])
    }

    @Test func `Elements that are not attributes are left out`() throws {
        let good: JSONValue = ["type": "HEADING", "id": "h", "label": "H"]
        for bad in [.null, .integer(7), "text", [], [:], ["type": "NOTE"], good.with("type", .integer(1))]
            as [JSONValue]
        {
            #expect(try attributes([bad, good]).map(\.type) == [.heading], "\(bad)")
        }
        for bad in [.null, .integer(7), "text", [:]] as [JSONValue] {
            #expect(try attributes(bad).isEmpty, "\(bad)")
        }
    }

    @Test(
        arguments: [
            ("KEY_VALUE", "value", ["value": "v"]), ("NOTE", "note", ["note": "n"]),
            ("IMAGE", "thumbnailUrl", ["thumbnailUrl": "t"]), ("HEADING", "label", [:]), ("HEADING", "id", [:]),
            ("PARTY_INFO", "partyInfo", ["partyInfo": ["name": "n", "description": "d"]]),
            ("PARTY_INFO", "partyInfo.name", ["partyInfo": ["name": "n", "description": "d"]]),
            ("PARTY_INFO", "partyInfo.description", ["partyInfo": ["name": "n", "description": "d"]]),
            (
                "AMOUNT_CONVERSION", "dynamic",
                ["dynamic": false, "sourceAmount": 1, "sourceCurrency": "A", "targetAmount": 1, "targetCurrency": "B"]
            ),
            (
                "AMOUNT_CONVERSION", "targetCurrency",
                ["dynamic": false, "sourceAmount": 1, "sourceCurrency": "A", "targetAmount": 1, "targetCurrency": "B"]
            ),
        ] as [(String, String, JSONValue)])
    func `A required member of an attribute is reported if it is missing, null or of a wrong type`(
        type: String, path: String, members: JSONValue
    ) throws {
        let good = members.with("type", .string(type)).with("id", "i").with("label", "l")
        #expect(try attributes([good]).count == 1)
        for value in [nil, .null, .integer(7)] as [JSONValue?] {
            #expect(try attributes([good.with(path, value)]).isEmpty, "\(path) = \(value as Any)")
        }
    }

    @Test func `An optional member of an attribute is nil if it is missing, null or of a wrong type`() throws {
        let party: JSONValue = [
            "type": "PARTY_INFO",
            "partyInfo": [
                "name": "n", "description": "d", "logoUrl": "https://l.test", "websiteUrl": "https://w.test",
            ],
        ]
        let image: JSONValue = ["type": "IMAGE", "thumbnailUrl": "t", "originalUrl": "o"]
        let amount: JSONValue = [
            "type": "AMOUNT", "amount": 1, "currency": "C", "amountFormatted": "a", "currencyFormatted": "c",
            "valueFormatted": "v",
        ]
        for value in [nil, .null, .bool(true), []] as [JSONValue?] {
            let info = try #require(
                try attribute(
                    WMTOperationAttributePartyInfo.self,
                    party.with("partyInfo.logoUrl", value).with("partyInfo.websiteUrl", value))
            ).partyInfo
            #expect(!info.hasLogo && info.logoUrl.absoluteString == "file:///dev/null" && info.websiteUrl == nil)
            let picture = try #require(try attribute(WMTOperationAttributeImage.self, image.with("originalUrl", value)))
            #expect(picture.originalUrl == nil)
            let changed = amount.with("amount", value).with("currency", value).with("valueFormatted", value)
            let money = try #require(try attribute(WMTOperationAttributeAmount.self, changed))
            #expect(money.amount == nil && money.currency == nil && money.valueFormatted == nil)
        }
    }
}
