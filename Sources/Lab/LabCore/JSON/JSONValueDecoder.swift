// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes decodable values from a ``JSONValue`` without going through text.
///
/// As strict as the types that ask: a text is not a number, a number with a fraction is not an integer, `null` is not a
/// value. `Data` is read from Base64 text.
///
/// Thread rule: any thread; immutable.
struct JSONValueDecoder: Decoder {
    let value: JSONValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Decodes a value.
    /// - Throws: `DecodingError` with the path to the place at fault.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from value: JSONValue, at path: [any CodingKey] = []
    ) throws -> Value {
        if let value = value as? Value { return value }
        if type == Data.self {
            guard let text = value.stringValue, let data = Data(base64Encoded: text) as? Value else {
                throw mismatch(type, path, "expected Base64 text")
            }
            return data
        }
        return try Value(from: JSONValueDecoder(value: value, codingPath: path))
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.objectValue else { throw mismatch("an object") }
        return objectContainer(of: self, at: codingPath, names: members.keys) { name, path in
            members[name].map { JSONValueDecoder(value: $0, codingPath: path) }
        }
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let elements = value.arrayValue else { throw mismatch("a list") }
        return listContainer(of: elements.count, at: codingPath) { index, path in
            JSONValueDecoder(value: elements[index], codingPath: path)
        }
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    private func mismatch(_ expected: String) -> DecodingError {
        Self.mismatch(JSONValue.self, codingPath, "expected \(expected)")
    }

    private static func mismatch(_ type: Any.Type, _ path: [any CodingKey], _ text: String) -> DecodingError {
        .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    }
}

extension JSONValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try present(type, value.boolValue) }
    func decode(_ type: String.Type) throws -> String { try present(type, value.stringValue) }
    func decode(_ type: Double.Type) throws -> Double { try present(type, value.numberValue) }
    func decode(_ type: Float.Type) throws -> Float { try present(type, value.numberValue.map(Float.init)) }
    func decode(_ type: Int.Type) throws -> Int { try whole(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try whole(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try whole(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try whole(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try whole(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try whole(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try whole(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try whole(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try whole(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try whole(type) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try Self.decode(type, from: value, at: codingPath)
    }

    private func whole<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
        switch value {
        case .integer(let number): try present(type, Number(exactly: number))
        case .unsigned(let number): try present(type, Number(exactly: number))
        case .number(let number): try present(type, Number(exactly: number))
        default: throw Self.mismatch(type, codingPath, "expected \(type)")
        }
    }

    private func present<Value>(_ type: Value.Type, _ found: Value?) throws -> Value {
        guard let found else { throw Self.mismatch(type, codingPath, "expected \(type)") }
        return found
    }
}

/// The container of an object, for a decoder that has a decoder for each member. It does not outlive the decoding.
/// - Parameters:
///   - object: the decoder of the object.
///   - path: the place of the object.
///   - names: the names of the members.
///   - member: gives the decoder of a member, by its name and its place; nil for a name that the object does not have.
package func objectContainer<Key: CodingKey, Member: Decoder & SingleValueDecodingContainer>(
    of object: Member, at path: [any CodingKey], names: some Sequence<String>,
    member: @escaping (String, [any CodingKey]) -> Member?
) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(ObjectReader(object: object, codingPath: path, names: names, member: member))
}

private struct ObjectReader<Key: CodingKey, Member, Names>: KeyedDecodingContainerProtocol
where Member: Decoder & SingleValueDecodingContainer, Names: Sequence<String> {
    let object: Member
    let codingPath: [any CodingKey]
    let names: Names
    let member: (String, [any CodingKey]) -> Member?

    var allKeys: [Key] { names.compactMap(Key.init(stringValue:)) }

    func contains(_ key: Key) -> Bool { member(key.stringValue, codingPath) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try at(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try at(key).decode(type) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try at(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try at(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { object }
    func superDecoder(forKey key: Key) throws -> any Decoder { try at(key) }

    private func at(_ key: Key) throws -> Member {
        guard let member = member(key.stringValue, codingPath + [key]) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "missing"))
        }
        return member
    }
}

/// The container of a list, for a decoder that has a decoder for each element. It does not outlive the decoding.
/// - Parameters:
///   - count: how many elements the list has.
///   - path: the place of the list.
///   - element: gives the decoder of an element, by its number from 0 and its place.
package func listContainer<Element: Decoder & SingleValueDecodingContainer>(
    of count: Int, at path: [any CodingKey], element: @escaping (Int, [any CodingKey]) -> Element
) -> any UnkeyedDecodingContainer {
    ListReader(length: count, codingPath: path, element: element)
}

private struct ListReader<Element: Decoder & SingleValueDecodingContainer>: UnkeyedDecodingContainer {
    let length: Int
    let codingPath: [any CodingKey]
    let element: (Int, [any CodingKey]) -> Element
    var currentIndex = 0

    var count: Int? { length }
    var isAtEnd: Bool { currentIndex >= length }

    mutating func decodeNil() throws -> Bool {
        guard try next(Any?.self).decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try next(type).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try next(type).container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try next([Any].self).unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try next(Any.self)
        currentIndex += 1
        return decoder
    }

    private func next(_ type: Any.Type) throws -> Element {
        let path = codingPath + [JSONPathKey(intValue: currentIndex)]
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(type, .init(codingPath: path, debugDescription: "the list ends here"))
        }
        return element(currentIndex, path)
    }
}

/// A key that is known at run time only: the name of a member, or the place of an element in a coding path.
package struct JSONPathKey: CodingKey {
    /// The name, or the number in digits.
    package let stringValue: String
    /// The number of an element from 0; nil for a name.
    package let intValue: Int?

    /// - Parameter stringValue: the name of a member.
    package init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    /// - Parameter intValue: the number of an element, from 0.
    package init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
