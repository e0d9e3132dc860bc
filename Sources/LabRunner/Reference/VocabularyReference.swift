public import LabKit

/// The vocabulary as `lab steps` prints it: one declaration, for people and for programs.
public enum VocabularyReference {
    /// Version of the JSON form; it grows when a member changes its meaning.
    public static let version = 1

    /// The vocabulary for people.
    public static func text() -> String {
        ActorKind.allCases.map { kind in
            let commands = Vocabulary.lab.commands(of: kind).map(text).joined(separator: "\n")
            return "Commands of \(kind.title)\n\n\(commands)"
        }.joined(separator: "\n")
    }

    private static func text(_ command: CommandDeclaration) -> String {
        var lines = ["  \(command.name)  \(command.summary)"]
        for field in command.fields {
            var facts = [field.type.title]
            if let unit = field.unit { facts.append("in \(unit)") }
            if let limit = field.limit { facts.append(limit.description) }
            facts.append(field.isRequired ? "required" : field.defaultValue.map { "default \($0)" } ?? "optional")
            lines.append("    \(field.name): \(facts.joined(separator: ", ")). \(field.meaning)")
        }
        if let ending = command.ending { lines.append("    ended by `\(ending)`, and by the end of `during`") }
        if command.result != .nothing { lines.append("    answers \(command.result.title)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The vocabulary for programs.
    public static func json() -> JSONValue {
        .object([
            "version": .integer(Int64(version)),
            "commands": .array(Vocabulary.lab.commands.map(json)),
        ])
    }

    private static func json(_ command: CommandDeclaration) -> JSONValue {
        let kinds = command.actors.map(\.rawValue).sorted().map { JSONValue.string($0) }
        var members: [String: JSONValue] = [
            "name": .string(command.name),
            "actors": .array(kinds),
            "summary": .string(command.summary),
            "parameters": .array(command.fields.map(json)),
            "result": json(command.result),
        ]
        members["endedBy"] = command.ending.map { .string($0) }
        return .object(members)
    }

    private static func json(_ field: FieldDeclaration) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(field.name), "type": json(field.type), "required": .bool(field.isRequired),
            "meaning": .string(field.meaning), "secret": .bool(field.isSecret),
        ]
        members["default"] = field.defaultValue
        members["unit"] = field.unit.map { .string($0) }
        members["limit"] = field.limit.map { .string($0.description) }
        return .object(members)
    }

    static func json(_ type: FieldType) -> JSONValue {
        func named(_ name: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
            .object(more.merging(["type": .string(name)]) { old, _ in old })
        }
        switch type {
        case .text: return named("text")
        case .secret: return named("secret")
        case .integer: return named("integer")
        case .number: return named("number")
        case .boolean: return named("boolean")
        case .duration: return named("duration")
        case .choice(let words): return named("choice", ["of": .array(words.map { .string($0) })])
        case .list(let element): return named("list", ["of": json(element)])
        case .map: return named("map")
        case .object(let members):
            let described = members.map { member -> JSONValue in
                .object([
                    "name": .string(member.name), "type": json(member.memberType), "meaning": .string(member.meaning),
                ])
            }
            return named("object", ["members": .array(described)])
        case .optional(let wrapped): return named("optional", ["of": json(wrapped)])
        case .any: return named("any")
        case .nothing: return named("nothing")
        }
    }
}
