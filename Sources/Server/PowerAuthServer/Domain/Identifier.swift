import Foundation
import GRDB
import LabKit

/// The name of a row, or of a thing that rows are compared by: an activation, a user, an application, a flag.
///
/// Two identifiers are the same when their bytes are, as SQLite compares them. Swift's text knows another equality, in which
/// `é` and `e` with a combining accent are one; it would let two layers disagree which text is which row. For the same reason
/// there is no identifier with a control character: SQLite's text ends at the first NUL.
struct Identifier: Hashable, Sendable {
    /// As it was given.
    let text: String

    /// The longest one, in code points.
    static let longest = TextLimit.line.characters

    /// Reads what a caller has named.
    /// - Returns: nil for a text with control characters, or a longer one than ``longest``.
    init?(_ text: String) {
        guard TextLimit.line.admits(text),
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.init(known: text)
    }

    /// Reads what a caller has named.
    /// - Parameter field: where it stands, for the refusal.
    /// - Throws: `invalidRequest`, with a sentence.
    init(_ text: String, field: String) throws {
        guard let identifier = Identifier(text) else { throw Self.refusal(of: field) }
        self = identifier
    }

    /// Reads what a caller may have named.
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

    /// - Parameter field: where the refused text stands.
    private static func refusal(of field: String) -> ServiceError {
        .invalid("\(field): \(rule)")
    }

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

extension Identifier: CustomStringConvertible {
    var description: String { text }
}

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
    mutating func encode(_ value: Identifier, forKey key: Key) throws {
        try encode(value.text, forKey: key)
    }

    /// Without the containers that a wrapper has of its own.
    mutating func encode(_ value: ExplicitNull<Identifier>, forKey key: Key) throws {
        guard let identifier = value.wrappedValue else { return try encodeNil(forKey: key) }
        try encode(identifier.text, forKey: key)
    }
}

extension Identifier: DescribedJSON {
    /// The pattern by which the description of the API says that a text names something.
    static let pattern: JSONValue = #"^[^\u0000-\u001F\u007F-\u009F]*$"#

    static var schema: JSONValue {
        ["type": "string", "maxLength": .integer(Int64(longest)), "pattern": pattern]
    }
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
