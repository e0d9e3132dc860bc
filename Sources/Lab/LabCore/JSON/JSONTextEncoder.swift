// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Writes any encodable value as JSON: compact, slashes as they are, equal values as equal bytes.
///
/// Foundation's encoder takes several times as long for a small answer of the server, which made it the greatest single
/// part of the work for a request. `Data` is written as Base64 and `Decimal` as a number, like there.
///
/// Thread rule: any thread.
public enum JSONTextEncoder {
    /// The order in which the members of an object are written.
    public enum MemberOrder: Sendable {
        /// Sorted by their names.
        case byName
        /// As the value encodes them, which is the order of declaration where the code is synthesised. A dictionary has
        /// no order of its own, so its members are sorted by their names.
        case asEncoded
    }

    /// The UTF-8 text of a value.
    /// - Parameter order: of the members of all objects.
    /// - Throws: `EncodingError` for an infinity or not-a-number, and for a value that writes into two nested containers
    ///   in turn; errors of the value.
    public static func encode(_ value: some Encodable, members order: MemberOrder = .byName) throws -> Data {
        Data(try bytes(of: value, isForReading: false, order))
    }

    /// The text of a value in lines, as a person reads it.
    /// - Throws: as ``encode(_:)``.
    public static func document(_ value: some Encodable) throws -> String {
        try JSONValue.parse(encode(value)).prettyPrinted()
    }

    /// The text that a ``JSONValue`` is read from: a number that is a fraction by its type stays one (`3.0`), and what
    /// JSON has no word for is `null`.
    static func bytes(toRead value: some Encodable) throws -> [UInt8] {
        // What reads the text does not look at the order.
        try bytes(of: value, isForReading: true, .asEncoded)
    }

    private static func bytes(
        of value: some Encodable, isForReading: Bool, _ order: MemberOrder
    ) throws -> [UInt8] {
        let text = JSONText(isForReading: isForReading, order: order)
        try text.write(value)
        guard !text.isMisused else {
            let what = "its encode(to:) uses a nested container after it has written beside that container"
            throw EncodingError.invalidValue(value, .init(codingPath: [], debugDescription: what))
        }
        return text.bytes
    }
}

/// A JSON text while it is being written, from the first byte to the last.
///
/// An object's members stand in the order in which they were encoded until the object ends; then they are put into the
/// order of their keys, if it is to be sorted. A value ends when the next one around it begins, so containers are used
/// one after the other, as synthesised code does; one that is used after its end makes the text ``isMisused``.
///
/// Thread rule: lives within one call of ``JSONTextEncoder``.
private final class JSONText {
    enum Kind {
        case object, array
    }

    /// An object or array that has not ended.
    private struct Open {
        let id: Int
        let kind: Kind
        /// Whether its members are sorted at its end.
        let isSorted: Bool
        /// The offset of its first byte.
        let start: Int
        /// An object's first one in `members`.
        let firstMember: Int
        var count = 0
    }

    /// A member of an open object, which ends where the next one begins.
    private struct Member {
        let key: String
        /// The offset of the first byte of its key.
        let start: Int
    }

    private(set) var bytes: [UInt8] = []
    /// Whether a container was used after its end, so that ``bytes`` are wrong.
    private(set) var isMisused = false
    private var lastID = 0
    private let isForReading: Bool
    private let order: JSONTextEncoder.MemberOrder
    private var open: [Open] = []
    private var members: [Member] = []

    init(isForReading: Bool, order: JSONTextEncoder.MemberOrder) {
        self.isForReading = isForReading
        self.order = order
        bytes.reserveCapacity(1024)
    }

    // MARK: Values

    /// Writes a value to its end.
    func write<Value: Encodable>(_ value: Value) throws {
        // The special types of Foundation's encoder. The types are compared first: a cast takes longer than the rest.
        if Value.self == Data.self, let data = value as? Data {
            append(data.base64EncodedString())
        } else if Value.self == Decimal.self, let number = value as? Decimal {
            append(ascii: number.description)
        } else {
            let (start, depth) = (bytes.count, open.count)
            try value.encode(to: JSONTextValue(text: self, depth: depth))
            close(to: depth)
            // A value that encodes nothing is an empty object.
            if bytes.count == start { append(word: "{}") }
        }
    }

    func append(word: StaticString) { word.withUTF8Buffer { bytes.append(contentsOf: $0) } }
    func append(_ value: Bool) { append(word: value ? "true" : "false") }
    func append(_ value: String) { JSONValue.append(value, to: &bytes) }
    func append(_ value: some FixedWidthInteger) { append(ascii: String(value)) }

    /// - Throws: `EncodingError` for an infinity or not-a-number, unless the text is for reading.
    func append(_ value: Double) throws {
        guard !isForReading else { return JSONValue.append(value, to: &bytes) }
        guard value.isFinite else {
            throw EncodingError.invalidValue(
                value, .init(codingPath: [], debugDescription: "JSON has no word for \(value)"))
        }
        append(ascii: Int64(exactly: value)?.description ?? "\(value)")
    }

    private func append(ascii text: String) { bytes.append(contentsOf: text.utf8) }

    // MARK: Containers

    /// Whether an object with keys of a type is sorted.
    func isSorted(_ keys: any CodingKey.Type) -> Bool { order == .byName || ObjectIdentifier(keys) == dictionaryKeys }

    /// Begins an object or array inside of `depth` others, unless it is open already: a class and its superclass write
    /// into the same one.
    ///
    /// - Returns: its number, by which its container is known.
    func open(_ kind: Kind, at depth: Int, isSorted: Bool = false) -> Int {
        if open.count > depth, open[depth].kind == kind {
            close(to: depth + 1)
            return open[depth].id
        }
        close(to: depth)
        lastID += 1
        open.append(
            Open(id: lastID, kind: kind, isSorted: isSorted, start: bytes.count, firstMember: members.count))
        append(word: kind == .object ? "{" : "[")
        return lastID
    }

    /// Begins a member of an object that is open inside of `depth - 1` others.
    func beginMember(_ key: String, of id: Int, _ depth: Int) -> JSONText {
        begin(id, depth)
        members.append(Member(key: key, start: bytes.count))
        append(key)
        append(word: ":")
        return self
    }

    /// Begins an element of an array that is open inside of `depth - 1` others.
    func beginElement(of id: Int, _ depth: Int) -> JSONText {
        begin(id, depth)
        return self
    }

    /// How many elements were begun in an array that is open inside of `depth - 1` others.
    func elements(of id: Int, _ depth: Int) -> Int { isOpen(id, depth) ? open[depth - 1].count : 0 }

    private func isOpen(_ id: Int, _ depth: Int) -> Bool { open.count >= depth && open[depth - 1].id == id }

    private func begin(_ id: Int, _ depth: Int) {
        guard isOpen(id, depth) else {
            isMisused = true
            return
        }
        close(to: depth)
        if open[depth - 1].count > 0 { append(word: ",") }
        open[depth - 1].count += 1
    }

    /// Ends what is open inside of `depth` others.
    private func close(to depth: Int) {
        while open.count > depth, let last = open.popLast() {
            switch last.kind {
            case .array:
                append(word: "]")
            case .object:
                if last.isSorted { sortMembers(of: last) }
                members.removeSubrange(last.firstMember...)
                append(word: "}")
            }
        }
    }

    private func sortMembers(of object: Open) {
        let own = object.firstMember..<members.count
        guard !isMisused, own.dropFirst().contains(where: { members[$0].key < members[$0 - 1].key }) else { return }
        let sorted = own.sorted { members[$0].key < members[$1].key }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count - object.start)
        for index in sorted {
            // Each but the last is followed by the comma before the next.
            let end = index + 1 < members.count ? members[index + 1].start - 1 : bytes.count
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: bytes[members[index].start..<end])
        }
        bytes.replaceSubrange((object.start + 1)..., with: text)
    }
}

/// Where a value is written to: its containers write what they are given to the end of the text.
private struct JSONTextValue: Encoder {
    let text: JSONText
    /// How many values are open around this one.
    let depth: Int

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        let id = text.open(.object, at: depth, isSorted: text.isSorted(type))
        return KeyedEncodingContainer(JSONTextObject<Key>(text: text, id: id, depth: depth + 1))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        JSONTextArray(text: text, id: text.open(.array, at: depth), depth: depth + 1)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { JSONTextScalar(text: text) }
}

private struct JSONTextObject<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let text: JSONText
    let id: Int
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

    private func begin(_ key: some CodingKey) -> JSONText { text.beginMember(key.stringValue, of: id, depth) }
    private func child(_ key: some CodingKey) -> JSONTextValue { JSONTextValue(text: begin(key), depth: depth) }
}

/// The type of the keys that dictionaries encode by. The standard library does not show it, so a dictionary is asked.
private let dictionaryKeys: ObjectIdentifier? = {
    let probe = KeyTypeProbe()
    // Nothing is written, so nothing can fail.
    try? [String: Bool]().encode(to: probe)
    return probe.keys
}()

/// Takes the type of the keys of a value.
///
/// Thread rule: lives within one call.
private final class KeyTypeProbe: Encoder {
    private(set) var keys: ObjectIdentifier?
    private let rest = JSONTextValue(text: JSONText(isForReading: false, order: .byName), depth: 0)
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        keys = ObjectIdentifier(type)
        return rest.container(keyedBy: type)
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer { rest.unkeyedContainer() }
    func singleValueContainer() -> any SingleValueEncodingContainer { rest.singleValueContainer() }
}

/// The key of a class for the encoding of its superclass.
private enum SuperKey: CodingKey {
    case `super`
}

private struct JSONTextArray: UnkeyedEncodingContainer {
    let text: JSONText
    let id: Int
    /// How many values are open inside of the array's brackets.
    let depth: Int
    var codingPath: [any CodingKey] { [] }
    var count: Int { text.elements(of: id, depth) }

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

    private func begin() -> JSONText { text.beginElement(of: id, depth) }
    private func child() -> JSONTextValue { JSONTextValue(text: begin(), depth: depth) }
}

private struct JSONTextScalar: SingleValueEncodingContainer {
    let text: JSONText
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
