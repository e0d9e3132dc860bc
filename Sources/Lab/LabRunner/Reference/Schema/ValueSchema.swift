import LabKit

/// The schemas of values, by their declared types.
///
/// A YAML parser without type information reads `0123` as a number and `true` as a boolean where the lab reads text, so
/// texts may be any scalar, and numbers may be quoted.
enum ValueSchema {
    /// Any scalar but null.
    static let text = Schema.type("string", "number", "boolean")
    /// A number, or a duration.
    static let quantity = Schema.type("number", "string")
    /// `true` or `false`.
    static let flag = Schema.anyOf([.type("boolean"), .word(of: ["true", "false"])])
    /// A text with a reference in it, which may have a value of any type.
    static let reference = Schema.definition("reference")
    /// A non-negative length of time.
    static let duration = Schema.definition("duration")
    /// The names of a variable, a device or an app.
    static let variable = Schema.text(matching: "^[A-Za-z][A-Za-z0-9_]*$")

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
    static func value(of type: FieldType) -> Schema {
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

    /// The parameters of a command.
    static func parameters(of command: CommandDeclaration) -> Schema {
        var keys: [String: Schema] = [:]
        for field in command.fields {
            keys[field.name] = value(of: field.type).described(meaning(of: field), default: field.defaultValue)
        }
        return .object(keys, required: command.fields.filter(\.isRequired).map(\.name))
    }

    /// Type, unit, limit and meaning in a sentence.
    static func meaning(of field: FieldDeclaration) -> String {
        var facts = [field.type.title]
        if let unit = field.unit { facts.append("in \(unit)") }
        if let limit = field.limit { facts.append(limit.description) }
        return "\(field.meaning) (\(facts.joined(separator: ", ")))"
    }
}
