// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PowerAuthServer

@Suite("Amounts of money", .endsInTime)
struct MoneyFormatTests {
    /// The reference results of mobile-token.md, section 17.4, and what else was once wrong.
    struct Row: Sendable, CustomTestStringConvertible {
        let amount: String
        let currency: String
        let locale: String
        let formatted: [String]

        init(_ amount: String, _ currency: String, _ locale: String, _ formatted: String...) {
            self.amount = amount
            self.currency = currency
            self.locale = locale
            self.formatted = formatted
        }

        var testDescription: String { "\(amount) \(currency) in \(locale)" }

        static let all = [
            Row("1710.9817", "CZK", "en", "1,710.9817", "CZK", "CZK1,710.9817"),
            Row("1710", "CZK", "cs", "1\u{A0}710,00", "Kč", "1\u{A0}710,00\u{A0}Kč"),
            Row("1710.1", "USD", "en", "1,710.10", "$", "$1,710.10"),
            Row("1710.1", "USD", "cs", "1\u{A0}710,10", "US$", "1\u{A0}710,10\u{A0}US$"),
            Row("1710.1", "EUR", "en", "1,710.10", "€", "€1,710.10"),
            Row("1710", "JPY", "en", "1,710", "¥", "¥1,710"),
            Row("0.567567567567567567567", "BTC", "en", "0.567567567567567567", "BTC", "0.567567567567567567\u{A0}BTC"),
            // A region's own currency does not take the place of the one that is meant.
            Row("1710.1", "EUR", "en-US", "1,710.10", "€", "€1,710.10"),
            Row("-5", "EUR", "en", "-5.00", "€", "-€5.00"),
            Row("1", "KWD", "en", "1.000", "KWD", "KWD1.000"),
            Row("ten", "EUR", "en", "ten", "€", "ten EUR"),
            Row("1,5", "EUR", "cs", "1,5", "€", "1,5 EUR"),
        ]
    }

    @Test(arguments: Row.all) func `An amount is written as the people of a locale write it`(row: Row) {
        let money = MoneyFormat(locale: row.locale).money(row.amount, currency: row.currency)
        #expect([money.amountFormatted, money.currencyFormatted, money.valueFormatted] == row.formatted)
    }

    @Test func `An amount keeps all its digits on the way to the app`() throws {
        let attribute = UITemplate.Attribute(
            id: "a", type: "AMOUNT", text: "Amount", params: ["amount": "a", "currency": "c"])
        for amount in ["965165234082.23", "0.567567567567567567567", "250.5"] {
            let shown = try #require(FormAttribute(attribute, ["a": amount, "c": "BTC"], MoneyFormat(locale: "en")))
            let text = String(decoding: try JSONBody.encode(shown), as: UTF8.self)
            #expect(text.contains("\"amount\":\(amount),"), "\(text)")
        }
    }

    @Test(
        arguments: [
            (nil, "en", "en"), ("cs", "cs", "cs"), ("en-US,en;q=0.9", "en-US", "en"),
            ("de;q=0.5, cs;q=0.8", "cs", "cs"),
            ("*", "en", "en"), ("../../x", "en", "en"), ("cs;q=0", "en", "en"),
        ] as [(String?, String, String)])
    func `The wanted language is the one with the greatest weight`(header: String?, locale: String, language: String) {
        let accepted = AcceptedLanguage(header: header)
        #expect(accepted.locale == locale)
        #expect(accepted.language == language)
    }
}
