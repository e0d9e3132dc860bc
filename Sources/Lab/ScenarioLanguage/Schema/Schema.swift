// SPDX-License-Identifier: Apache-2.0

import LabCore

/// A JSON Schema (draft-07) under construction: the few keywords that the lab's schemas use.
struct Schema: Sendable {
    package let json: JSONValue

    private init(_ json: JSONValue) { self.json = json }

    private init(_ members: [String: JSONValue]) { json = .object(members) }

    package static let anything = Schema([:])
    /// Nothing: a key with this schema must be absent.
    package static let nothing = Schema(.bool(false))

    /// Values of some of JSON's types.
    package static func type(_ names: String...) -> Schema {
        Schema(["type": names.count == 1 ? .string(names[0]) : .array(names.map { .string($0) })])
    }

    package static func integer(atLeast least: Int64) -> Schema {
        Schema(["type": "integer", "minimum": .integer(least)])
    }

    static func integer(in limits: ClosedRange<Int>) -> Schema {
        integer(atLeast: Int64(limits.lowerBound)).and(Schema(["maximum": .integer(Int64(limits.upperBound))]))
    }

    /// Texts that match a regular expression.
    package static func text(matching pattern: String) -> Schema {
        Schema(["type": "string", "pattern": .string(pattern)])
    }

    package static func word(of words: [String]) -> Schema { Schema(["enum": .array(words.map { .string($0) })]) }

    /// One of some words, each with its meaning for editors.
    package static func word(of words: [(name: String, meaning: String)]) -> Schema {
        Schema(["oneOf": .array(words.map { constant($0.name).described($0.meaning).json })])
    }

    static func constant(_ word: String) -> Schema { Schema(["const": .string(word)]) }

    package static func list(of element: Schema, atLeast least: Int = 0, atMost most: Int? = nil) -> Schema {
        var members: [String: JSONValue] = ["type": "array", "items": element.json]
        if least > 0 { members["minItems"] = .integer(Int64(least)) }
        if let most { members["maxItems"] = .integer(Int64(most)) }
        return Schema(members)
    }

    /// Objects with the given keys and, unless others are allowed, no more.
    package static func object(_ keys: [String: Schema], required: [String] = [], others: Schema = .nothing) -> Schema {
        var members: [String: JSONValue] = ["type": "object", "additionalProperties": others.json]
        if !keys.isEmpty { members["properties"] = .object(keys.mapValues(\.json)) }
        if !required.isEmpty { members["required"] = .array(required.map { .string($0) }) }
        return Schema(members)
    }

    /// Constraints on some keys of an object, if present.
    package static func keys(_ keys: [String: Schema]) -> Schema {
        Schema(["properties": .object(keys.mapValues(\.json))])
    }

    package static func has(_ keys: String...) -> Schema { Schema(["required": .array(keys.map { .string($0) })]) }

    /// Objects with no other keys than some.
    static func hasOnly(_ keys: [String]) -> Schema {
        Schema(["type": "object", "propertyNames": word(of: keys).json])
    }

    /// Objects in which the values of all keys that match a regular expression have a schema.
    package static func every(keyMatching pattern: String, _ schema: Schema) -> Schema {
        Schema(["patternProperties": .object([pattern: schema.json])])
    }

    /// Objects whose keys are such texts.
    package static func names(_ schema: Schema) -> Schema { Schema(["propertyNames": schema.json]) }

    /// The schema of each element of a list, and of each member of an object.
    static func elementsAndMembers(_ schema: Schema) -> Schema {
        Schema(["items": schema.json, "additionalProperties": schema.json])
    }

    static let notEmpty = Schema(["minProperties": 1])

    package static func atMost(keys count: Int) -> Schema { Schema(["maxProperties": .integer(Int64(count))]) }

    static func anyOf(_ schemas: [Schema]) -> Schema { Schema(["anyOf": .array(schemas.map(\.json))]) }

    static func allOf(_ schemas: [Schema]) -> Schema { Schema(["allOf": .array(schemas.map(\.json))]) }

    package static func not(_ schema: Schema) -> Schema { Schema(["not": schema.json]) }

    static func definition(_ name: String) -> Schema { Schema(["$ref": .string("#/definitions/\(name)")]) }

    /// The schema of values that match a condition, and of the others.
    package static func when(_ condition: Schema, _ then: Schema, otherwise: Schema? = nil) -> Schema {
        var members = ["if": condition.json, "then": then.json]
        members["else"] = otherwise?.json
        return Schema(members)
    }

    /// The schema with further keywords; both must hold. Beside a reference a validator ignores other keywords.
    package func and(_ other: Schema) -> Schema {
        let (mine, its) = (json.objectValue ?? [:], other.json.objectValue ?? [:])
        let isReference = mine["$ref"] != nil || its["$ref"] != nil
        guard !isReference, Set(mine.keys).isDisjoint(with: its.keys) else { return .allOf([self, other]) }
        return Schema(mine.merging(its) { old, _ in old })
    }

    /// The schema with texts for editors: a meaning, the default, and initial values.
    func described(_ meaning: String, default value: JSONValue? = nil, examples: [JSONValue] = []) -> Schema {
        guard var members = json.objectValue else { return self }
        if members["$ref"] != nil { members = ["allOf": .array([json])] }
        members["description"] = .string(meaning)
        members["default"] = value
        if !examples.isEmpty { members["examples"] = .array(examples) }
        return Schema(members)
    }

    package func document(title: String, definitions: [String: Schema]) -> JSONValue {
        var members = json.objectValue ?? [:]
        members["$schema"] = "http://json-schema.org/draft-07/schema#"
        members["title"] = .string(title)
        members["definitions"] = .object(definitions.mapValues(\.json))
        return .object(members)
    }
}

/// The schemas of values, by their declared types.
///
/// A YAML parser without type information reads `0123` as a number and `true` as a boolean where the lab reads text, so
/// texts may be any scalar, and numbers may be quoted.
enum ValueSchema {
    /// Any scalar but null.
    package static let text = Schema.type("string", "number", "boolean")
    package static let quantity = Schema.type("number", "string")
    package static let flag = Schema.anyOf([.type("boolean"), .word(of: ["true", "false"])])
    /// A text with a reference in it, which may have a value of any type.
    package static let reference = Schema.definition("reference")
    /// A non-negative length of time.
    package static let duration = Schema.definition("duration")
    /// The names of a variable, a device or an app.
    package static let variable = Schema.text(matching: "^[A-Za-z][A-Za-z0-9_]*$")

    /// A whole number within small limits, which may be quoted.
    static func count(in limits: ClosedRange<Int>) -> Schema {
        .anyOf([.integer(in: limits), .text(matching: "^(\(limits.map { String($0) }.joined(separator: "|")))$")])
    }

    /// The definitions for the schemas above.
    static var definitions: [String: Schema] {
        let number = "[0-9]+(\\.[0-9]+)?(\(LabDuration.unitNames.joined(separator: "|")))"
        return [
            "reference": .text(matching: "\\$\\{").described("A reference to a value, `${name.member}`."),
            "duration": .text(matching: "^\(number)$").described("A length of time, such as `250ms`, `2s` or `5m`."),
            "signedDuration": .text(matching: "^-?\(number)$")
                .described("A length of time, such as `30s` or `-2m`."),
        ]
    }

    /// The schema of a type's values in `with`.
    package static func value(of type: FieldType) -> Schema {
        switch type {
        case .text, .secret: text
        case .integer: .anyOf([.type("integer"), .text(matching: "^[-+]?[0-9]+$"), reference])
        case .number: .anyOf([.type("number"), .text(matching: "^[-+]?[0-9.]"), reference])
        case .boolean: .anyOf([flag, reference])
        case .duration: .anyOf([.definition("signedDuration"), reference])
        case .choice(let words): .anyOf([.word(of: words), reference])
        case .list(let element): .anyOf([.list(of: value(of: element)), reference])
        case .map: .anyOf([.type("object"), reference])
        case .object(let members): .anyOf([object(members), reference])
        case .optional(let wrapped): .anyOf([value(of: wrapped), .type("null")])
        case .any: .anything
        case .nothing: .type("null")
        }
    }

    /// An object with declared members.
    private static func object(_ members: [FieldDeclaration]) -> Schema {
        .object(
            Dictionary(
                uniqueKeysWithValues: members.map {
                    ($0.name, value(of: $0.memberType).described(meaning(of: $0), default: $0.defaultValue))
                }))
    }

    package static func parameters(of command: CommandDeclaration) -> Schema {
        var keys: [String: Schema] = [:]
        for field in command.fields {
            keys[field.name] = value(of: field.type).described(meaning(of: field), default: field.defaultValue)
        }
        return .object(keys, required: command.fields.filter(\.isRequired).map(\.name))
    }

    /// Type, unit, limit and meaning in a sentence.
    package static func meaning(of field: FieldDeclaration) -> String {
        var facts = [field.type.title]
        if let unit = field.unit { facts.append("in \(unit)") }
        if let limit = field.limit { facts.append(limit.description) }
        return "\(field.meaning) (\(facts.joined(separator: ", ")))"
    }
}
