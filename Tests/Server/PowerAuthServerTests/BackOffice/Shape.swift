// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import PowerAuthProtocol

@testable import PowerAuthServer

/// The shape of an answer's value, written as JSON with placeholders for varying values.
///
/// An object has exactly the fields of its shape: a missing one is as wrong as one too many.
indirect enum Shape: Sendable {
    case exactly(JSONValue)
    /// A text with something in it.
    case text
    case number
    case flag
    /// `2024-11-02T09:15:27.482+00:00`.
    case date
    /// Lower case, version 4.
    case uuid
    /// Base64 of a number of bytes; nil for any.
    case base64(Int?)
    /// A text of digits.
    case digits(Int)
    case list([Shape])
    /// A list with at least one element, all of the same shape.
    case listOf(Shape)
    case object([String: Shape])
    /// An object with any fields.
    case mapping

    /// The errors in a value; empty if it fits.
    func mismatches(_ value: JSONValue?, at path: String = "") -> [String] {
        guard let value else { return ["\(path) is missing"] }
        switch (self, value) {
        case (.object(let fields), .object(let members)):
            let extra = Set(members.keys).subtracting(fields.keys).sorted().map { "\(path).\($0) is not expected" }
            return extra + fields.sorted { $0.key < $1.key }.flatMap { $1.mismatches(members[$0], at: "\(path).\($0)") }
        case (.list(let shapes), .array(let elements)) where shapes.count == elements.count:
            return zip(shapes, elements).enumerated().flatMap { index, pair in
                pair.0.mismatches(pair.1, at: "\(path)[\(index)]")
            }
        case (.listOf(let shape), .array(let elements)) where !elements.isEmpty:
            return elements.enumerated().flatMap { shape.mismatches($1, at: "\(path)[\($0)]") }
        default:
            return fits(value) ? [] : ["\(path) is \(value), expected \(self)"]
        }
    }

    private func fits(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.exactly(let expected), _): expected == value
        case (.text, .string(let text)): !text.isEmpty
        case (.number, .integer), (.number, .unsigned), (.flag, .bool), (.mapping, .object): true
        // What needs all 64 bits of an unsigned number is read as one with a fraction.
        case (.number, .number(let number)): number.rounded() == number
        case (.date, .string(let text)):
            text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00/) != nil
        case (.uuid, .string(let text)):
            text.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
        case (.base64(let size), .string(let text)):
            StrictBase64.decode(text).map { size == nil || $0.count == size } ?? false
        case (.digits(let count), .string(let text)): text.count == count && text.allSatisfy(\.isASCIIDigit)
        default: false
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}

extension Shape: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(nilLiteral: ()) { self = .exactly(.null) }
    init(booleanLiteral value: Bool) { self = .exactly(.bool(value)) }
    init(integerLiteral value: Int64) { self = .exactly(.integer(value)) }
    init(stringLiteral value: String) { self = .exactly(.string(value)) }
    init(arrayLiteral elements: Shape...) { self = .list(elements) }
    init(dictionaryLiteral elements: (String, Shape)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
