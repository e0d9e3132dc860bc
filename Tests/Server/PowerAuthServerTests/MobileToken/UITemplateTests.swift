// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import LabCore
import PowerAuthProtocol
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("UI templates of operations", .endsInTime)
struct UITemplateTests {
    private func operation(
        _ parameters: [String: String] = [:], riskFlags: String? = nil, hasProximityCheck: Bool = false
    ) -> OperationRecord {
        OperationRecord(
            id: "1", applications: [], externalId: nil, activationFlag: nil, activationId: nil,
            operationType: "payment", templateName: "payment", data: "A2", parameters: parameters,
            additionalData: [:], status: .pending, signatureTypes: [.possessionBiometry, .possessionKnowledge],
            failureCount: 0, maxFailureCount: 5, riskFlags: riskFlags,
            proximitySeed: hasProximityCheck ? Data(count: 16) : nil, created: ServerTime(milliseconds: 999),
            expires: ServerTime(milliseconds: 1000))
    }

    private func shown(
        _ operation: OperationRecord, attributes: String? = nil, resultTexts: String? = nil, ui: String? = nil,
        title: String = "Title"
    ) throws -> JSONValue {
        let template = UITemplate(
            placeholder: "payment", language: "en", title: title, message: "", attributes: attributes,
            resultTexts: resultTexts, ui: ui)
        let entry = try #require(UITemplates([template]).entry(for: "payment", language: "en"))
        return try JSONValue.parse(
            JSONBody.encode(
                MobileOperation(
                    operation, entry, MoneyFormat(locale: "en"), hasProximityCode: operation.proximitySeed != nil)))
    }

    @Test(.verifies("mobile-token.md", "B-53"))
    func `The language is looked for exactly, then in English, then in any`() {
        func template(_ language: String) -> UITemplate {
            UITemplate(placeholder: "payment", language: language, title: language, message: "")
        }
        let all = UITemplates([template("de"), template("en"), template("cs")])
        #expect(all.template(for: "payment", language: "cs")?.title == "cs")
        #expect(all.template(for: "payment", language: "fr")?.title == "en")
        let few = UITemplates([template("de"), template("cs")])
        #expect(few.template(for: "payment", language: "fr")?.title == "de")
        #expect(few.template(for: "payment", language: "en")?.title == "de")
        #expect(few.template(for: "login", language: "en") == nil)
    }

    @Test(.verifies("mobile-token.md", "B-53"))
    func `An operation without template is left out of the list, and cannot be shown alone`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            _ = try await client.backOffice(
                "operation/template/create",
                ServerClient.template("bare").merging(["operationType": "bare"]) { $1 })
            let bare = try await client.operation("bare")
            let login = try await client.operation("login")
            #expect(try await app.list().map { $0["id"]?.stringValue } == [login])
            #expect(try await app.history().count == 1)
            #expect(try await app.detail(bare).refusal == "400 INVALID_REQUEST: Template not found")
        }
    }

    @Test func `The app's language chooses the texts, and its region how amounts are written`() async throws {
        try await ServerFixture.mobileToken().run { client in
            var app = try await client.mobileApp()
            try await client.show([
                "placeholder": "payment", "language": "cs", "title": "Platba", "message": "Zaplatit ${amount}?",
                "attributes": [
                    [
                        "id": "a", "type": "AMOUNT", "text": "Částka",
                        "params": ["amount": "amount", "currency": "currency"],
                    ]
                ],
            ])
            _ = try await client.payment()
            app.language = "cs-CZ"
            let form = try await app.list()[0]["formData"]
            #expect(form?["title"] == "Platba" && form?["message"] == "Zaplatit 250.50?")
            #expect(form?["attributes"]?[0]?["valueFormatted"] == "250,50\u{A0}€")
            app.language = "fr"
            #expect(try await app.list()[0]["formData"]?["title"] == "Payment approval")
            let removed = try await client.send("/lab/ui-templates/payment/cs", method: .delete)
            #expect(removed.status == 200)
            #expect(try await client.send("/lab/ui-templates/payment/cs", method: .delete).status == 404)
            let bad = try await client.plain("/lab/ui-templates", ["placeholder": "x", "title": "", "message": ""])
            #expect(bad.status == 400)
        }
    }

    @Test(.verifies("mobile-token.md", "B-54"))
    func `Risk flags say what the app does, unless the template does`() throws {
        let warning: JSONValue = [
            "type": "WARNING", "heading": "Possible fraud",
            "message": "Approve only what you have asked for yourself.", "approvalType": "SLIDER",
        ]
        let cases: [(String?, JSONValue?)] = [
            (nil, nil), ("", nil), ("Z", nil), ("X", ["flipButtons": true]), ("C", ["blockApprovalOnCall": true]),
            ("XCF", ["flipButtons": true, "blockApprovalOnCall": true, "preApprovalScreen": warning]),
        ]
        for (flags, ui) in cases {
            #expect(try shown(operation(riskFlags: flags))["ui"] == ui)
        }
        #expect(try shown(operation(riskFlags: "XCF"), ui: #"{"flipButtons":false}"#)["ui"] == ["flipButtons": false])
    }

    @Test(.verifies("mobile-token.md", "B-54")) func `A scan is asked for with a proximity code only`() throws {
        let ui = #"{"preApprovalScreen":{"type":"QR_SCAN","heading":"h","message":"m"},"flipButtons":true}"#
        #expect(try shown(operation(), ui: ui)["ui"] == ["flipButtons": true])
        #expect(try shown(operation(hasProximityCheck: true), ui: ui)["ui"]?["preApprovalScreen"]?["type"] == "QR_SCAN")
        let info = #"{"preApprovalScreen":{"type":"INFO","heading":"h","message":"m"}}"#
        #expect(try shown(operation(), ui: info)["ui"]?["preApprovalScreen"]?["type"] == "INFO")
    }

    @Test(.verifies("mobile-token.md", "B-54"))
    func `Parameters fill texts and JSON, cannot break it, and are expanded once`() throws {
        let ui = """
            {"postApprovalScreen":{"type":"MERCHANT_REDIRECT","heading":"${h}","message":"m",\
            "payload":{"redirectText":"r","redirectUrl":"${url}","countdown":${n:-5}}}}
            """
        let parameters = [
            "url": "https://shop.test/?a=1&b=2", "h": "a \"quoted\" \\ ${url} č\n", "number": "238400/0300",
        ]
        let view = try shown(
            operation(parameters), resultTexts: #"{"success":"Paid to ${number}","reject":"$${number} ${none}"}"#,
            ui: ui,
            title: "To ${number}, ${h}")
        let screen = view["ui"]?["postApprovalScreen"]
        #expect(screen?["payload"]?["redirectUrl"] == "https://shop.test/?a=1&b=2")
        #expect(screen?["payload"]?["countdown"] == 5)
        #expect(screen?["heading"]?.stringValue == parameters["h"])
        #expect(view["formData"]?["title"] == "To 238400/0300, a \"quoted\" \\ ${url} č\n")
        #expect(view["formData"]?["resultTexts"] == ["success": "Paid to 238400/0300", "reject": "${number} ${none}"])
        #expect(try shown(operation(), title: "To ${number:-x}")["formData"]?["title"] == "To ${number:-x}")
    }

    @Test func `A template whose JSON is broken is a failure of the server's configuration`() async throws {
        try await ServerFixture.mobileToken().run { client in
            let app = try await client.mobileApp()
            let id = try await client.operation("login")
            for part in ["ui", "attributes", "resultTexts"] {
                try await client.show([
                    "placeholder": "login", "language": "en", "title": "Login", "message": "", part: "{broken",
                ])
                let answer = try await app.detail(id)
                #expect(answer.status == 500 && answer.code == "ERR_CONFIG", "\(part)")
            }
        }
    }

    @Test func `Each kind of attribute is filled as documented, or dropped without what it is about`() throws {
        let parameters = [
            "a": "1.26", "ac": "ETH", "b": "1710.98", "bc": "USD", "yes": "TRUE", "word": "text", "n": "2",
            "bad": "ten",
            "kind": "warning",
        ]
        func attribute(_ type: String, _ params: [String: String]) throws -> JSONValue? {
            let described: JSONValue = [
                ["id": "i", "type": .string(type), "text": "L", "params": .object(params.mapValues(JSONValue.string))]
            ]
            let shown = try shown(operation(parameters), attributes: described.description)
            guard case .object(var members)? = shown["formData"]?["attributes"]?[0] else { return nil }
            #expect(members.removeValue(forKey: "id") == "i" && members.removeValue(forKey: "label") == "L")
            if type != "SURPRISE" { #expect(members.removeValue(forKey: "type") == .string(type)) }
            return .object(members)
        }
        #expect(try attribute("AMOUNT", ["amount": "a"]) == nil)
        #expect(
            try attribute("AMOUNT", ["amount": "bad", "currency": "ac"]) == [
                "amountFormatted": "ten", "currency": "ETH", "currencyFormatted": "ETH", "valueFormatted": "ten ETH",
            ])
        let conversion = [
            "sourceAmount": "a", "sourceCurrency": "ac", "targetAmount": "b", "targetCurrency": "bc", "dynamic": "yes",
        ]
        #expect(
            try attribute("AMOUNT_CONVERSION", conversion) == [
                "dynamic": true, "sourceAmount": 1.26, "sourceAmountFormatted": "1.26", "sourceCurrency": "ETH",
                "sourceCurrencyFormatted": "ETH", "sourceValueFormatted": "1.26\u{A0}ETH", "targetAmount": 1710.98,
                "targetAmountFormatted": "1,710.98", "targetCurrency": "USD", "targetCurrencyFormatted": "$",
                "targetValueFormatted": "$1,710.98",
            ])
        #expect(try attribute("AMOUNT_CONVERSION", conversion.filter { $0.key != "targetCurrency" }) == nil)
        #expect(try attribute("HEADING", ["level": "n"]) == ["level": 2])
        #expect(try attribute("HEADING", [:]) == ["level": 0])
        #expect(try attribute("NOTE", ["note": "word"]) == ["note": "text"])
        #expect(try attribute("NOTE", ["note": "none"]) == nil)
        #expect(try attribute("KEY_VALUE", ["value": "word"]) == ["value": "text"])
        #expect(try attribute("KEY_VALUE", [:]) == nil)
        #expect(
            try attribute("ALERT", ["type": "kind", "title": "word"]) == ["alertType": "WARNING", "title": "text"])
        #expect(try attribute("ALERT", [:]) == ["alertType": "INFO"])
        #expect(try attribute("IMAGE", ["thumbnailUrl": "word"]) == ["thumbnailUrl": "text"])
        #expect(try attribute("IMAGE", ["originalUrl": "word"]) == nil)
        #expect(try attribute("PARTY_INFO", ["name": "word"]) == ["partyInfo": ["name": "text"]])
        #expect(try attribute("SURPRISE", ["value": "word"]) == ["type": "KEY_VALUE", "value": "text"])
    }

    @Test func `Moments are whole seconds of UTC, without a colon in the zone`() throws {
        let view = try shown(operation())
        #expect(view["operationCreated"] == "1970-01-01T00:00:00+0000")
        #expect(view["operationExpires"] == "1970-01-01T00:00:01+0000")
        #expect(view["allowedSignatureType"]?["variants"] == ["possession_knowledge", "possession_biometry"])
    }
}
