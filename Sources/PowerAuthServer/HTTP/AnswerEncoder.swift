import Foundation
import LabKit

/// Writes answers as JSON: compact, keys sorted, slashes as they are.
///
/// Foundation's encoder takes several times as long for a small answer, which made it the greatest single part of the
/// work for a request. `Data` is written as Base64 and `Decimal` as a number, like there.
enum AnswerEncoder {
    /// The UTF-8 text of a value.
    /// - Throws: `EncodingError` for an infinity or not-a-number; whatever the value throws.
    static func encode(_ value: some Encodable) throws -> Data {
        let root = JSONNode()
        try root.set(value)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(1024)
        root.append(to: &bytes)
        return Data(bytes)
    }
}

/// A part of an answer: complete, or a node that is still being filled.
private enum JSONFragment {
    case null
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case number(Double)
    case string(String)
    /// A number with all its digits.
    case decimal(Decimal)
    case node(JSONNode)

    init(_ value: some SignedInteger & FixedWidthInteger) { self = .integer(Int64(value)) }
    init(_ value: some UnsignedInteger & FixedWidthInteger) { self = .unsigned(UInt64(value)) }
    init(_ value: Bool) { self = .bool(value) }
    init(_ value: String) { self = .string(value) }
    init(_ value: Float) throws { try self.init(Double(value)) }

    init(_ value: Double) throws {
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no word for \(value)"))
        }
        self = .number(value)
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): bytes.append(contentsOf: String(value).utf8)
        case .unsigned(let value): bytes.append(contentsOf: String(value).utf8)
        case .number(let value): bytes.append(contentsOf: (Int64(exactly: value)?.description ?? "\(value)").utf8)
        case .string(let text): JSONValue.append(text, to: &bytes)
        case .decimal(let value): bytes.append(contentsOf: value.description.utf8)
        case .node(let node): node.append(to: &bytes)
        }
    }
}

/// Where one value is encoded to, and the encoder for it. Thread rule: lives within one call of ``AnswerEncoder``.
private final class JSONNode: Encoder {
    private enum Shape {
        case scalar(JSONFragment)
        case array, object
    }

    /// A value that encodes nothing is an empty object.
    private var shape = Shape.object
    /// The keys of an object's values, in their order.
    private var keys: [String] = []
    private var values: [JSONFragment] = []

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    var count: Int { values.count }

    func set<Value: Encodable>(_ value: Value) throws {
        if let data = value as? Data {
            set(.string(data.base64EncodedString()))
        } else if Value.self == Decimal.self, let number = value as? Decimal {
            set(.decimal(number))
        } else {
            try value.encode(to: self)
        }
    }

    func set(_ fragment: JSONFragment) { shape = .scalar(fragment) }
    func add(_ fragment: JSONFragment) { values.append(fragment) }

    func add(_ fragment: JSONFragment, _ key: some CodingKey) {
        keys.append(key.stringValue)
        values.append(fragment)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        shape = .object
        return KeyedEncodingContainer(JSONObjectContainer<Key>(node: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        shape = .array
        return JSONArrayContainer(node: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONScalarContainer(node: self) }

    func append(to bytes: inout [UInt8]) {
        switch shape {
        case .scalar(let fragment):
            fragment.append(to: &bytes)
        case .array:
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object:
            bytes.append(UInt8(ascii: "{"))
            for (position, index) in keys.indices.sorted(by: { keys[$0] < keys[$1] }).enumerated() {
                if position > 0 { bytes.append(UInt8(ascii: ",")) }
                JSONValue.append(keys[index], to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                values[index].append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

private struct JSONObjectContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { node.add(.null, key) }
    func encode(_ value: Bool, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: String, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: Int, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: Int8, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: Int16, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: Int32, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: Int64, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: UInt, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: UInt8, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: UInt16, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: UInt32, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: UInt64, forKey key: Key) { node.add(JSONFragment(value), key) }
    func encode(_ value: Double, forKey key: Key) throws { try node.add(JSONFragment(value), key) }
    func encode(_ value: Float, forKey key: Key) throws { try node.add(JSONFragment(value), key) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try child(key).set(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { child(key).unkeyedContainer() }
    func superEncoder(forKey key: Key) -> any Encoder { child(key) }
    func superEncoder() -> any Encoder { child(SuperKey.super) }

    private func child(_ key: some CodingKey) -> JSONNode {
        let child = JSONNode()
        node.add(.node(child), key)
        return child
    }
}

/// The key under which a class keeps what its superclass encodes.
private enum SuperKey: CodingKey {
    case `super`
}

private struct JSONArrayContainer: UnkeyedEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }
    var count: Int { node.count }

    func encodeNil() { node.add(.null) }
    func encode(_ value: Bool) { node.add(JSONFragment(value)) }
    func encode(_ value: String) { node.add(JSONFragment(value)) }
    func encode(_ value: Int) { node.add(JSONFragment(value)) }
    func encode(_ value: Int8) { node.add(JSONFragment(value)) }
    func encode(_ value: Int16) { node.add(JSONFragment(value)) }
    func encode(_ value: Int32) { node.add(JSONFragment(value)) }
    func encode(_ value: Int64) { node.add(JSONFragment(value)) }
    func encode(_ value: UInt) { node.add(JSONFragment(value)) }
    func encode(_ value: UInt8) { node.add(JSONFragment(value)) }
    func encode(_ value: UInt16) { node.add(JSONFragment(value)) }
    func encode(_ value: UInt32) { node.add(JSONFragment(value)) }
    func encode(_ value: UInt64) { node.add(JSONFragment(value)) }
    func encode(_ value: Double) throws { try node.add(JSONFragment(value)) }
    func encode(_ value: Float) throws { try node.add(JSONFragment(value)) }

    func encode<Value: Encodable>(_ value: Value) throws { try child().set(value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
    func superEncoder() -> any Encoder { child() }

    private func child() -> JSONNode {
        let child = JSONNode()
        node.add(.node(child))
        return child
    }
}

private struct JSONScalarContainer: SingleValueEncodingContainer {
    let node: JSONNode
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { node.set(.null) }
    func encode(_ value: Bool) { node.set(JSONFragment(value)) }
    func encode(_ value: String) { node.set(JSONFragment(value)) }
    func encode(_ value: Int) { node.set(JSONFragment(value)) }
    func encode(_ value: Int8) { node.set(JSONFragment(value)) }
    func encode(_ value: Int16) { node.set(JSONFragment(value)) }
    func encode(_ value: Int32) { node.set(JSONFragment(value)) }
    func encode(_ value: Int64) { node.set(JSONFragment(value)) }
    func encode(_ value: UInt) { node.set(JSONFragment(value)) }
    func encode(_ value: UInt8) { node.set(JSONFragment(value)) }
    func encode(_ value: UInt16) { node.set(JSONFragment(value)) }
    func encode(_ value: UInt32) { node.set(JSONFragment(value)) }
    func encode(_ value: UInt64) { node.set(JSONFragment(value)) }
    func encode(_ value: Double) throws { try node.set(JSONFragment(value)) }
    func encode(_ value: Float) throws { try node.set(JSONFragment(value)) }

    func encode<Value: Encodable>(_ value: Value) throws { try node.set(value) }
}
