// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import Synchronization

/// How long the texts, lists and mappings of a request may be. Each has a limit, which stands in the description of the API
/// and is held here, before the request is read as anything.
///
/// Thread rule: any thread.
final class RequestLengths: Sendable {
    /// How many elements a list has at most, and how many members a mapping.
    private static let mostElements: Int64 = 10_000
    /// A body of at most this size exceeds no limit: shorter limits belong to single fields, and their resources check
    /// them.
    private static let harmless = 1_024

    private let describe: @Sendable () -> JSONValue?
    /// Nil before it was needed: most resources never get a body that must be compared with it.
    private let described = Mutex<JSONValue??>(nil)

    /// - Parameter describe: makes the schema of the whole body, when it is first needed; nil where nothing is said
    ///   about the lengths.
    init(_ describe: @escaping @Sendable () -> JSONValue?) { self.describe = describe }

    private var schema: JSONValue? {
        described.withLock { described in
            if let made = described { return made }
            let schema = describe()
            described = .some(schema)
            return schema
        }
    }

    /// - Throws: `DecodingError` that names the place. What cannot be read is for others to refuse.
    func check(_ body: Data) throws {
        guard body.count > Self.harmless, let schema, let value = Self.value(of: body) else { return }
        guard let mistake = Self.mistake(value, schema, at: "") else { return }
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: mistake))
    }

    /// The lab's own reader is fast, and refuses names that an object has twice, which those of the resources let pass.
    private static func value(of body: Data) -> JSONValue? {
        (try? JSONValue.parse(body)) ?? (try? JSONBody.decode(JSONValue.self, from: body))
    }

    private static func mistake(_ value: JSONValue, _ schema: JSONValue, at path: String) -> String? {
        func isBeyond(_ count: Int, _ limit: String) -> Bool {
            schema[limit]?.integerValue.map { Int64(count) > $0 } ?? false
        }
        if let alternatives = schema["anyOf"]?.arrayValue, !alternatives.isEmpty {
            let mistakes = alternatives.map { mistake(value, $0, at: path) }
            if mistakes.allSatisfy({ $0 != nil }) { return mistakes[0] }
        }
        switch value {
        case .string(let text):
            let limit = schema["maxLength"]?.integerValue.map { TextLimit(characters: Int($0)) }
            guard let limit, !limit.admits(text) else { return nil }
            return "\(path) has \(text.unicodeScalars.count) characters"
        case .array(let elements):
            if isBeyond(elements.count, "maxItems") { return "\(path) has \(elements.count) elements" }
            guard let items = schema["items"] else { return nil }
            return elements.lazy.compactMap { mistake($0, items, at: path + "[]") }.first
        case .object(let members):
            if isBeyond(members.count, "maxProperties") { return "\(path) has \(members.count) members" }
            return members.lazy.compactMap { name, member in
                let described = schema["properties"]?[name] ?? schema["additionalProperties"]
                return described.flatMap { mistake(member, $0, at: path.isEmpty ? name : "\(path).\(name)") }
            }.first
        default: return nil
        }
    }

    /// The schema with the default limit wherever one is missing.
    static func limited(_ schema: JSONValue) -> JSONValue {
        guard var members = schema.objectValue else { return schema }
        let types = members["type"].map { $0.arrayValue ?? [$0] } ?? []
        func limit(_ name: String, _ most: Int64) { if members[name] == nil { members[name] = .integer(most) } }
        if types.contains("string"), members["enum"] == nil {
            let isEncoded = members["contentEncoding"] != nil
            limit("maxLength", Int64((isEncoded ? TextLimit.transient : TextLimit.ordinary).characters))
        }
        if types.contains("array") {
            limit("maxItems", mostElements)
            members["items"] = members["items"].map(limited)
        }
        if types.contains("object") {
            if members["additionalProperties"] != nil { limit("maxProperties", mostElements) }
            members["properties"] = members["properties"]?.objectValue.map { .object($0.mapValues(limited)) }
            members["additionalProperties"] = members["additionalProperties"].map(limited)
        }
        members["anyOf"] = members["anyOf"]?.arrayValue.map { .array($0.map(limited)) }
        return .object(members)
    }
}

extension Endpoint {
    /// The JSON Schema of a POST body; nil if the API surface describes it completely.
    var requestSchema: JSONValue? {
        guard let type = bodies?.request else { return nil }
        let fieldLimits = face == .backOffice ? FieldLimit.of(backOfficePath) : limits
        let object = fieldLimits.sorted { $0.key < $1.key }.reduce(JSONSchema.of(type)) { schema, limit in
            limit.value.applied(to: schema, at: limit.key)
        }
        guard face == .backOffice else { return RequestLengths.limited(object) }
        guard let contract else { return nil }
        let schema = described(JSONSchema.requiring(contract.required, of: object))
        return JSONSchema.object(["requestObject": RequestLengths.limited(schema)], required: ["requestObject"])
    }

    /// The schema of a request or response object with the names that it has here.
    func described(_ schema: JSONValue) -> JSONValue {
        original == nil ? schema : BackOfficeV4.renamed(schema, of: backOfficePath)
    }

    /// The same resource, which holds its requests to the lengths of its description.
    func holdingLengths() -> Endpoint {
        var endpoint = self
        endpoint.lengths = RequestLengths { self.requestSchema }
        return endpoint
    }
}
