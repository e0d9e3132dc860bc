// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// A JSON value as it was written: `100.00` for a text keeps its two decimal places, and members keep their order.
enum WrittenJSON {
    /// The longest number in bytes, as Jackson reads it. A longer one could be a text that no limit of a text has seen.
    static let longestNumber = 1_000

    /// `null`, `true`, `false` or a text.
    case plain(JSONValue)
    case number(JSONValue, text: String)
    case list([WrittenJSON])
    /// Of a name that comes twice, the first member counts, as for the strict reader.
    case object(Members)

    /// The members of an object in their order.
    struct Members {
        private(set) var names: [String] = []
        private(set) var values: [String: WrittenJSON] = [:]

        /// A new member comes last; nil removes one.
        subscript(name: String) -> WrittenJSON? {
            get { values[name] }
            set {
                let isNew = values[name] == nil
                values[name] = newValue
                if newValue == nil {
                    names.removeAll { $0 == name }
                } else if isNew {
                    names.append(name)
                }
            }
        }
    }

    /// Reads a text; nil for one that is no JSON, or beyond the limits.
    init?(_ data: Data) {
        guard let value = try? Self.parse([UInt8](data)) else { return nil }
        self = value
    }

    /// The value without the texts of its numbers.
    var value: JSONValue {
        switch self {
        case .plain(let value), .number(let value, _): value
        case .list(let elements): .array(elements.map(\.value))
        case .object(let members): .object(members.values.mapValues(\.value))
        }
    }
}

extension WrittenJSON: JSONTree {
    static var noMembers: Members { Members() }

    static func add(_ member: WrittenJSON, named name: String, to members: inout Members) -> Bool {
        if members[name] == nil { members[name] = member }
        return true
    }
}

extension WrittenJSON {
    /// A value of the program, as it writes it: with members in the order of their names.
    init(_ value: JSONValue) {
        switch value {
        case .array(let elements): self = .list(elements.map { WrittenJSON($0) })
        case .object(let values):
            var members = Members()
            for (name, member) in values.sorted(by: { $0.key < $1.key }) { members[name] = WrittenJSON(member) }
            self = .object(members)
        case .integer, .unsigned, .number:
            self = .number(value, text: String(decoding: value.encoded(), as: UTF8.self))
        case .null, .bool, .string: self = .plain(value)
        }
    }

    /// The JSON text without white space.
    func encoded() -> Data {
        switch self {
        case .plain(let value): return value.encoded()
        case .number(_, let text): return Data(text.utf8)
        case .list(let elements): return Self.text(of: elements.map { $0.encoded() }, from: "[", to: "]")
        case .object(let members):
            let texts = members.names.compactMap { name in
                members[name].map { JSONValue.string(name).encoded() + Data(":".utf8) + $0.encoded() }
            }
            return Self.text(of: texts, from: "{", to: "}")
        }
    }

    private static func text(of parts: [Data], from start: String, to end: String) -> Data {
        Data(start.utf8) + Data(parts.joined(separator: Data(",".utf8))) + Data(end.utf8)
    }
}
