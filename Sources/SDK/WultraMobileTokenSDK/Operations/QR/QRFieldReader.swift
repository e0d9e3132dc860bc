// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads operation data (mobile-token.md, section 9.3 and section 24, items 9 to 13): what is shown must be exactly what is
/// signed.
enum QRFieldReader {
    private typealias Failure = WMTQROperationParserFailure

    private static let maximum = 6

    /// The calendar of the dates, independent of the user's.
    static var calendar: Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.locale = Locale(identifier: "en_US_POSIX")
        return calendar
    }

    static func data(_ text: String) throws(WMTQROperationParserFailure) -> WMTQROperationData {
        let parts = split(text)
        // Splitting gives one part at least.
        let header = parts[0].raw
        guard let first = header.first, first.isASCII, first.isUppercase else {
            throw Failure(reason: .malformedVersion)
        }
        let number = header.dropFirst()
        guard (1...2).contains(number.count), number.allSatisfy({ $0.isASCII && $0.isNumber }),
            let template = Int(number)
        else { throw Failure(reason: .malformedTemplateId(String(number))) }
        var fields: [WMTQROperationData.Field] = []
        for part in parts.dropFirst() { fields.append(try field(part)) }
        guard fields.count <= maximum else { throw Failure(reason: .tooManyFields(fields.count)) }
        return WMTQROperationData(
            version: first == "A" ? .v1 : .vX, templateId: template, fields: fields, sourceString: text)
    }

    /// A text without its escapes, but for `\*`, which only data have.
    static func unescape(_ text: String) -> String {
        var scanner = EscapeScanner(text, resolvesAsterisks: false)
        return scanner.part().text
    }

    private static func split(_ text: String) -> [EscapeScanner.Part] {
        var scanner = EscapeScanner(text, resolvesAsterisks: true)
        var parts: [EscapeScanner.Part] = []
        repeat { parts.append(scanner.part()) } while scanner.hasNext
        return parts
    }

    private static func field(
        _ part: EscapeScanner.Part
    ) throws(WMTQROperationParserFailure) -> WMTQROperationData.Field {
        guard let type = part.text.first else { return .empty }
        let raw = String(part.raw.dropFirst())
        let text = String(part.text.dropFirst())
        switch type {
        case "A":
            guard let amount = amount(raw) else { throw Failure(reason: .malformedAmount(raw)) }
            return amount
        case "I":
            guard let account = account(raw) else { throw Failure(reason: .malformedAccount(raw)) }
            return account
        case "D":
            guard let date = date(raw) else { throw Failure(reason: .malformedDate(raw)) }
            return .date(date: date)
        case "Q": return .anyAccount(account: text)
        case "R": return .reference(text: text)
        case "N": return .note(text: text)
        case "T": return .text(text: text)
        default: return .fallback(text: text, fieldType: type)
        }
    }

    /// `[+-]digits[.digits]` with a currency of three letters; also `.5`, and `.` and `-` for nothing.
    private static func amount(_ text: String) -> WMTQROperationData.Field? {
        let currency = text.suffix(3)
        let number = text.dropLast(3)
        guard currency.count == 3, currency.allSatisfy({ $0.isASCII && $0.isLetter }), !number.isEmpty else {
            return nil
        }
        guard number.wholeMatch(of: #/[+-]?([0-9]+|[0-9]*\.[0-9]+)|\.|-/#) != nil else { return nil }
        // A decimal has 38 digits: more would be shown rounded.
        guard number.count(where: \.isNumber) <= 38 else { return nil }
        let isNothing = number == "." || number == "-"
        let locale = Locale(identifier: "en_US_POSIX")
        guard let amount = isNothing ? 0 : Decimal(string: String(number), locale: locale) else { return nil }
        return .amount(amount: amount, currency: currency.uppercased())
    }

    private static func account(_ text: String) -> WMTQROperationData.Field? {
        guard let match = text.wholeMatch(of: #/([0-9A-Z]+)(?:,([0-9A-Z]*))?/#) else { return nil }
        let bic = match.2.map(String.init) ?? ""
        return .account(iban: String(match.1), bic: bic.isEmpty ? nil : bic)
    }

    /// Eight digits that are a day of the calendar.
    private static func date(_ text: String) -> Date? {
        guard let match = text.wholeMatch(of: #/([0-9]{4})([0-9]{2})([0-9]{2})/#) else { return nil }
        let parts = [match.1, match.2, match.3].compactMap { Int($0) }
        let components = DateComponents(year: parts[0], month: parts[1], day: parts[2])
        let calendar = calendar
        // The calendar turns 30 February into 1 March, so the result is compared.
        guard let date = calendar.date(from: components) else { return nil }
        let again = calendar.dateComponents([.year, .month, .day], from: date)
        return again.year == parts[0] && again.month == parts[1] && again.day == parts[2] ? date : nil
    }
}

/// Goes through a text once, from left to right, so that every backslash has exactly one meaning.
private struct EscapeScanner {
    /// The text between two separators.
    struct Part {
        /// With its escapes.
        var raw = ""
        /// Without.
        var text = ""
    }

    // By scalar: a separator followed by a combining character is still one, as for the server.
    private var rest: Substring.UnicodeScalarView
    private let resolvesAsterisks: Bool
    /// Whether the last part ended with a separator, so that another one follows.
    private(set) var hasNext = false

    /// - Parameter resolvesAsterisks: whether an asterisk separates parts, and `\*` is one that does not.
    init(_ text: String, resolvesAsterisks: Bool) {
        rest = text[...].unicodeScalars
        self.resolvesAsterisks = resolvesAsterisks
    }

    mutating func part() -> Part {
        var part = Part()
        hasNext = false
        while let scalar = rest.popFirst() {
            if scalar == "*", resolvesAsterisks {
                hasNext = true
                return part
            }
            part.raw.unicodeScalars.append(scalar)
            guard scalar == "\\", let next = rest.first, let meaning = meaning(of: next) else {
                part.text.unicodeScalars.append(scalar)
                continue
            }
            rest.removeFirst()
            part.raw.unicodeScalars.append(next)
            part.text.unicodeScalars.append(meaning)
        }
        return part
    }

    private func meaning(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "n": "\n"
        case "\\": "\\"
        case "*" where resolvesAsterisks: "*"
        default: nil
        }
    }
}
