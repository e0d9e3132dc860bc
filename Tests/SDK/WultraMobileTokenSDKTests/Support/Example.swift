// SPDX-License-Identifier: Apache-2.0

import LabCore

/// The examples of the specification (mobile-token.md, sections 7.9 and 9.7).
enum Example {
    static let id = "0f6c1f0e-52f1-4c1d-9d55-2a9f6a3f7b10"
    static let data = #"A1*A250.50EUR*ICZ6508000000192000145399**D20301224*NRent \* December"#
    static let nonce = "AAECAwQFBgcICQoLDA0ODw=="

    /// An operation with every kind of attribute; numbers are written as the server writes them.
    static let operationText = #"""
        {"id":"0f6c1f0e-52f1-4c1d-9d55-2a9f6a3f7b10","name":"payment","status":"PENDING",
         "data":"A1*A250.50EUR*ICZ6508000000192000145399**D20301224*NRent \\* December",
         "operationCreated":"2026-03-01T08:15:30+0000","operationExpires":"2026-03-01T08:20:30+0000",
         "allowedSignatureType":{"type":"2FA","variants":["possession_knowledge","possession_biometry"]},
         "ui":{"flipButtons":true,"preApprovalScreen":{"type":"WARNING","heading":"Careful",
          "message":"Is it you who pays?","items":["Nobody called you"],"approvalType":"SLIDER"}},
         "formData":{"title":"Payment approval","message":"Please check the payment",
          "resultTexts":{"success":"Paid","reject":"Payment refused","failure":"Payment was not approved"},
          "attributes":[
           {"type":"AMOUNT","id":"operation.amount","label":"Amount","amount":250.50,"amountFormatted":"250.50",
            "currency":"EUR","currencyFormatted":"€","valueFormatted":"€250.50"},
           {"type":"KEY_VALUE","id":"operation.account","label":"Na účet","value":"CZ6508000000192000145399"},
           {"type":"NOTE","id":"operation.note","label":"Note","note":"Rent * December"},
           {"type":"HEADING","id":"operation.party.h","label":"Shop","level":1},
           {"type":"PARTY_INFO","id":"operation.party","label":"Shop","partyInfo":{"logoUrl":"https://shop.test/l.png",
            "name":"Shop","description":"Lab shop","websiteUrl":"https://shop.test"}},
           {"type":"IMAGE","id":"operation.img","label":"Slip","thumbnailUrl":"https://shop.test/t.png",
            "originalUrl":"https://shop.test/o.png"},
           {"type":"AMOUNT_CONVERSION","id":"operation.fx","label":"Rate","dynamic":false,
            "sourceAmount":1.26,"sourceAmountFormatted":"1.26","sourceCurrency":"ETH","sourceCurrencyFormatted":"ETH",
            "sourceValueFormatted":"1.26 ETH","targetAmount":1710.98,"targetAmountFormatted":"1,710.98",
            "targetCurrency":"USD","targetCurrencyFormatted":"$","targetValueFormatted":"$1,710.98"}]}}
        """#

    /// The same as a value that tests change.
    static var operation: JSONValue { get throws { try JSONValue.parse(operationText) } }

    /// An operation with a form of the test's own.
    static func operation(formData: JSONValue, ui: JSONValue? = nil) throws -> JSONValue {
        try operation.with("formData", formData).with("ui", ui)
    }

    /// A code for any device, without a proximity code.
    static let payloadA = #"""
        0f6c1f0e-52f1-4c1d-9d55-2a9f6a3f7b10
        Payment approval
        Please check the payment\nand confirm it
        A1*A250.50EUR*ICZ6508000000192000145399**D20301224*NRent \* December
        BX
        AAECAwQFBgcICQoLDA0ODw==
        0MEYCIQDS0ePuZkf4GSeeOzE0n00ScQQt8Tni747YsAI6lLssQgIhAJ0iLjXHmjjUnsOXU5dIF7HB+vJYIR/MoDU6v2sdQJHF
        """#

    /// A code for one device, with a proximity code.
    static let payloadB = #"""
        0f6c1f0e-52f1-4c1d-9d55-2a9f6a3f7b10
        Payment approval
        Please check the payment\nand confirm it
        A1*A250.50EUR*ICZ6508000000192000145399**D20301224*NRent \* December
        BX
        48201934
        AAECAwQFBgcICQoLDA0ODw==
        1MEUCIAC2raaXSaUTj/B+5TDySRGxLc93Wv1QTVeOrW415MKlAiEAhoPElxpvoYv4YfKiCMFadA1Nolkty8z2NpONCQjnx0k=
        """#
}
