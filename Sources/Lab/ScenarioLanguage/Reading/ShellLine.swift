// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
import LabFile

/// A line typed into the shell: a step in YAML, or its short form.
///
/// `main createActivation name=phone as created` is short for
///
/// ```yaml
/// main: createActivation
/// with: { name: phone }
/// as: created
/// ```
package enum ShellLine {
    /// Whether a first line begins a text of several lines, which an empty line ends: an element of a list, or a key
    /// whose value follows below.
    package static func opensBlock(_ line: String) -> Bool {
        let text = line.trimmed
        return text.hasPrefix("- ") || text.hasSuffix(":")
    }

    /// The step in YAML.
    /// - Parameter argument: Takes actor, command, and name and text of an argument; returns its value in YAML, like
    ///   ``scalar(_:)``.
    /// - Throws: ``BadUsage`` for an invalid short form; errors of `argument`.
    package static func yaml(
        _ text: String,
        argument: (_ actor: String, _ command: String, _ name: String, _ text: String) throws -> String
    ) throws -> String {
        let line = text.trimmed
        guard !isYAML(line) else { return text }
        var words = try words(of: line)
        // The parser needs at least these two, and lists the possible ones.
        guard words.count >= 2 else { return "\(line):" }
        let (actor, command) = (words.removeFirst(), words.removeFirst())
        var lines = ["\(actor): \(command)"]
        if words.count >= 2, words[words.count - 2] == "as" {
            lines.append("as: \(words[words.count - 1])")
            words.removeLast(2)
        }
        var arguments: [String] = []
        for word in words {
            guard let sign = word.firstIndex(of: "="), sign > word.startIndex else {
                throw BadUsage(
                    sentence:
                        "`\(word)` is not of the form name=value; the short form is `ACTOR COMMAND name=value … as NAME`"
                )
            }
            let (name, value) = (String(word[..<sign]), String(word[word.index(after: sign)...]))
            arguments.append("\(name): \(try argument(actor, command, name, value))")
        }
        if !arguments.isEmpty { lines.insert("with: { \(arguments.joined(separator: ", ")) }", at: 1) }
        return lines.joined(separator: "\n")
    }

    private static func isYAML(_ line: String) -> Bool {
        if line.contains("\n") || line.hasPrefix("{") || line.hasPrefix("- ") { return true }
        return line.prefix { !$0.isWhitespace }.hasSuffix(":")
    }

    /// The words of a line; quotes preserve blanks, brackets and braces group, as in YAML.
    package static func words(of line: String) throws -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        var depth = 0
        for character in line {
            if let open = quote {
                word.append(character)
                if character == open { quote = nil }
                continue
            }
            switch character {
            case "\"", "'": quote = character
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            default: break
            }
            if character.isWhitespace, depth <= 0 {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        if let quote { throw BadUsage(sentence: "the quote \(quote) is not closed") }
        if depth > 0 { throw BadUsage(sentence: "a bracket is not closed") }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// A value in the form for use between braces. A text that looks like a list, an object or a quoted text is kept as
    /// one.
    package static func scalar(_ text: String) -> String {
        guard let first = text.first, !"\"'{[".contains(first) else { return text.isEmpty ? "\"\"" : text }
        return isPlain(text) ? text : JSONValue.string(text).description
    }

    /// A text in the form for use between braces, quoted if it looks like a number.
    package static func textScalar(_ text: String) -> String {
        let scalar = scalar(text)
        return scalar == text && isOtherwise(text) ? JSONValue.string(text).description : scalar
    }

    /// A value in YAML on one line.
    package static func flow(_ value: JSONValue) -> String {
        switch value {
        case .object(let members):
            let members = members.sorted { $0.key < $1.key }.map { "\($0.key): \(flow($0.value))" }
            return "{ \(members.joined(separator: ", ")) }"
        case .array(let elements): return "[\(elements.map(flow).joined(separator: ", "))]"
        case .string(let text) where isPlain(text) && !isOtherwise(text): return text
        default: return value.description
        }
    }

    private static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { plain.contains($0) } && !text.hasPrefix("-") && text == text.trimmed
    }

    /// Whether YAML would read a text as another type.
    private static func isOtherwise(_ text: String) -> Bool {
        text.isEmpty || text.first.map { $0.isNumber || ".+".contains($0) } ?? true
            || ["true", "false", "null", "yes", "no", "on", "off", "~"].contains(text.lowercased())
    }

    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/ ")
}

extension String {
    /// The text without blanks and line ends around it.
    package var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

/// Text as a word of a shell command line.
package enum ShellWord {
    /// The text itself if every shell takes it literally, otherwise in single quotes.
    package static func quoted(_ text: String) -> String {
        let isPlain =
            !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "_-./,:+=".contains($0)) }
        return isPlain ? text : "'\(text.replacing("'", with: "'\\''"))'"
    }
}
