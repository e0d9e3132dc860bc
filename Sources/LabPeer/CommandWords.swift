import Foundation
import Glibc
import LabKit

/// Reads a command written as words: its name, then parameters as `key=value`.
enum CommandWords {
    /// Splits a line at blanks; quotes, single or double, keep blanks together.
    static func split(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// The request that the words stand for. Values are read by the type that the vocabulary gives to the parameter.
    ///
    /// - Throws: `ControlError` that names the word and says what was expected.
    static func request(_ words: [String], for app: AppSpec) throws(ControlError) -> ControlRequest {
        let name = words.first ?? ""
        guard let command = Vocabulary.lab.command(named: name, of: app.actorKind) else {
            throw .unknownCommand(name, known: Vocabulary.lab.names(of: app.actorKind))
        }
        var arguments: [String: JSONValue] = [:]
        for word in words.dropFirst() {
            guard let separator = word.firstIndex(of: "=") else {
                throw .badArgument("`\(word)` is not key=value; `\(name)` takes \(parameters(of: command)).")
            }
            let key = String(word[..<separator])
            guard let field = command.fields.first(where: { $0.name == key }) else {
                throw .badArgument("`\(name)` has no parameter `\(key)`; it takes \(parameters(of: command)).")
            }
            arguments[key] = try value(String(word[word.index(after: separator)...]), for: field)
        }
        if let missing = command.fields.first(where: { $0.isRequired && arguments[$0.name] == nil }) {
            throw .badArgument("`\(name)` needs `\(missing.name)`: \(missing.meaning)")
        }
        return ControlRequest(command: name, arguments: .object(arguments), actor: app.name)
    }

    /// The commands of an app, one a line.
    static func help(for app: AppSpec) -> String {
        Vocabulary.lab.commands(of: app.actorKind).map { command in
            "\(command.name)  \(command.summary)\n"
        }.joined()
    }

    private static func parameters(of command: CommandDeclaration) -> String {
        command.fields.isEmpty ? "no parameters" : command.fields.map { "\($0.name)=…" }.joined(separator: " ")
    }

    private static func value(_ text: String, for field: FieldDeclaration) throws(ControlError) -> JSONValue {
        if field.isSecret { return .string(try secret(text, field.name)) }
        switch field.type {
        case .text, .duration: return .string(text)
        case .choice(let words):
            guard words.contains(text) else {
                throw .badArgument("`\(field.name)` is one of \(words.joined(separator: ", ")), not `\(text)`.")
            }
            return .string(text)
        default:
            guard let value = try? JSONValue.parse(text) else {
                if case .optional(.text) = field.type { return .string(text) }
                throw .badArgument("`\(field.name)` expects \(field.type.title), as JSON, not `\(text)`.")
            }
            return value
        }
    }

    /// A secret from the environment, from the terminal without echo, or as it stands.
    private static func secret(_ text: String, _ name: String) throws(ControlError) -> String {
        if text.hasPrefix("env:") {
            let variable = String(text.dropFirst(4))
            guard let value = ProcessInfo.processInfo.environment[variable] else {
                throw .badArgument("The environment variable `\(variable)` for `\(name)` is not set.")
            }
            return value
        }
        guard text == "@-" else { return text }
        guard isatty(0) == 1 else { return readLine() ?? "" }
        guard let answer = getpass("\(name): ") else {
            throw .badArgument("`\(name)` could not be read from the terminal.")
        }
        defer { memset(answer, 0, strlen(answer)) }
        return String(cString: answer)
    }
}
