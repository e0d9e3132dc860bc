// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Amounts of money as the people of a locale write them (mobile-token.md, section 17.4).
///
/// The currency is always said explicitly: a region's own currency never takes its place (mobile-token.md, section 24,
/// item 24). Thread rule: any thread.
struct MoneyFormat: Sendable {
    /// An amount in its parts and as a whole.
    struct Money: Equatable, Sendable {
        /// Nil for an amount that is not a number.
        var amount: Decimal?
        let amountFormatted: String
        let currency: String
        let currencyFormatted: String
        let valueFormatted: String
    }

    private let locale: Locale
    private let identifier: String

    /// - Parameter identifier: a language tag, such as `en-US`.
    init(locale identifier: String) {
        self.identifier = identifier
        locale = Locale(identifier: identifier)
    }

    /// Formats an amount given as a number.
    func money(_ text: String, currency: String) -> Money {
        let style = currencyStyle(currency)
        guard let amount = Self.decimal(text) else {
            return Money(
                amountFormatted: text, currency: currency, currencyFormatted: style.symbol,
                valueFormatted: "\(text) \(currency)")
        }
        let formatted = number(amount, currency)
        let value: String
        if let (prefix, suffix) = style.around {
            value = amount < 0 ? "-" + prefix + number(-amount, currency) + suffix : prefix + formatted + suffix
        } else {
            value = "\(formatted)\u{A0}\(currency)"
        }
        return Money(
            amount: amount, amountFormatted: formatted, currency: currency, currencyFormatted: style.symbol,
            valueFormatted: value)
    }

    private func number(_ amount: Decimal, _ currency: String) -> String {
        amount.formatted(
            Decimal.FormatStyle(locale: locale).precision(.fractionLength(Self.digits(of: currency)...18))
                .rounded(rule: .towardZero))
    }

    /// Reads a plain decimal number: a sign, digits with a point among, before or behind them, an exponent of at most two
    /// digits; nil for anything else.
    static func decimal(_ text: String) -> Decimal? {
        // By hand: a list formats hundreds of amounts, and a pattern is compiled at each use.
        var rest = Substring(text).utf8
        func skipDigits() -> Int {
            let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest.removeFirst(digits)
            return digits
        }
        func skip(_ characters: StaticString) -> Bool {
            let isThere = rest.first.map { first in characters.withUTF8Buffer { $0.contains(first) } }
            if isThere == true { rest.removeFirst() }
            return isThere == true
        }
        _ = skip("+-")
        let whole = skipDigits()
        let fraction = skip(".") ? skipDigits() : 0
        guard whole + fraction > 0 else { return nil }
        if skip("eE") {
            _ = skip("+-")
            guard (1...2).contains(skipDigits()) else { return nil }
        }
        return rest.isEmpty ? Decimal(string: text, locale: posix) : nil
    }

    private static let posix = Locale(identifier: "en_US_POSIX")

    // MARK: Currencies

    /// How a locale writes a currency.
    private struct CurrencyStyle {
        let symbol: String
        /// The text before and after the number; nil for an unknown currency.
        let around: (prefix: String, suffix: String)?
    }

    /// Made once for each locale and currency, because a formatter costs as much as a request.
    private static let styles = Mutex<[String: CurrencyStyle]>([:])
    /// Enough for every currency of a few locales; the names come from clients.
    private static let mostStyles = 1000

    private func currencyStyle(_ currency: String) -> CurrencyStyle {
        let key = "\(identifier)|\(currency)"
        if let known = Self.styles.withLock({ $0[key] }) { return known }
        let style = makeStyle(currency)
        Self.styles.withLock { styles in
            if styles.count >= Self.mostStyles { styles.removeAll() }
            styles[key] = style
        }
        return style
    }

    private func makeStyle(_ currency: String) -> CurrencyStyle {
        guard Self.known.contains(currency) else { return CurrencyStyle(symbol: currency, around: nil) }
        let formatter = NumberFormatter()
        formatter.locale = locale
        formatter.numberStyle = .currency
        formatter.currencyCode = currency
        let symbol = formatter.currencySymbol ?? currency
        let pattern = Substring((formatter.positiveFormat ?? "¤#,##0.00").prefix { $0 != ";" })
        guard let number = pattern.firstMatch(of: /[#0][#0,.]*/) else {
            return CurrencyStyle(symbol: symbol, around: (symbol, ""))
        }
        return CurrencyStyle(
            symbol: symbol,
            around: (
                String(pattern[..<number.range.lowerBound]).replacing("¤", with: symbol),
                String(pattern[number.range.upperBound...]).replacing("¤", with: symbol)
            ))
    }

    private static let known = Set(Locale.commonISOCurrencyCodes)

    /// The minimum of fraction digits of a currency (ISO 4217); none for an unknown one.
    private static func digits(of currency: String) -> Int {
        guard known.contains(currency) else { return 0 }
        return exceptions[currency] ?? 2
    }

    private static let exceptions: [String: Int] = Dictionary(
        uniqueKeysWithValues: [
            (0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF"),
            (3, "BHD IQD JOD KWD LYD OMR TND"), (4, "CLF UYW"),
        ].flatMap { digits, codes in codes.split(separator: " ").map { (String($0), digits) } })
}
