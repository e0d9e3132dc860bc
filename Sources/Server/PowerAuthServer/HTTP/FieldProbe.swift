import LabKit

/// A decoder without data: it returns empty values and records the requested fields.
///
/// Thread rule: lives within one call of `JSONSchema.of`.
final class FieldProbe: Decoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    /// The schemas of the fields by name.
    private(set) var properties: [String: JSONValue] = [:]
    /// The fields without which the type does not decode.
    private(set) var required: Set<String> = []

    fileprivate func note(_ key: any CodingKey, _ type: any Decodable.Type, isRequired: Bool) {
        let schema = JSONSchema.of(type)
        // A null is as good as nothing.
        properties[key.stringValue] = isRequired ? schema : JSONSchema.nullable(schema)
        if isRequired { required.insert(key.stringValue) }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields<Key>(probe: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { NoElements() }

    func singleValueContainer() -> any SingleValueDecodingContainer { EmptyValue() }

    /// An empty value of a type.
    fileprivate static func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Value(from: FieldProbe())
    }
}

/// The fields of an object, each present and empty.
private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let probe: FieldProbe
    let codingPath: [any CodingKey] = []
    /// Read for a mapping, which has no keys here.
    let allKeys: [Key] = []

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        probe.note(key, type, isRequired: true)
        return try FieldProbe.value(type)
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? { optional(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { optional(type, key) }
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) -> Bool? { optional(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { optional(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) -> Int64? { optional(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) -> UInt64? { optional(type, key) }

    private func optional<Value: Decodable>(_ type: Value.Type, _ key: Key) -> Value? {
        probe.note(key, type, isRequired: false)
        return nil
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> {
        FieldProbe().container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { NoElements() }

    func superDecoder() -> any Decoder { FieldProbe() }

    func superDecoder(forKey key: Key) -> any Decoder { FieldProbe() }
}

/// An empty list.
private struct NoElements: UnkeyedDecodingContainer {
    let codingPath: [any CodingKey] = []
    let count: Int? = 0
    let isAtEnd = true
    let currentIndex = 0

    func decodeNil() -> Bool { true }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try FieldProbe.value(type) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
        FieldProbe().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { NoElements() }

    func superDecoder() -> any Decoder { FieldProbe() }
}

/// A value that is read as null, false, zero or the empty text, according to its type.
private struct EmptyValue: SingleValueDecodingContainer {
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { true }
    func decode(_ type: Bool.Type) -> Bool { false }
    func decode(_ type: String.Type) -> String { "" }
    func decode(_ type: Double.Type) -> Double { 0 }
    func decode(_ type: Float.Type) -> Float { 0 }
    func decode(_ type: Int.Type) -> Int { 0 }
    func decode(_ type: Int8.Type) -> Int8 { 0 }
    func decode(_ type: Int16.Type) -> Int16 { 0 }
    func decode(_ type: Int32.Type) -> Int32 { 0 }
    func decode(_ type: Int64.Type) -> Int64 { 0 }
    func decode(_ type: UInt.Type) -> UInt { 0 }
    func decode(_ type: UInt8.Type) -> UInt8 { 0 }
    func decode(_ type: UInt16.Type) -> UInt16 { 0 }
    func decode(_ type: UInt32.Type) -> UInt32 { 0 }
    func decode(_ type: UInt64.Type) -> UInt64 { 0 }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try FieldProbe.value(type) }
}
