// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabFile
import LabPoints
import LabVocabulary
public import ScenarioLanguage

/// The vocabulary as `lab steps` prints it: one declaration, for people and for programs.
public enum VocabularyReference {
    /// Version of the JSON form; increased when a member changes its meaning.
    public static let version = 1

    private struct Section {
        let title: String
        let commands: [CommandDeclaration]

        var text: String { commands.map { VocabularyReference.text(of: $0) }.joined(separator: "\n") }
    }

    /// The vocabulary for people.
    /// - Parameter own: The programs of own apps, whose commands follow those of the lab.
    public static func text(with own: OwnPrograms = .none) -> String {
        sections(with: own).map { "Commands of \($0.title)\n\n\($0.text)" }.joined(separator: "\n")
    }

    /// One command for people: printed once for all actors for which it means the same.
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

/// The events of traces as `lab events` prints them: the events for `waitFor` and `never`, and the fields for `where`.
public enum EventReference {
    /// Version of the JSON form; increased when a member changes its meaning.
    public static let version = 1

    /// The events for people.
    public static func text() -> String {
        TraceEventName.allCases.map { event in
            let fields = event.fields.map { field in
                var facts = [field.type.title]
                if let unit = field.unit { facts.append("in \(unit)") }
                return "    \(field.name): \(facts.joined(separator: ", ")). \(field.meaning)"
            }
            return (["\(event.rawValue)  \(event.summary)"] + fields).joined(separator: "\n") + "\n"
        }.joined(separator: "\n")
    }

    /// The events for programs.
    public static func json() -> JSONValue {
        .object([
            "version": .integer(Int64(version)),
            "events": .array(
                TraceEventName.allCases.map { event in
                    .object([
                        "name": .string(event.rawValue), "summary": .string(event.summary),
                        "fields": .array(event.fields.map(json)),
                    ])
                }),
        ])
    }

    private static func json(_ field: TraceField) -> JSONValue {
        var members: [String: JSONValue] = [
            "name": .string(field.name), "type": field.type.json,
            "meaning": .string(field.meaning),
        ]
        members["unit"] = field.unit.map { .string($0) }
        return .object(members)
    }
}

/// Explanations as `lab explain` prints them.
public enum ExplanationReference {
    /// The names that are explained, each with its meaning.
    public static func names() -> String {
        sections { explanations in explanations.map { "  \($0.name)  \($0.meaning)" }.joined(separator: "\n") }
    }

    /// Everything that is explained.
    public static func text() -> String {
        sections { explanations in explanations.map(text).joined(separator: "\n\n") }
    }

    /// One explanation in full.
    public static func text(_ explanation: Explanation) -> String {
        var lines = [explanation.name + (explanation.code.map { " (\($0))" } ?? "")]
        if let printed = explanation.printed { lines.append("  printed as: …\(printed)…") }
        lines.append("  \(explanation.meaning)")
        if !explanation.causes.isEmpty {
            lines.append("  Usual causes:")
            lines += explanation.causes.map { "    - \($0)" }
        }
        lines.append("  What to do: \(explanation.advice)")
        if !explanation.references.isEmpty {
            lines.append("  Specified in docs/spec: \(explanation.references.joined(separator: "; "))")
        }
        if !explanation.scenarios.isEmpty {
            lines.append("  Shown by: \(explanation.scenarios.map { "Scenarios/\($0)" }.joined(separator: ", "))")
        }
        return lines.joined(separator: "\n")
    }

    /// One part for each kind of name.
    private static func sections(_ body: ([Explanation]) -> String) -> String {
        Explanation.Subject.allCases.map { subject in
            "\(subject.title)\n\n\(body(Explanation.all.filter { $0.subject == subject }))\n"
        }.joined(separator: "\n")
    }
}
