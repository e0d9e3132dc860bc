import LabKit

/// A decoder that learns which keys a type asks for, by answering each question with an empty value.
final class KeyProbe: Decoder {
    private(set) var required: [String] = []
    private(set) var optional: [String] = []
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// The keys that a type decodes, in its own order.
    static func keys<Value: Decodable>(of type: Value.Type) throws -> KeyProbe {
        let probe = KeyProbe()
        _ = try Value(from: probe)
        return probe
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(probe: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw unexpected }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw unexpected }

    private var unexpected: DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: "Arguments of a command must be an object."))
    }

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let probe: KeyProbe
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { false }
        func decodeNil(forKey key: Key) throws -> Bool { true }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            probe.required.append(key.stringValue)
            return try empty(type)
        }

        func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
            probe.optional.append(key.stringValue)
            return nil
        }

        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { note(key) }
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { note(key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { note(key) }

        private func note<Value>(_ key: Key) -> Value? {
            probe.optional.append(key.stringValue)
            return nil
        }

        private func empty<Value>(_ type: Value.Type) throws -> Value {
            let candidates: [Any] = [
                "", Secret(""), 0, false, [String: JSONValue](), AuthenticationAnswer.success,
            ]
            for case let value as Value in candidates { return value }
            throw DecodingError.typeMismatch(
                type, .init(codingPath: [], debugDescription: "The probe has no empty value of \(type); add one."))
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw probe.unexpected }
        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { throw probe.unexpected }
        func superDecoder() throws -> any Decoder { throw probe.unexpected }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw probe.unexpected }
    }
}
