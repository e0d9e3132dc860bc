// SPDX-License-Identifier: Apache-2.0

import LabCore

/// Judges JSON by a JSON Schema, as far as the server's own description uses the language.
struct SchemaCheck {
    /// The whole document, for references.
    let document: JSONValue

    /// The errors in a value. An undocumented field is an error, too, like a missing one.
    func violations(_ value: JSONValue, _ schema: JSONValue, at path: String = "$") -> [String] {
        if let reference = schema["$ref"]?.stringValue {
            let name = String(reference.dropFirst("#/components/schemas/".count))
            guard let target = document["components"]?["schemas"]?[name] else { return ["\(path): no \(reference)"] }
            return violations(value, target, at: path)
        }
        if let constant = schema["const"] { return constant == value ? [] : ["\(path) is not \(constant)"] }
        if let choice = schema["enum"]?.arrayValue, !choice.contains(value) {
            return ["\(path) is not one of \(choice)"]
        }
        if let alternatives = schema["anyOf"]?.arrayValue,
            alternatives.allSatisfy({ !violations(value, $0, at: path).isEmpty })
        {
            return ["\(path) is \(value), which no alternative takes"]
        }
        if schema["anyOf"] != nil, schema["type"] == nil { return [] }
        if let condition = schema["if"], let then = schema["then"] {
            let applies = limitViolations(value, condition, at: path).isEmpty
            if applies, case let wrong = limitViolations(value, then, at: path), !wrong.isEmpty { return wrong }
        }
        let beyond = limitViolations(value, schema, at: path)
        guard beyond.isEmpty else { return beyond }
        if let type = schema["type"] {
            let types = type.arrayValue ?? [type]
            guard types.contains(where: { $0.stringValue.map { Self.isA($0, value) } ?? false }) else {
                return ["\(path) is \(value), not \(type)"]
            }
        }
        switch value {
        case .object(let members): return objectViolations(members, schema, at: path)
        case .array(let elements):
            guard let items = schema["items"] else { return ["\(path): the elements are not described"] }
            return elements.enumerated().flatMap { violations($1, items, at: "\(path)[\($0)]") }
        default: return []
        }
    }

    /// The errors in a value beside its type.
    private func limitViolations(_ value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        func bound(_ name: String) -> Int64? { schema[name]?.integerValue }
        switch value {
        case .string(let text):
            let isLong = bound("minLength").map { text.unicodeScalars.count >= $0 } ?? true
            let isShort = bound("maxLength").map { text.unicodeScalars.count <= $0 } ?? true
            guard isLong, isShort else { return ["\(path) has the wrong length: \(text)"] }
            guard let pattern = schema["pattern"]?.stringValue, let regex = try? Regex(pattern) else { return [] }
            return text.contains(regex) ? [] : ["\(path) does not match \(pattern): \(text)"]
        case .integer(let number):
            let isInside = number >= bound("minimum") ?? .min && number <= bound("maximum") ?? .max
            return isInside ? [] : ["\(path) is out of range: \(number)"]
        case .array(let elements):
            let isDistinct = schema["uniqueItems"] != true || Set(elements).count == elements.count
            return isDistinct && elements.count >= bound("minItems") ?? 0 ? [] : ["\(path) has the wrong elements"]
        case .object(let members):
            // The `then` of a condition; what the type says of its fields is judged with them.
            guard schema["type"] == nil else { return [] }
            let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
            return required.filter { members[$0] == nil }.map { "\(path).\($0) is missing" }
                + (schema["properties"]?.objectValue ?? [:]).flatMap { name, property in
                    members[name].map { violations($0, property, at: "\(path).\(name)") } ?? []
                }
        default:
            return []
        }
    }

    private func objectViolations(_ members: [String: JSONValue], _ schema: JSONValue, at path: String) -> [String] {
        // The empty schema describes anything.
        guard schema != [:] else { return [] }
        let properties = schema["properties"]?.objectValue ?? [:]
        let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        let missing = required.filter { members[$0] == nil }.map { "\(path).\($0) is missing" }
        return missing
            + members.flatMap { name, member -> [String] in
                if let property = properties[name] { return violations(member, property, at: "\(path).\(name)") }
                if let other = schema["additionalProperties"] {
                    return violations(member, other, at: "\(path).\(name)")
                }
                return ["\(path).\(name) is not described"]
            }
    }

    private static func isA(_ type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("string", .string), ("boolean", .bool), ("object", .object), ("array", .array), ("null", .null),
            ("integer", .integer), ("integer", .unsigned),
            ("number", .integer), ("number", .unsigned), ("number", .number):
            true
        default: false
        }
    }
}
