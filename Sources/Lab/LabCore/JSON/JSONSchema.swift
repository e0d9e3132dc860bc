// SPDX-License-Identifier: Apache-2.0

/// A type that says itself which JSON it is; every other type is described by the fields it decodes.
package protocol DescribedJSON {
    /// Its JSON Schema, in the dialect of OpenAPI 3.1; with what these types use also draft-07.
    static var schema: JSONValue { get }
    /// A value for the probe, so that it reaches the members after one of this type; nil for a type that the probe's
    /// empty values decode.
    static var example: Self? { get }
}

extension DescribedJSON {
    package static var example: Self? { nil }
}

/// JSON Schemas read off the types that decode and encode the bodies, so that a description cannot say
/// anything else than the code.
package enum JSONSchema {
    /// The schema that a type decodes.
    ///
    /// A field is required if the type does not decode without it.
    package static func of(_ type: any Decodable.Type) -> JSONValue {
        if let described = type as? any DescribedJSON.Type { return described.schema }
        let probe = FieldProbe()
        // A type that refuses the probe's empty values has requested its fields by then.
        _ = try? type.init(from: probe)
        return object(probe.properties, required: probe.required)
    }

    package static func object(_ properties: [String: JSONValue], required: Set<String> = []) -> JSONValue {
        var schema: [String: JSONValue] = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { schema["required"] = .array(required.sorted().map(JSONValue.string)) }
        return .object(schema)
    }

    /// The schema of an object that has some of its fields, and no null there.
    package static func requiring(_ fields: [String], of schema: JSONValue) -> JSONValue {
        guard var object = schema.objectValue, !fields.isEmpty else { return schema }
        var properties = object["properties"]?.objectValue ?? [:]
        for field in fields { properties[field] = properties[field].map(present) }
        object["properties"] = .object(properties)
        object["required"] = .array(fields.sorted().map(JSONValue.string))
        return .object(object)
    }

    /// The same schema, which also takes null.
    package static func nullable(_ schema: JSONValue) -> JSONValue {
        guard var members = schema.objectValue else { return schema }
        if let choices = members["anyOf"]?.arrayValue { members["anyOf"] = .array(choices + [["type": "null"]]) }
        guard let type = members["type"] else { return .object(members) }
        members["type"] = .array((type.arrayValue ?? [type]).filter { $0 != "null" } + ["null"])
        if let choices = members["enum"]?.arrayValue { members["enum"] = .array(choices + [.null]) }
        return .object(members)
    }

    /// The same schema, which does not take null.
    package static func present(_ schema: JSONValue) -> JSONValue {
        guard var members = schema.objectValue else { return schema }
        if let choices = members["anyOf"]?.arrayValue {
            members["anyOf"] = .array(choices.filter { $0 != ["type": "null"] })
        }
        if let types = members["type"]?.arrayValue?.filter({ $0 != "null" }) {
            members["type"] = types.count == 1 ? types[0] : .array(types)
        }
        if let choices = members["enum"]?.arrayValue { members["enum"] = .array(choices.filter { $0 != .null }) }
        return .object(members)
    }
}

extension String: DescribedJSON { package static var schema: JSONValue { ["type": "string"] } }
extension Bool: DescribedJSON { package static var schema: JSONValue { ["type": "boolean"] } }
extension Int: DescribedJSON { package static var schema: JSONValue { ["type": "integer"] } }
extension Int64: DescribedJSON { package static var schema: JSONValue { ["type": "integer"] } }
extension UInt64: DescribedJSON { package static var schema: JSONValue { ["type": "integer", "minimum": 0] } }

extension JSONValue: DescribedJSON {
    /// Anything.
    package static var schema: JSONValue { [:] }
}

extension Array: DescribedJSON where Element: Decodable {
    package static var schema: JSONValue { ["type": "array", "items": JSONSchema.of(Element.self)] }
}

extension Dictionary: DescribedJSON where Key == String, Value: Decodable {
    package static var schema: JSONValue { ["type": "object", "additionalProperties": JSONSchema.of(Value.self)] }
}

extension Optional: DescribedJSON where Wrapped: Decodable {
    package static var schema: JSONValue { JSONSchema.of(Wrapped.self) }
}

/// A decoder without data: it returns empty values and records the requested fields.
///
/// Thread rule: lives within one call of `JSONSchema.of`.
package final class FieldProbe: Decoder {
    package let codingPath: [any CodingKey] = []
    package let userInfo: [CodingUserInfoKey: Any] = [:]
    /// The schemas of the fields by name.
    package private(set) var properties: [String: JSONValue] = [:]
    /// The fields without which the type does not decode.
    package private(set) var required: Set<String> = []

    package init() {}

    fileprivate func note(_ key: any CodingKey, _ type: any Decodable.Type, isRequired: Bool) {
        let schema = JSONSchema.of(type)
        // A null is as good as nothing.
        properties[key.stringValue] = isRequired ? schema : JSONSchema.nullable(schema)
        if isRequired { required.insert(key.stringValue) }
    }

    package func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Fields<Key>(probe: self))
    }

    package func unkeyedContainer() -> any UnkeyedDecodingContainer { NoElements() }

    package func singleValueContainer() -> any SingleValueDecodingContainer { EmptyValue() }

    fileprivate static func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
        if let described = type as? any DescribedJSON.Type, let example = described.example as? Value { return example }
        return try Value(from: FieldProbe())
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
