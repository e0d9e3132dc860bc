// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A request without content; its JSON is an empty object (networking.md, section 3.1).
///
/// A subclass encodes its own members, which then stand at the top of the JSON. The tests of an app decode requests in
/// a server of their own.
open class WPNRequestBase: Codable {
    /// Makes a request without content.
    public init() {}

    /// Reads a request, whose members are the subclasses'.
    /// - Throws: for JSON that is not an object.
    public required init(from decoder: any Decoder) throws { _ = try decoder.container(keyedBy: NoKey.self) }

    /// Writes the members: none.
    open func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: NoKey.self) }

    private enum NoKey: CodingKey {}
}

/// A request with a payload, under the key `requestObject`.
public class WPNRequest<T: Encodable>: WPNRequestBase {
    /// The payload; nil is written as `null`.
    public var requestObject: T?

    /// - Parameter requestObject: the payload.
    public init(_ requestObject: T) {
        self.requestObject = requestObject
        super.init()
    }

    /// Reads the payload; nil where it is missing or `null`.
    /// - Throws: also for a payload whose type is not `Decodable`, which is no condition for sending it.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let type = T.self as? any Decodable.Type else {
            throw DecodingError.dataCorruptedError(
                forKey: .requestObject, in: container,
                debugDescription: "The payload's type \(T.self) can be written only; make it Decodable.")
        }
        requestObject = try container.decodeIfPresent(type, forKey: .requestObject) as? T
        try super.init(from: decoder)
    }

    /// Writes the payload.
    public override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(requestObject, forKey: .requestObject)
    }

    private enum Key: CodingKey { case requestObject }
}

/// The envelope of every answer (networking.md, section 3.2). Unknown members are ignored.
open class WPNResponseBase: Decodable {
    /// How the server reports that it has executed the request.
    public enum Status: String, Decodable, Sendable {
        /// It has.
        case Ok = "OK"
        /// It has not; ``WPNResponseBase/responseError`` states why.
        case Error = "ERROR"
    }

    /// The status of the server.
    public var status: Status = .Error
    /// Why the server refused; nil unless ``status`` is `.Error`.
    public var responseError: WPNRestApiError?

    /// Reads the status, and the error where there is one.
    /// - Throws: for a missing or unknown status, and for an error without code or message.
    public required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        status = try container.decode(Status.self, forKey: .status)
        if status == .Error { responseError = try container.decode(WPNRestApiError.self, forKey: .responseObject) }
    }
}

/// An answer with a payload.
open class WPNResponse<T: Decodable>: WPNResponseBase {
    /// The payload; nil unless ``WPNResponseBase/status`` is `.Ok`.
    public var responseObject: T?

    /// Reads the envelope and its payload.
    /// - Throws: also for a missing payload of a successful answer, unless `T` is optional.
    public required init(from decoder: any Decoder) throws {
        try super.init(from: decoder)
        guard status == .Ok else { return }
        let container = try decoder.container(keyedBy: EnvelopeKey.self)
        // An optional takes `null`, but not the missing key that the server has in place of it.
        if T.self is any ExpressibleByNilLiteral.Type, !container.contains(.responseObject) { return }
        responseObject = try container.decode(T.self, forKey: .responseObject)
    }
}

/// An answer with a list.
open class WPNResponseArray<T: Decodable>: WPNResponseBase {
    /// The list, in the server's order; nil unless ``WPNResponseBase/status`` is `.Ok`.
    public var responseObject: [T]?

    /// Reads the envelope and its list.
    /// - Throws: also for a missing list of a successful answer.
    public required init(from decoder: any Decoder) throws {
        try super.init(from: decoder)
        guard status == .Ok else { return }
        responseObject = try decoder.container(keyedBy: EnvelopeKey.self).decode([T].self, forKey: .responseObject)
    }

    /// Reads the envelope only, for a subclass that reads its list in another way.
    package init(envelopeFrom decoder: any Decoder) throws { try super.init(from: decoder) }
}

private enum EnvelopeKey: CodingKey { case status, responseObject }

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
