import Foundation

/// Turns an encodable value into a ``JSONValue`` without going through text.
///
/// `Data` becomes Base64 text; every other type decides for itself. Nil members are left out, as their type's own
/// `encodeIfPresent` asks.
///
/// Thread rule: one thread; made for a single value.
final class JSONValueEncoder: Encoder {
    let codingPath: [any CodingKey]
    let userInfo: [CodingUserInfoKey: Any] = [:]
    /// What has been written so far; nil until the value has asked for a container.
    fileprivate var node: Node?

    private init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

    /// The JSON form of a value.
    ///
    /// - Throws: what the value's own `encode(to:)` throws.
    static func encode(_ value: some Encodable) throws -> JSONValue {
        try encode(value, at: [])
    }

    fileprivate static func encode(_ value: some Encodable, at path: [any CodingKey]) throws -> JSONValue {
        if let value = value as? JSONValue { return value }
        if let data = value as? Data { return .string(data.base64EncodedString()) }
        let encoder = JSONValueEncoder(codingPath: path)
        try value.encode(to: encoder)
        return encoder.node?.value ?? .object([:])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedWriter(members: nodeOfMembers(), codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        let elements = ElementsNode()
        node = elements
        return UnkeyedWriter(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleWriter(encoder: self, codingPath: codingPath)
    }

    /// A type may ask for its members' container more than once, for example a subclass after its superclass.
    private func nodeOfMembers() -> MembersNode {
        if let members = node as? MembersNode { return members }
        let members = MembersNode()
        node = members
        return members
    }
}

/// A part of the value that is still being written; containers share it with their encoder.
private class Node {
    var value: JSONValue { .null }
}

private final class LeafNode: Node {
    let leaf: JSONValue

    init(_ leaf: JSONValue) { self.leaf = leaf }

    override var value: JSONValue { leaf }
}

private final class MembersNode: Node {
    var members: [String: Node] = [:]

    override var value: JSONValue { .object(members.mapValues(\.value)) }
}

private final class ElementsNode: Node {
    var elements: [Node] = []

    override var value: JSONValue { .array(elements.map(\.value)) }
}

extension JSONValue {
    /// A whole number; numbers above `Int64.max` are ``JSONValue/unsigned(_:)``.
    init(_ number: some FixedWidthInteger) {
        self = Int64(exactly: number).map { .integer($0) } ?? .unsigned(UInt64(truncatingIfNeeded: number))
    }
}

private struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let members: MembersNode
    let codingPath: [any CodingKey]

    private func put(_ value: JSONValue, _ key: Key) { members.members[key.stringValue] = LeafNode(value) }

    mutating func encodeNil(forKey key: Key) { put(.null, key) }
    mutating func encode(_ value: Bool, forKey key: Key) { put(.bool(value), key) }
    mutating func encode(_ value: String, forKey key: Key) { put(.string(value), key) }
    mutating func encode(_ value: Double, forKey key: Key) { put(.number(value), key) }
    mutating func encode(_ value: Float, forKey key: Key) { put(.number(Double(value)), key) }
    mutating func encode(_ value: Int, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: Int8, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: Int16, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: Int32, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: Int64, forKey key: Key) { put(.integer(value), key) }
    mutating func encode(_ value: UInt, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: UInt8, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: UInt16, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: UInt32, forKey key: Key) { put(JSONValue(value), key) }
    mutating func encode(_ value: UInt64, forKey key: Key) { put(JSONValue(value), key) }

    mutating func encode(_ value: some Encodable, forKey key: Key) throws {
        put(try JSONValueEncoder.encode(value, at: codingPath + [key]), key)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        let nested = MembersNode()
        members.members[key.stringValue] = nested
        return KeyedEncodingContainer(KeyedWriter<Nested>(members: nested, codingPath: codingPath + [key]))
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let nested = ElementsNode()
        members.members[key.stringValue] = nested
        return UnkeyedWriter(elements: nested, codingPath: codingPath + [key])
    }

    mutating func superEncoder() -> any Encoder {
        preconditionFailure("No type of the lab has a superclass to encode.")
    }
    mutating func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

private struct UnkeyedWriter: UnkeyedEncodingContainer {
    let elements: ElementsNode
    let codingPath: [any CodingKey]
    var count: Int { elements.elements.count }

    mutating func encodeNil() { elements.elements.append(LeafNode(.null)) }

    mutating func encode(_ value: some Encodable) throws {
        elements.elements.append(
            LeafNode(try JSONValueEncoder.encode(value, at: codingPath + [JSONPathKey(intValue: count)])))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        let nested = MembersNode()
        let path = codingPath + [JSONPathKey(intValue: count)]
        elements.elements.append(nested)
        return KeyedEncodingContainer(KeyedWriter<Nested>(members: nested, codingPath: path))
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let nested = ElementsNode()
        let path = codingPath + [JSONPathKey(intValue: count)]
        elements.elements.append(nested)
        return UnkeyedWriter(elements: nested, codingPath: path)
    }

    mutating func superEncoder() -> any Encoder {
        preconditionFailure("No type of the lab has a superclass to encode.")
    }
}

private struct SingleWriter: SingleValueEncodingContainer {
    let encoder: JSONValueEncoder
    let codingPath: [any CodingKey]

    private func put(_ value: JSONValue) { encoder.node = LeafNode(value) }

    mutating func encodeNil() { put(.null) }
    mutating func encode(_ value: Bool) { put(.bool(value)) }
    mutating func encode(_ value: String) { put(.string(value)) }
    mutating func encode(_ value: Double) { put(.number(value)) }
    mutating func encode(_ value: Float) { put(.number(Double(value))) }
    mutating func encode(_ value: Int) { put(JSONValue(value)) }
    mutating func encode(_ value: Int8) { put(JSONValue(value)) }
    mutating func encode(_ value: Int16) { put(JSONValue(value)) }
    mutating func encode(_ value: Int32) { put(JSONValue(value)) }
    mutating func encode(_ value: Int64) { put(.integer(value)) }
    mutating func encode(_ value: UInt) { put(JSONValue(value)) }
    mutating func encode(_ value: UInt8) { put(JSONValue(value)) }
    mutating func encode(_ value: UInt16) { put(JSONValue(value)) }
    mutating func encode(_ value: UInt32) { put(JSONValue(value)) }
    mutating func encode(_ value: UInt64) { put(JSONValue(value)) }
    mutating func encode(_ value: some Encodable) throws {
        put(try JSONValueEncoder.encode(value, at: codingPath))
    }
}

/// A place in a coding path: a member's name or an element's number.
struct JSONPathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
