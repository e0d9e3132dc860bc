import Foundation

/// Dates in JSON (networking.md, section 3.5). Both directions are immutable and safe from any thread.
enum WPNDateCoding {
    /// The encoder of a service: `2023-02-10T12:30:42Z`, without a fraction.
    static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    /// The decoder of a service: dates of ISO 8601 with an offset, with or without a fraction.
    static func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try decoder.singleValueContainer().decode(String.self)
            guard let date = date(from: text) else {
                throw WPNError(reason: .network_invalidResponseObject, error: UnreadableDate(text: text))
            }
            return date
        }
        return decoder
    }

    /// Reads a date such as `2024-03-19T12:29:29.554668Z` or `2018-08-08T12:30:42+0000`; milliseconds count, further
    /// digits are cut off.
    ///
    /// - Returns: nil without an offset, for a date without a time, and for anything else.
    static func date(from text: String) -> Date? {
        let form = #/(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:(Z)|([+-])(\d{2}):?(\d{2}))/#
        guard let match = text.wholeMatch(of: form) else { return nil }
        var parts = DateComponents()
        parts.timeZone = TimeZone(secondsFromGMT: 0)
        (parts.year, parts.month, parts.day) = (Int(match.1), Int(match.2), Int(match.3))
        (parts.hour, parts.minute, parts.second) = (Int(match.4), Int(match.5), Int(match.6))
        // The calendar would turn a date that does not exist into another one.
        guard parts.isValidDate(in: calendar), let date = calendar.date(from: parts) else { return nil }
        var offset: TimeInterval = 0
        if let hours = match.10.flatMap({ Int($0) }), let minutes = match.11.flatMap({ Int($0) }) {
            offset = TimeInterval((hours * 60 + minutes) * 60) * (match.9 == "-" ? -1 : 1)
        }
        let digits = (match.7.map(String.init) ?? "").padding(toLength: 3, withPad: "0", startingAt: 0)
        return date.addingTimeInterval((Double(digits) ?? 0) / 1000 - offset)
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .iso8601)
        if let zone = TimeZone(secondsFromGMT: 0) { calendar.timeZone = zone }
        return calendar
    }()

    private struct UnreadableDate: LocalizedError {
        let text: String

        var errorDescription: String? { "'\(text)' is not a date of ISO 8601 with a time and an offset." }
    }
}
