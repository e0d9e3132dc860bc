// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore

/// Validates documents by a JSON Schema of draft-07, as far as the lab's schemas use it: an unknown keyword is an
/// error, never ignored.
final class DraftSeven {
    /// Why a schema cannot be used.
    struct Unusable: Error {
        let reason: String
    }

    private let root: JSONValue
    private var patterns: [String: NSRegularExpression] = [:]

    init(_ schema: JSONValue) { root = schema }

    /// The errors of a document with their paths; empty if it is valid.
    func complaints(about document: JSONValue) throws -> [String] { try judge(document, by: root, at: "") }

    /// The examples that do not match their part of the schema.
    func unfitExamples() throws -> (count: Int, complaints: [String]) {
        var count = 0
        var complaints: [String] = []
        var rest = [root]
        while let part = rest.popLast() {
            for example in part["examples"]?.arrayValue ?? [] {
                count += 1
                complaints += try judge(example, by: part, at: "\(example)")
            }
            rest += part.arrayValue ?? part.objectValue.map { Array($0.filter { $0.key != "examples" }.values) } ?? []
        }
        return (count, complaints)
    }

    private func isFine(_ value: JSONValue, by schema: JSONValue) throws -> Bool {
        if let flag = schema.boolValue { return flag }
        if let reference = schema["$ref"]?.stringValue { return try isFine(value, by: try definition(reference)) }
        // The first complaint is enough.
        let keywords = schema.objectValue ?? [:]
        return try keywords.allSatisfy { try judge(value, $0.key, $0.value, beside: keywords, at: "").isEmpty }
    }

    private func judge(_ value: JSONValue, by schema: JSONValue, at path: String) throws -> [String] {
        if let flag = schema.boolValue { return flag ? [] : ["\(path): must not be there"] }
        guard let keywords = schema.objectValue else { throw Unusable(reason: "a schema is no object") }
        // In draft-07, keywords beside a reference are ignored.
        if let reference = keywords["$ref"]?.stringValue {
            return try judge(value, by: try definition(reference), at: path)
        }
        var found: [String] = []
        for (keyword, argument) in keywords {
            found += try judge(value, keyword, argument, beside: keywords, at: path)
        }
        return found
    }

    private func definition(_ reference: String) throws -> JSONValue {
        let name = reference.dropFirst("#/definitions/".count)
        guard reference.hasPrefix("#/definitions/"), let schema = root["definitions"]?[String(name)] else {
            throw Unusable(reason: "nothing is at \(reference)")
        }
        return schema
    }

    private func judge(
        _ value: JSONValue, _ keyword: String, _ argument: JSONValue, beside keywords: [String: JSONValue],
        at path: String
    ) throws -> [String] {
        // A reason may hold much of the schema, and hardly any is needed.
        func unless(_ isFine: Bool, _ reason: @autoclosure () -> String) -> [String] {
            isFine ? [] : ["\(path): \(reason())"]
        }
        func schemas() -> [JSONValue] { argument.arrayValue ?? [] }
        switch keyword {
        case "$schema", "title", "description", "default", "examples", "definitions", "then", "else":
            return []
        case "type":
            let types = argument.arrayValue ?? [argument]
            return unless(types.contains { Self.has(value, $0.stringValue ?? "") }, "is no \(argument)")
        case "enum": return unless(argument.arrayValue?.contains(value) == true, "is not one of the words")
        case "const": return unless(argument == value, "is not \(argument)")
        case "allOf": return try schemas().flatMap { try judge(value, by: $0, at: path) }
        case "anyOf":
            let tries = try schemas().map { try judge(value, by: $0, at: path) }
            return tries.contains([]) ? [] : tries.min { $0.count < $1.count } ?? []
        case "oneOf":
            let count = try schemas().count { try isFine(value, by: $0) }
            return unless(count == 1, "fits \(count) of the alternatives")
        case "not": return unless(try !isFine(value, by: argument), "is what it must not be")
        case "if":
            let branch = try isFine(value, by: argument) ? keywords["then"] : keywords["else"]
            return try branch.map { try judge(value, by: $0, at: path) } ?? []
        case "minimum":
            guard let number = value.numberValue, let least = argument.numberValue else { return [] }
            return unless(number >= least, "is less than \(argument)")
        case "maximum":
            guard let number = value.numberValue, let most = argument.numberValue else { return [] }
            return unless(number <= most, "is more than \(argument)")
        case "pattern":
            guard let text = value.stringValue else { return [] }
            return unless(try matches(text, argument), "does not match \(argument)")
        case "minItems", "maxItems", "items": return try judgeList(value, keyword, argument, at: path)
        default: return try judgeObject(value, keyword, argument, beside: keywords, at: path)
        }
    }

    private func judgeList(
        _ value: JSONValue, _ keyword: String, _ argument: JSONValue, at path: String
    ) throws -> [String] {
        guard let elements = value.arrayValue else { return [] }
        let limit = Int(argument.integerValue ?? 0)
        switch keyword {
        case "minItems": return elements.count >= limit ? [] : ["\(path): has fewer than \(limit) elements"]
        case "maxItems": return elements.count <= limit ? [] : ["\(path): has more than \(limit) elements"]
        default:
            return try elements.enumerated().flatMap { try judge($1, by: argument, at: "\(path)/\($0)") }
        }
    }

    private func judgeObject(
        _ value: JSONValue, _ keyword: String, _ argument: JSONValue, beside keywords: [String: JSONValue],
        at path: String
    ) throws -> [String] {
        let members = value.objectValue
        switch keyword {
        case "required":
            let missing = (argument.arrayValue ?? []).compactMap(\.stringValue).filter { members?[$0] == nil }
            return members == nil ? [] : missing.map { "\(path): lacks \($0)" }
        case "minProperties", "maxProperties":
            guard let members, let limit = argument.integerValue else { return [] }
            let isFine = keyword == "minProperties" ? members.count >= limit : members.count <= limit
            return isFine ? [] : ["\(path): has \(members.count) keys"]
        case "properties":
            guard let members, let schemas = argument.objectValue else { return [] }
            return try members.flatMap { key, member in
                try schemas[key].map { try judge(member, by: $0, at: "\(path)/\(key)") } ?? []
            }
        case "patternProperties":
            return try (argument.objectValue ?? [:]).flatMap { pattern, schema in
                try (members ?? [:]).filter { try matches($0.key, .string(pattern)) }
                    .flatMap { try judge($0.value, by: schema, at: "\(path)/\($0.key)") }
            }
        case "additionalProperties":
            let described = keywords["properties"]?.objectValue ?? [:]
            let others = (members ?? [:]).filter { described[$0.key] == nil }
            return try others.flatMap { try judge($0.value, by: argument, at: "\(path)/\($0.key)") }
        case "propertyNames":
            return try (members ?? [:]).flatMap { try judge(.string($0.key), by: argument, at: "\(path)/\($0.key)") }
        default: throw Unusable(reason: "the keyword \(keyword) is not known here")
        }
    }

    private func matches(_ text: String, _ pattern: JSONValue) throws -> Bool {
        let pattern = pattern.stringValue ?? ""
        let expression = try patterns[pattern] ?? NSRegularExpression(pattern: pattern)
        patterns[pattern] = expression
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private static func has(_ value: JSONValue, _ type: String) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object): true
        case ("integer", .unsigned): true
        case ("integer", _): value.integerValue != nil
        case ("number", _): value.numberValue != nil
        default: false
        }
    }
}
