// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import LabPoints
import LabVocabulary
import ScenarioLanguage

/// A value of the short form that is not typed openly: `password=env:PIN` reads a variable of the environment,
/// `password=@-` reads a line without echo. The words are those of `lab exec`.
enum SecretArgument: Equatable {
    /// From this variable of the environment.
    case variable(String)
    /// Typed, or the next line of a file.
    case typed

    /// Nil for a value in the line itself.
    init?(_ text: String) {
        if text == "@-" {
            self = .typed
        } else if text.hasPrefix("env:"), text.count > 4 {
            self = .variable(String(text.dropFirst(4)))
        } else {
            return nil
        }
    }

    /// The value.
    /// - Throws: ``BadUsage`` if the variable is not set, or nothing was typed.
    package func value(for name: String, secretLine: (String) -> String?) throws -> String {
        switch self {
        case .variable(let variable):
            guard let value = ProcessInfo.processInfo.environment[variable] else {
                throw BadUsage(.unsetEnvironmentVariable(name: variable))
            }
            return value
        case .typed:
            guard let line = secretLine(name) else { throw BadUsage(sentence: "nothing was typed for `\(name)`") }
            return line
        }
    }

    /// The variable from which a recorded scenario reads the value.
    package func variable(for name: String) -> String {
        switch self {
        case .variable(let variable): variable
        case .typed: "LAB_\(name.uppercased())"
        }
    }
}

/// A secret given to a session: steps refer to it by a name, so that no record contains it.
package struct GivenSecret: Equatable {
    /// The text between `${` and `}` in steps.
    package let name: String
    /// The variable from which a recorded scenario reads it.
    package let variable: String
    package let text: String
}

/// The secrets in a text that is not a valid step: a parameter with the name of a secret holds one, even if the command
/// is unknown.
enum RefusedSecrets {
    /// The values that must not be shown or kept.
    package static func texts(in text: String) -> [String] {
        text.matches(of: #/\b(\w+)["']?\s*[=:]\s*/#).compactMap { match in
            guard isSecret(String(match.1), in: text),
                // An unclosed quote extends to the end.
                let value = text[match.range.upperBound...].prefixMatch(
                    of: #/"([^"]*)|'([^']*)|([^\s,}"']+)/#)
            else { return nil }
            let secret = String(value.1 ?? value.2 ?? value.3 ?? "")
            return secret.isEmpty || secret.contains("${") || SecretArgument(secret) != nil ? nil : secret
        }
    }

    /// Whether a parameter takes a secret, even if its name is misspelled. A name that is an ordinary word elsewhere,
    /// such as `to`, needs a command that takes a secret under it.
    private static func isSecret(_ name: String, in text: String) -> Bool {
        guard let commands = secrets[name] else {
            return !ordinary.contains(name) && nearest(name, among: secrets.keys.sorted()) != nil
        }
        guard ordinary.contains(name) else { return true }
        let words = text.matches(of: #/\w+/#).map { String($0.0) }
        return words.contains { nearest($0, among: commands) != nil }
    }

    private static let commands = ActorKind.allCases.flatMap { $0.commands(of: nil) }

    /// The commands that take a secret, by the name of the parameter.
    private static let secrets: [String: Set<String>] = commands.reduce(into: [:]) { secrets, command in
        for field in command.fields where field.isSecret { secrets[field.name, default: []].insert(command.name) }
    }

    /// All names that are not secret somewhere: commands, words of the language, fields of commands and events.
    private static let ordinary: Set<String> = {
        var names = Set(ReservedWords.all)
        for command in commands {
            names.insert(command.name)
            for field in command.fields where !field.isSecret { names.insert(field.name) }
        }
        for event in TraceEventName.allCases { names.formUnion(event.fields.map(\.name)) }
        return names
    }()
}
