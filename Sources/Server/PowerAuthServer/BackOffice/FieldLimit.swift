import LabKit

/// The limits of a request field beside its type, in JSON Schema.
struct FieldLimit: Sendable, ExpressibleByDictionaryLiteral {
    let members: [String: JSONValue]

    init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = Dictionary(elements) { $1 }
    }

    /// A text that is not empty.
    static let notEmpty: FieldLimit = ["minLength": 1]

    /// A text with something to see.
    static let notBlank: FieldLimit = ["minLength": 1, "pattern": #"\S"#]

    /// A text with something to see, of 1 to `length` characters.
    static func notBlank(upTo length: Int64) -> FieldLimit {
        ["minLength": 1, "maxLength": .integer(length), "pattern": #"\S"#]
    }

    /// A text of at most `length` characters.
    static func upTo(_ length: Int64) -> FieldLimit { ["maxLength": .integer(length)] }

    /// A list with at least one element.
    static let someElements: FieldLimit = ["minItems": 1]

    /// A list with at least one element and no duplicates.
    static let distinctElements: FieldLimit = ["minItems": 1, "uniqueItems": true]

    /// Standard Base64.
    static let base64 = FieldLimit(Base64Field.schema)

    /// A number, or one as text, that is not negative.
    static let notNegative: FieldLimit = ["minimum": 0, "pattern": "^[0-9]{1,18}$"]

    /// A number, or one as text, of at least 1.
    static let positive: FieldLimit = ["minimum": 1, "pattern": "^[1-9][0-9]{0,17}$"]

    /// A number, or one as text, within a short range.
    static func among(_ range: ClosedRange<Int64>) -> FieldLimit {
        [
            "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound),
            "pattern": .string("^(\(range.map(String.init).joined(separator: "|")))$"),
        ]
    }

    /// One of some texts.
    static func oneOf(_ texts: [String]) -> FieldLimit { ["enum": .array(texts.map(JSONValue.string))] }

    /// An object that has some fields.
    static func having(_ fields: String...) -> FieldLimit { ["required": .array(fields.map(JSONValue.string))] }

    /// An object that has some fields while its `enabled` is true.
    static func havingWhileEnabled(_ fields: String...) -> FieldLimit {
        [
            "if": ["properties": ["enabled": ["const": true]], "required": ["enabled"]],
            "then": [
                "required": .array(fields.map(JSONValue.string)),
                "properties": .object(
                    Dictionary(fields.map { ($0, ["type": "string", "minLength": 1, "pattern": #"\S"#]) }) { $1 }),
            ],
        ]
    }

    private init(_ schema: JSONValue) {
        members = schema.objectValue?.filter { $0.key != "type" } ?? [:]
    }

    /// The schema with the limit at a dotted path; `*` selects the elements of a list. The rest of the schema is
    /// unchanged.
    func applied(to schema: JSONValue, at path: String) -> JSONValue {
        applied(to: schema, at: path.split(separator: ".").map(String.init)[...])
    }

    private func applied(to schema: JSONValue, at path: ArraySlice<String>) -> JSONValue {
        guard var object = schema.objectValue else { return schema }
        guard let step = path.first else { return .object(limited(object)) }
        if step == "*" {
            object["items"] = object["items"].map { applied(to: $0, at: path.dropFirst()) }
        } else if var properties = object["properties"]?.objectValue, let property = properties[step] {
            properties[step] = applied(to: property, at: path.dropFirst())
            object["properties"] = .object(properties)
        }
        return .object(object)
    }

    private func limited(_ schema: [String: JSONValue]) -> [String: JSONValue] {
        var limited = schema.merging(members) { $1 }
        // The pattern of the type applies together with that of the field.
        if let pattern = schema["pattern"], let own = members["pattern"], pattern != own {
            limited["allOf"] = [["pattern": pattern]]
        }
        if let most = schema["maxLength"]?.integerValue, let own = members["maxLength"]?.integerValue {
            limited["maxLength"] = .integer(min(most, own))
        }
        // If the type accepts null, null is one of the choices.
        if let choices = members["enum"]?.arrayValue, schema["type"]?.arrayValue?.contains("null") == true {
            limited["enum"] = .array(choices + [.null])
        }
        return limited
    }
}
