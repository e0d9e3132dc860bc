// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import LabCore

/// The identifier of a row, or a value that rows are compared by: an activation, a user, an application, a flag.
///
/// Identifiers are compared by their bytes, as in SQLite. Swift's `String` also equates `é` and `e` with a combining
/// accent, so two layers could disagree which text is which row. For the same reason control characters are refused:
/// SQLite's text ends at the first NUL.
struct Identifier: Hashable, Sendable {
    /// As it was given.
    let text: String

    /// The longest one, in code points.
    static let longest = TextLimit.line.characters

    /// Reads an identifier of a request.
    /// - Returns: nil for a text with control characters, or longer than ``longest``.
    init?(_ text: String) {
        guard TextLimit.line.admits(text),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.init(known: text)
    }

    /// Reads an identifier of a request.
    /// - Parameter field: its field, for the error message.
    /// - Throws: `invalidRequest`, with a message.
    init(_ text: String, field: String) throws {
        guard let identifier = Identifier(text) else { throw Self.refusal(of: field) }
        self = identifier
    }

    /// Reads an optional identifier of a request.
    /// - Returns: nil for nil.
    /// - Throws: as ``init(_:field:)``.
    static func named(_ text: String?, field: String) throws -> Identifier? {
        try text.map { try Identifier($0, field: field) }
    }

    /// A text that the server has made, or read from its own rows or settings.
    init(known text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    /// No text at all, which names nothing: for answers that must have the field.
    static let none = Identifier(known: "")

    private static let rule = "an identifier has at most \(longest) characters, and no control characters"

    /// - Parameter field: the field of the refused text.
    private static func refusal(of field: String) -> ServiceError { .invalid("\(field): \(rule)") }

    static func == (one: Identifier, other: Identifier) -> Bool {
        one.text.utf8.count == other.text.utf8.count && one.text.utf8.elementsEqual(other.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension Identifier: Comparable {
    /// In the order of the bytes, as SQLite sorts.
    static func < (one: Identifier, other: Identifier) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension Identifier: CustomStringConvertible { var description: String { text } }

extension Identifier: Codable {
    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard let identifier = Identifier(text) else {
            let field = decoder.codingPath.last?.stringValue ?? "an identifier"
            throw ServiceError(.invalidRequest, "\(field): \(Self.rule)")
        }
        self = identifier
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension KeyedEncodingContainer {
    /// Without the containers that a wrapper has of its own.
    mutating func encode(_ value: Identifier, forKey key: Key) throws { try encode(value.text, forKey: key) }

    /// Without the containers that a wrapper has of its own.
    mutating func encode(_ value: ExplicitNull<Identifier>, forKey key: Key) throws {
        guard let identifier = value.wrappedValue else { return try encodeNil(forKey: key) }
        try encode(identifier.text, forKey: key)
    }
}

extension Identifier: DescribedJSON {
    /// The pattern by which the description of the API says that a text names something.
    static let pattern: JSONValue = #"^[^\u0000-\u001F\u007F-\u009F]*$"#

    static var schema: JSONValue { ["type": "string", "maxLength": .integer(Int64(longest)), "pattern": pattern] }
}

extension Identifier: DatabaseValueConvertible, StatementColumnConvertible {
    var databaseValue: DatabaseValue { text.databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Identifier? {
        String.fromDatabaseValue(value).map(Identifier.init(known:))
    }

    init?(sqliteStatement: SQLiteStatement, index: CInt) {
        self.init(known: String(sqliteStatement: sqliteStatement, index: index))
    }
}

extension Optional<Identifier> {
    /// The identifier, unless it is missing or made of white space only.
    var nonBlank: Identifier? {
        guard let identifier = self, !identifier.text.allSatisfy(\.isWhitespace) else { return nil }
        return identifier
    }
}

/// The random identifiers the server hands out.
enum Identifiers {
    /// A lower-case UUID of version 4.
    static func uuid() -> Identifier { Identifier(known: UUID().uuidString.lowercased()) }

    /// Draws candidates until one is free.
    /// - Throws: ServiceError with `code` when `attempts` candidates were all taken.
    static func firstFree<Candidate>(
        attempts: Int, orThrow code: ServiceErrorCode, draw: () -> Candidate, isTaken: (Candidate) throws -> Bool
    ) throws -> Candidate {
        for _ in 0..<attempts {
            let candidate = draw()
            if try !isTaken(candidate) { return candidate }
        }
        throw ServiceError(code, "\(attempts) candidates were all taken")
    }
}

extension Optional<String> {
    /// The text, unless it is missing or made of white space only.
    var nonBlank: String? {
        guard let text = self, !text.allSatisfy(\.isWhitespace) else { return nil }
        return text
    }
}
