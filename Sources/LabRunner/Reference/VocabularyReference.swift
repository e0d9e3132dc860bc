public import LabKit

/// The vocabulary as `lab steps` prints it: one declaration, for people and for programs.
public enum VocabularyReference {
    /// Version of the JSON form; it grows when a member changes its meaning.
    public static let version = 1

    /// The vocabulary for people.
    ///
    /// - Parameter own: The programs of own apps, whose commands follow those of the lab.
    public static func text(with own: OwnPrograms = .none) -> String {
        let kinds = ActorKind.allCases.map { kind in
            let commands = Vocabulary.lab.commands(of: kind).map { text(of: $0) }.joined(separator: "\n")
            return "Commands of \(kind.title)\n\n\(commands)"
        }
        let programs = own.programs.map { program in
            let apps = program.apps.map { "`\($0)`" }.joined(separator: ", ")
            let vocabulary = program.vocabulary
            let also = vocabulary.answersBuiltIn ? ", beside those of \(vocabulary.sdk.actor.title)" : ""
            let commands = vocabulary.commands.map { text(of: $0) }.joined(separator: "\n")
            return "Commands of \(apps), played by \(program.name)\(also)\n\n\(commands)"
        }
        return (kinds + programs).joined(separator: "\n")
    }

    /// A command and what it takes, for people.
    static func text(of command: CommandDeclaration) -> String {
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
    ///
    /// - Parameter own: The programs of own apps; each is there with its apps and its vocabulary.
    public static func json(with own: OwnPrograms = .none) -> JSONValue {
        var members: [String: JSONValue] = [
            "version": .integer(Int64(version)), "commands": .array(Vocabulary.lab.commands.map(\.json)),
        ]
        if !own.programs.isEmpty {
            members["programs"] = .array(
                own.programs.map { program in
                    .object([
                        "name": .string(program.name), "apps": .array(program.apps.map { .string($0) }),
                        "vocabulary": program.vocabulary.json,
                    ])
                })
        }
        return .object(members)
    }
}
