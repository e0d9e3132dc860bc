import LabFile
public import LabKit

/// The vocabulary as `lab steps` prints it: one declaration, for people and for programs.
public enum VocabularyReference {
    /// Version of the JSON form; increased when a member changes its meaning.
    public static let version = 1

    /// Actors with the same commands.
    private struct Section {
        let title: String
        let commands: [CommandDeclaration]

        var text: String { commands.map { VocabularyReference.text(of: $0) }.joined(separator: "\n") }
    }

    /// The vocabulary for people.
    ///
    /// - Parameter own: The programs of own apps, whose commands follow those of the lab.
    public static func text(with own: OwnPrograms = .none) -> String {
        sections(with: own).map { "Commands of \($0.title)\n\n\($0.text)" }.joined(separator: "\n")
    }

    /// One command for people: printed once for all actors for which it means the same.
    ///
    /// - Throws: ``BadUsage`` with the nearest name if the command is unknown.
    public static func text(of name: String, with own: OwnPrograms = .none) throws -> String {
        let all = sections(with: own)
        let found = all.map { section in
            Section(title: section.title, commands: section.commands.filter { $0.name == name })
        }.filter { !$0.commands.isEmpty }
        guard !found.isEmpty else { throw unknown(name, among: all) }
        var texts: [String] = []
        for section in found where !texts.contains(section.text) { texts.append(section.text) }
        return texts.map { text in
            let titles = found.filter { $0.text == text }.map(\.title)
            return "A command of \(listed(titles, by: "and"))\n\n\(text)"
        }.joined(separator: "\n")
    }

    private static func unknown(_ name: String, among sections: [Section]) -> BadUsage {
        let known = Set(sections.flatMap(\.commands).map(\.name))
        let advice = nearest(name, among: known).map { "did you mean `\($0)`?" }
        return BadUsage(sentence: "no command is called `\(name)`; \(advice ?? "`lab steps` lists all of them")")
    }

    private static func sections(with own: OwnPrograms) -> [Section] {
        ActorKind.allCases.map { Section(title: $0.title, commands: Vocabulary.lab.commands(of: $0)) }
            + own.programs.map { program in
                let apps = program.apps.map { "`\($0)`" }.joined(separator: ", ")
                let also =
                    program.vocabulary.answersBuiltIn
                    ? ", beside those of \(program.vocabulary.sdk.actor.title)" : ""
                return Section(
                    title: "\(apps), played by \(program.name)\(also)", commands: program.vocabulary.commands)
            }
    }

    /// A command and its parameters, for people.
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
    /// - Parameters:
    ///   - name: Only the command of this name; nil means all.
    ///   - own: The programs of own apps; each is listed with its apps and its vocabulary.
    /// - Throws: ``BadUsage`` with the nearest name if the command is unknown.
    public static func json(of name: String? = nil, with own: OwnPrograms = .none) throws -> JSONValue {
        let all = sections(with: own)
        if let name, !all.contains(where: { $0.commands.contains { $0.name == name } }) {
            throw unknown(name, among: all)
        }
        let commands = Vocabulary.lab.commands.filter { name == nil || $0.name == name }
        var members: [String: JSONValue] = [
            "version": .integer(Int64(version)), "commands": .array(commands.map(\.json)),
        ]
        let programs = own.programs.filter { program in
            name == nil || program.vocabulary.commands.contains { $0.name == name }
        }
        if !programs.isEmpty {
            members["programs"] = .array(
                programs.map { program in
                    .object([
                        "name": .string(program.name), "apps": .array(program.apps.map { .string($0) }),
                        "vocabulary": program.vocabulary.json,
                    ])
                })
        }
        return .object(members)
    }
}
