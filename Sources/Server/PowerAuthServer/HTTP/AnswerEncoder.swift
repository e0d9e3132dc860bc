import Foundation

/// Writes answers as JSON: compact, keys sorted, slashes as they are.
///
/// Foundation's encoder takes several times as long for a small answer, which made it the greatest single part of the
/// work for a request. `Data` is written as Base64 and `Decimal` as a number, like there.
enum AnswerEncoder {
    /// The UTF-8 text of a value.
    /// - Throws: `EncodingError` for an infinity or not-a-number; errors of the value.
    static func encode(_ value: some Encodable) throws -> Data {
        let text = AnswerText()
        try text.write(value)
        return Data(text.bytes)
    }
}

/// Where a value is written to: its containers write what they are given to the end of the text.
struct AnswerValue: Encoder {
    let text: AnswerText
    /// How many values are open around this one.
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        text.open(.object, at: depth)
        return KeyedEncodingContainer(AnswerObject<Key>(text: text, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        text.open(.array, at: depth)
        return AnswerArray(text: text, depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { AnswerScalar(text: text) }
}

private struct AnswerObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let text: AnswerText
    /// How many values are open inside of the object's braces.
    let depth: Int
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { begin(key).append(word: "null") }
    func encode(_ value: Bool, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: String, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: Int, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: Int8, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: Int16, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: Int32, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: Int64, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: UInt, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: UInt8, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: UInt16, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: UInt32, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: UInt64, forKey key: Key) { begin(key).append(value) }
    func encode(_ value: Double, forKey key: Key) throws { try begin(key).append(value) }
    func encode(_ value: Float, forKey key: Key) throws { try begin(key).append(Double(value)) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try begin(key).write(value) }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        child(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { child(key).unkeyedContainer() }
    func superEncoder(forKey key: Key) -> any Encoder { child(key) }
    func superEncoder() -> any Encoder { child(SuperKey.super) }

    private func begin(_ key: some CodingKey) -> AnswerText { text.beginMember(key.stringValue, depth) }
    private func child(_ key: some CodingKey) -> AnswerValue { AnswerValue(text: begin(key), depth: depth) }
}

/// The key of a class for the encoding of its superclass.
private enum SuperKey: CodingKey {
    case `super`
}

private struct AnswerArray: UnkeyedEncodingContainer {
    let text: AnswerText
    /// How many values are open inside of the array's brackets.
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var count: Int { text.elements(depth) }

    func encodeNil() { begin().append(word: "null") }
    func encode(_ value: Bool) { begin().append(value) }
    func encode(_ value: String) { begin().append(value) }
    func encode(_ value: Int) { begin().append(value) }
    func encode(_ value: Int8) { begin().append(value) }
    func encode(_ value: Int16) { begin().append(value) }
    func encode(_ value: Int32) { begin().append(value) }
    func encode(_ value: Int64) { begin().append(value) }
    func encode(_ value: UInt) { begin().append(value) }
    func encode(_ value: UInt8) { begin().append(value) }
    func encode(_ value: UInt16) { begin().append(value) }
    func encode(_ value: UInt32) { begin().append(value) }
    func encode(_ value: UInt64) { begin().append(value) }
    func encode(_ value: Double) throws { try begin().append(value) }
    func encode(_ value: Float) throws { try begin().append(Double(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try begin().write(value) }

    func nestedContainer<NestedKey: CodingKey>(keyedBy type: NestedKey.Type) -> KeyedEncodingContainer<NestedKey> {
        child().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { child().unkeyedContainer() }
    func superEncoder() -> any Encoder { child() }

    private func begin() -> AnswerText { text.beginElement(depth) }
    private func child() -> AnswerValue { AnswerValue(text: begin(), depth: depth) }
}

private struct AnswerScalar: SingleValueEncodingContainer {
    let text: AnswerText
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { text.append(word: "null") }
    func encode(_ value: Bool) { text.append(value) }
    func encode(_ value: String) { text.append(value) }
    func encode(_ value: Int) { text.append(value) }
    func encode(_ value: Int8) { text.append(value) }
    func encode(_ value: Int16) { text.append(value) }
    func encode(_ value: Int32) { text.append(value) }
    func encode(_ value: Int64) { text.append(value) }
    func encode(_ value: UInt) { text.append(value) }
    func encode(_ value: UInt8) { text.append(value) }
    func encode(_ value: UInt16) { text.append(value) }
    func encode(_ value: UInt32) { text.append(value) }
    func encode(_ value: UInt64) { text.append(value) }
    func encode(_ value: Double) throws { try text.append(value) }
    func encode(_ value: Float) throws { try text.append(Double(value)) }
    func encode<Value: Encodable>(_ value: Value) throws { try text.write(value) }
}
