import Foundation

/// JSON bodies in and out, with the one set of options the server uses.
enum JSONBody {
    static func encode(_ value: some Encodable) throws -> Data {
        try AnswerEncoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        // The decoder checks only the texts that it reads; the whole body must be UTF-8.
        guard String(validating: data, as: UTF8.self) != nil else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "it is not UTF-8"))
        }
        try JSONText.check(data)
        return try JSONDecoder().decode(type, from: data)
    }
}

/// A value that is written as `null` when it is missing, where the API promises the key (server.md, section 2.2).
@propertyWrapper
struct ExplicitNull<Value> {
    var wrappedValue: Value?

    init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }
}

extension ExplicitNull: Sendable where Value: Sendable {}

extension ExplicitNull: Encodable where Value: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension ExplicitNull: Decodable where Value: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }
}

extension KeyedEncodingContainer {
    /// Without the containers that a wrapper has of its own.
    mutating func encode(_ value: ExplicitNull<String>, forKey key: Key) throws {
        guard let text = value.wrappedValue else { return try encodeNil(forKey: key) }
        try encode(text, forKey: key)
    }

    /// Without the containers that a wrapper has of its own.
    mutating func encode(_ value: ExplicitNull<Int>, forKey key: Key) throws {
        guard let number = value.wrappedValue else { return try encodeNil(forKey: key) }
        try encode(number, forKey: key)
    }
}

/// A flag that is false by default: a missing value and `null` mean no.
@propertyWrapper
struct FalseWhenAbsent: Sendable {
    var wrappedValue: Bool
}

extension FalseWhenAbsent: Codable {
    init(from decoder: any Decoder) throws {
        wrappedValue = try decoder.singleValueContainer().decode(Bool.self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension KeyedDecodingContainer {
    func decode(_: FalseWhenAbsent.Type, forKey key: Key) throws -> FalseWhenAbsent {
        FalseWhenAbsent(wrappedValue: try decodeIfPresent(Bool.self, forKey: key) ?? false)
    }
}
