// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// JSON bodies in and out, with the one set of options the server uses.
enum JSONBody {
    /// The members stand in the order in which their type declares them, which is that of the vendor's classes: foreign
    /// tests compare texts.
    static func encode(_ value: some Encodable) throws -> Data {
        try JSONTextEncoder.encode(value, members: .asEncoded)
    }

    /// The same as a text, for a column of the database.
    static func text(of value: some Encodable) throws -> String { String(decoding: try encode(value), as: UTF8.self) }

    /// - Parameters:
    ///   - data: of a whole body, or of what was encrypted in one.
    ///   - reading: whether values may have forms that the API does not describe.
    /// - Throws: `DecodingError` for what is no JSON of this type; errors of the type itself.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, _ reading: JSONReading = .strict
    ) throws -> Value {
        // The decoder checks only the texts that it reads; the whole body must be UTF-8.
        guard String(validating: data, as: UTF8.self) != nil else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "it is not UTF-8"))
        }
        try JSONText.check(data)
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError where reading == .tolerant {
            // Nearly every request has the described forms, and its reader is the fast one.
            guard let json = WrittenJSON(data) else { throw error }
            return try TolerantReader.decode(type, from: json)
        }
    }
}

/// A value that is written as `null` when it is missing, where the API promises the key (server.md, section 2.2).
@propertyWrapper struct ExplicitNull<Value> {
    var wrappedValue: Value?

    init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }
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
@propertyWrapper struct FalseWhenAbsent: Sendable { var wrappedValue: Bool }

extension FalseWhenAbsent: Codable {
    init(from decoder: any Decoder) throws { wrappedValue = try decoder.singleValueContainer().decode(Bool.self) }

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

/// `{"requestObject": …}`, the form of every plain request (rest-api.md, section 2.1).
struct RequestEnvelope<Content: Decodable>: Decodable { let requestObject: Content }

/// `{"status":"OK","responseObject": …}`.
struct ResponseEnvelope<Content: Encodable>: Encodable {
    let status = "OK"
    let responseObject: Content
}

/// `{"status":"OK"}`.
struct EmptyEnvelope: Encodable { let status = "OK" }

/// `{"status":"ERROR","responseObject":{"code":…,"message":…}}`.
struct ErrorEnvelope: Encodable {
    let status = "ERROR"
    let responseObject: ErrorObject
}

/// The content of an error answer; the back office repeats the message as a localised one.
struct ErrorObject: Encodable {
    let code: String
    let message: String
    var localizedMessage: String?
    var currentRecoveryPukIndex: Int?
}

/// JSON that the parser accepts and the server refuses: a comma behind the last element (RFC 8259, sections 4 and 5),
/// and a NUL in a text, where SQLite stops reading.
enum JSONText {
    /// - Throws: `DecodingError` that says what is wrong.
    static func check(_ text: Data) throws {
        guard let mistake = text.withUnsafeBytes(mistake) else { return }
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: mistake))
    }

    private static func mistake(in bytes: UnsafeRawBufferPointer) -> String? {
        var index = 0
        /// The last byte that is neither space nor inside a text.
        var previous: UInt8 = 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                guard let end = endOfText(bytes, from: index + 1) else { return "a text holds a NUL" }
                (index, previous) = (end, byte)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if previous == UInt8(ascii: ",") { return "a comma stands behind the last element" }
                previous = byte
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
            default: previous = byte
            }
            index += 1
        }
        return nil
    }

    /// Where a text ends; nil for one with a NUL. The reader finds the other mistakes.
    private static func endOfText(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] != 0 else { return nil }
            if bytes[index] == UInt8(ascii: "\\") {
                if bytes[(index + 1)...].prefix(5).elementsEqual("u0000".utf8) { return nil }
                index += 1
            }
            index += 1
        }
        return index
    }
}

/// Reads JSON objects and refuses keys that the protocol does not define (rest-api.md, section 2.3).
enum StrictJSON {
    /// Decodes an object whose keys are all in `keys`.
    /// - Parameter nested: a member that is an object, and the keys that it may have.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from data: Data, keys: Set<String>, nested: (member: String, keys: Set<String>)? = nil
    ) throws -> Value {
        try JSONText.check(data)
        _ = try JSONDecoder().decode(
            KnownKeys.self, from: data, configuration: KnownKeys.Rule(keys: keys, nested: nested))
        return try JSONDecoder().decode(type, from: data)
    }

    /// The keys of an encrypted request.
    static let envelopeKeys: Set<String> = [
        "temporaryKeyId", "ephemeralPublicKey", "encryptedData", "mac", "nonce", "timestamp",
    ]

    /// Reads an object and refuses unknown keys; nothing is kept.
    private struct KnownKeys: DecodableWithConfiguration {
        struct Rule {
            var keys: Set<String>
            var nested: (member: String, keys: Set<String>)?
        }

        init(from decoder: any Decoder, configuration rule: Rule) throws {
            let container = try decoder.container(keyedBy: JSONPathKey.self)
            let found = Set(container.allKeys.map(\.stringValue))
            if let unknown = found.subtracting(rule.keys).min() {
                throw DecodingError.dataCorrupted(
                    DecodingError.Context(
                        codingPath: decoder.codingPath, debugDescription: "\"\(unknown)\" is not a known key"))
            }
            guard let nested = rule.nested, found.contains(nested.member) else { return }
            _ = try container.decode(
                KnownKeys.self, forKey: JSONPathKey(stringValue: nested.member),
                configuration: Rule(keys: nested.keys))
        }
    }
}

/// An object whose members are known at run time only, in the order in which they were added.
struct OrderedMembers<Value: Encodable & Sendable>: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    private var members: [(name: String, value: Value)]

    /// - Parameter elements: each name once.
    init(dictionaryLiteral elements: (String, Value)...) { members = elements.map { (name: $0.0, value: $0.1) } }

    /// The value of a member; setting nil removes it, and setting another value leaves it in its place.
    subscript(name: String) -> Value? {
        get { members.first { $0.name == name }?.value }
        set {
            let index = members.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append((name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The same members without those of other names.
    func filter(_ isIncluded: (_ name: String) -> Bool) -> OrderedMembers {
        var copy = self
        copy.members.removeAll { !isIncluded($0.name) }
        return copy
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONPathKey.self)
        for (name, value) in members { try container.encode(value, forKey: JSONPathKey(stringValue: name)) }
    }
}
