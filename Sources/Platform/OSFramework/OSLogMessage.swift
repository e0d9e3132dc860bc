// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A message of the system's log, as a text with values. Private values are masked when the message is made.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
    let text: String

    /// A message without values.
    public init(stringLiteral value: String) { text = value }
    /// A message with values.
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// Who may read a value in the log.
public struct OSLogPrivacy: Sendable {
    enum Reader: Sendable { case everyone, depends, developer }

    /// What is written in place of a private value.
    public enum Mask: Sendable {
        /// A number that is the same for the same value, until the process ends.
        case hash
        /// The same words for any value.
        case none
    }

    let reader: Reader
    let mask: Mask

    /// Numbers, Booleans and types for everyone; texts and objects for the developer.
    public static let auto = OSLogPrivacy(reader: .depends, mask: .none)
    /// Everyone.
    public static let `public` = OSLogPrivacy(reader: .everyone, mask: .none)
    /// The developer.
    public static let `private` = OSLogPrivacy(reader: .developer, mask: .none)
    /// The developer.
    public static let sensitive = OSLogPrivacy(reader: .developer, mask: .none)

    /// As ``auto``, with a mask.
    public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(reader: .depends, mask: mask) }
    /// As ``private``, with a mask.
    public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(reader: .developer, mask: mask) }
    /// As ``sensitive``, with a mask.
    public static func sensitive(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(reader: .developer, mask: mask) }

    /// The value as the log shows it.
    /// - Parameter isPlain: whether ``auto`` shows it to everyone.
    func shown(_ value: String, isPlain: Bool) -> String {
        if reader == .everyone || (reader == .depends && isPlain) { return value }
        return switch mask {
        case .none: "<private>"
        case .hash: "<mask.hash: '\(String(UInt(bitPattern: value.hashValue), radix: 16))'>"
        }
    }
}

/// Where a value stands in its columns.
public struct OSLogStringAlignment: Sendable {
    private let columns: Int
    private let isRight: Bool

    /// It takes the columns that it needs.
    public static let none = OSLogStringAlignment(columns: 0, isRight: false)
    /// To the left of so many columns.
    public static func left(columns: Int) -> OSLogStringAlignment { .init(columns: columns, isRight: false) }
    /// To the right of so many columns.
    public static func right(columns: Int) -> OSLogStringAlignment { .init(columns: columns, isRight: true) }

    func aligned(_ text: String) -> String {
        let space = String(repeating: " ", count: max(0, columns - text.count))
        return isRight ? space + text : text + space
    }
}

/// How a whole number is written.
public enum OSLogIntegerFormatting: Sendable {
    /// With ten digits.
    case decimal
    /// With sixteen digits, in lower case.
    case hex
    /// With eight digits.
    case octal

    var radix: Int {
        switch self {
        case .decimal: 10
        case .hex: 16
        case .octal: 8
        }
    }
}

/// How a number is written.
public struct OSLogFloatFormatting: Sendable {
    let format: String

    /// With six digits behind the point.
    public static let fixed = OSLogFloatFormatting(format: "%f")
    /// With so many digits behind the point.
    public static func fixed(precision: Int) -> OSLogFloatFormatting { .init(format: "%.\(max(0, precision))f") }
    /// With an exponent.
    public static let exponential = OSLogFloatFormatting(format: "%e")
    /// As ``fixed`` or ``exponential``, whichever is shorter.
    public static let hybrid = OSLogFloatFormatting(format: "%g")
}

/// What a message of the log is made of.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
    private(set) var text = ""

    /// - Parameters:
    ///   - literalCapacity: length of the literal parts, in bytes.
    ///   - interpolationCount: number of the values.
    public init(literalCapacity: Int, interpolationCount: Int) { text.reserveCapacity(literalCapacity) }

    /// Adds a literal part.
    public mutating func appendLiteral(_ literal: String) { text += literal }

    /// Adds a text.
    public mutating func appendInterpolation(
        _ value: String, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(privacy.shown(value, isPlain: false))
    }

    // Disfavoured, because numbers have a description too.
    /// Adds what has a description.
    @_disfavoredOverload
    public mutating func appendInterpolation(
        _ value: some CustomStringConvertible, align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(privacy.shown(value.description, isPlain: false))
    }

    /// Adds an object.
    public mutating func appendInterpolation(_ value: NSObject?, privacy: OSLogPrivacy = .auto) {
        text += privacy.shown(value?.description ?? "nil", isPlain: false)
    }

    /// Adds a whole number.
    public mutating func appendInterpolation(
        _ value: some FixedWidthInteger, format: OSLogIntegerFormatting = .decimal,
        align: OSLogStringAlignment = .none, privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(privacy.shown(String(value, radix: format.radix), isPlain: true))
    }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ value: Double, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        text += align.aligned(privacy.shown(String(format: format.format, value), isPlain: true))
    }

    /// Adds a number.
    public mutating func appendInterpolation(
        _ value: Float, format: OSLogFloatFormatting = .fixed, align: OSLogStringAlignment = .none,
        privacy: OSLogPrivacy = .auto
    ) {
        appendInterpolation(Double(value), format: format, align: align, privacy: privacy)
    }

    /// Adds a Boolean.
    public mutating func appendInterpolation(_ value: Bool, privacy: OSLogPrivacy = .auto) {
        text += privacy.shown(String(value), isPlain: true)
    }

    /// Adds the name of a type.
    public mutating func appendInterpolation(_ value: Any.Type, privacy: OSLogPrivacy = .auto) {
        text += privacy.shown(String(describing: value), isPlain: true)
    }
}
