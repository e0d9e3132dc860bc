// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// JSON of the tests.
enum JSON {
    /// Reads a text, with dates as the services read them.
    static func read<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try read(type, Data(text.utf8))
    }

    /// Reads a value, with dates as the services read them.
    static func read<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws -> Value {
        try read(type, value.encoded())
    }

    static func read<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: data)
    }

    /// What a value is written as, with dates as the services write them.
    static func write(_ value: some Encodable) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        return try JSONValue.parse(encoder.encode(value))
    }
}

extension JSONValue {
    /// The same with another member; nil takes it away. The path leads through objects and arrays.
    func with(_ path: String, _ value: JSONValue?) -> JSONValue {
        let parts = path.split(separator: ".").map(String.init)
        return with(parts[...], value)
    }

    private func with(_ path: ArraySlice<String>, _ value: JSONValue?) -> JSONValue {
        guard let key = path.first else { return value ?? .null }
        let rest = path.dropFirst()
        if case .array(var items) = self, let index = Int(key), items.indices.contains(index) {
            items[index] = items[index].with(rest, value)
            return .array(items)
        }
        var members = objectValue ?? [:]
        members[key] = rest.isEmpty ? value : (members[key] ?? [:]).with(rest, value)
        return .object(members)
    }
}
