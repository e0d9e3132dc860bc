import Foundation
import LabFile
import LabKit

/// The possible next words: actors, their commands, parameters, values of a parameter, and captures of earlier steps.
struct ShellCompletion {
    /// The possible actors.
    let actors: ActorTable
    /// The captures of steps.
    let types: [String: FieldType]
    /// The shell's own words.
    let ownWords: [String]

    /// The possible completions of the last word of a line, each as the whole word; sorted.
    ///
    /// - Parameter line: the line before the cursor.
    func candidates(_ line: String) -> (word: String, choices: [String]) {
        var words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let word = line.last.map { $0 == " " } ?? true ? "" : words.removeLast()
        if let reference = openReference(in: word) {
            let before = word.dropLast(reference.count)
            return (word, references.filter { $0.hasPrefix(reference) }.map { "\(before)\($0)}" })
        }
        return (word, Set(choices(after: words, of: word).filter { $0.hasPrefix(word) }).sorted())
    }

    private func choices(after words: [String], of word: String) -> [String] {
        guard let first = words.first else { return actors.names + ReservedWords.stepWords + ownWords }
        if first == ownWords.first { return actors.names + actors.commands.map { $0.name } }
        let actor = first.hasSuffix(":") ? String(first.dropLast()) : first
        guard words.count > 1 else { return actors.commands(of: actor).map { $0.name } }
        guard let command = actors.command(named: words[1], of: actor), !first.hasSuffix(":") else { return [] }
        if let sign = word.firstIndex(of: "="),
            let field = command.fields.first(where: { $0.name == word[..<sign] })
        {
            return values(of: field.type).map { "\(field.name)=\($0)" }
        }
        let given = words.dropFirst(2).compactMap { $0.split(separator: "=").first.map(String.init) }
        let open = command.fields.map { $0.name }.filter { !given.contains($0) }.map { "\($0)=" }
        return open + (command.result == .nothing ? [] : ["as "])
    }

    private func values(of type: FieldType) -> [String] {
        switch type {
        case .boolean: ["true", "false"]
        case .choice(let words): words
        case .optional(let wrapped): values(of: wrapped)
        default: []
        }
    }

    /// The part of a word after an unclosed `${`.
    private func openReference(in word: String) -> Substring? {
        guard let start = word.range(of: "${", options: .backwards) else { return nil }
        let rest = word[start.upperBound...]
        return rest.contains("}") ? nil : rest
    }

    /// All captures, with the members of their types.
    private var references: [String] {
        types.sorted { $0.key < $1.key }.flatMap { name, type in [name] + members(of: type).map { "\(name).\($0)" } }
    }

    private func members(of type: FieldType) -> [String] {
        switch type {
        case .object(let members):
            members.flatMap { member in
                [member.name] + self.members(of: member.memberType).map { "\(member.name).\($0)" }
            }
        case .optional(let wrapped): members(of: wrapped)
        default: []
        }
    }
}
