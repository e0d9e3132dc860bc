// SPDX-License-Identifier: Apache-2.0

/// A type that parameters and answers of commands can have.
///
/// Its ``fieldType`` describes it to files, help and schema; its `Codable` form is what travels. Texts, numbers, truth
/// values, durations, secrets, lists, free objects (`[String: JSONValue]`) and optional values of them are there; words
/// of a closed list are a ``Choice``, objects with declared members a ``FieldObject``.
public protocol FieldValue: Codable, Sendable {
    /// What values of the type look like.
    static var fieldType: FieldType { get }
    /// The value of a field that is not given: nil for optional types; other types have none.
    static var absent: Self? { get }
    /// Whether the value is such a nil, which does not travel.
    var isAbsent: Bool { get }
}

extension FieldValue {
    /// A field of this type must be given.
    public static var absent: Self? { nil }
    /// There is a value.
    public var isAbsent: Bool { false }
}

/// One of a closed list of words: an enumeration with texts as raw values.
public protocol Choice: FieldValue, CaseIterable, RawRepresentable<String> {}

extension Choice {
    /// The words, in the order of the cases.
    public static var fieldType: FieldType { .choice(allCases.map(\.rawValue)) }
}

/// The answer of a command that only succeeds or fails; its JSON form is `null`.
public struct NoResult: FieldValue {
    public static let fieldType = FieldType.nothing

    /// Creates the empty value.
    public init() {}

    /// Accepts any value.
    public init(from decoder: any Decoder) throws {}

    /// Writes `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

extension String: FieldValue {
    public static let fieldType = FieldType.text
}

extension Bool: FieldValue {
    public static let fieldType = FieldType.boolean
}

extension Int: FieldValue {
    public static let fieldType = FieldType.integer
}

extension Int32: FieldValue {
    public static let fieldType = FieldType.integer
}

extension UInt64: FieldValue {
    public static let fieldType = FieldType.integer
}

extension Double: FieldValue {
    public static let fieldType = FieldType.number
}

extension LabDuration: FieldValue {
    public static let fieldType = FieldType.duration
}

extension Secret: FieldValue {
    public static let fieldType = FieldType.secret
}

extension JSONValue: FieldValue {
    public static let fieldType = FieldType.any
}

extension Optional: FieldValue where Wrapped: FieldValue {
    public static var fieldType: FieldType { .optional(Wrapped.fieldType) }
    public static var absent: Self? { .some(.none) }
    public var isAbsent: Bool { self == nil }
}

extension Array: FieldValue where Element: FieldValue {
    public static var fieldType: FieldType { .list(Element.fieldType) }
}

extension Dictionary: FieldValue where Key == String, Value: FieldValue {
    public static var fieldType: FieldType { .map }
}

/// A user secret (password, PIN) on its way from a scenario to an SDK.
///
/// The only way to the text is ``revealed``; every description and every reflection shows dots.
public struct Secret: Codable, Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable, ExpressibleByStringLiteral
{
    /// The secret text.
    public let revealed: String

    /// Wraps a secret text.
    public init(_ text: String) { revealed = text }

    /// Wraps a literal, as tests write it.
    public init(stringLiteral value: String) { revealed = value }

    /// Reads the text of a control message.
    public init(from decoder: any Decoder) throws {
        revealed = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the text into a control message, which travels on a private socket only.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(revealed)
    }

    /// What is shown in place of any secret.
    public static let mask = "••••"

    /// Dots.
    public var description: String { Self.mask }
    /// Dots.
    public var debugDescription: String { Self.mask }
    /// Dots, also for `dump` and string interpolation of a containing value.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
