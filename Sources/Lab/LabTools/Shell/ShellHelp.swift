// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabFile
import ScenarioLanguage

extension ShellWord {
    /// The words of the shell itself.
    enum Own: String, CaseIterable {
        case help, kept, history, save, undo, snapshot, restore, snapshots, quit

        var meaning: String {
            switch self {
            case .help: "help [ACTOR | COMMAND]   list actors, the commands of one, or the parameters of a command"
            case .kept: "kept                     list the values that steps have kept with `as`"
            case .history: "history                  list the input of this session; secrets are masked"
            case .save: "save FILE                write the steps as a scenario"
            case .undo: "undo                     remove the last step from the record"
            case .snapshot: "snapshot NAME            keep the state of the instance under a name"
            case .restore: "restore NAME             bring the instance, and the record, back to a snapshot"
            case .snapshots: "snapshots                list the snapshots of the instance"
            case .quit: "quit                     end the shell, like Ctrl-D"
            }
        }
    }
}

/// The shell's help about itself, its actors and their commands.
struct ShellHelp {
    let actors: ActorTable

    /// - Throws: ``BadUsage`` for an unknown name.
    func text(about name: String?) throws -> String {
        guard let name else { return overview }
        if actors[name] != nil {
            let commands = actors.commands(of: name)
            let width = commands.map { $0.name.count }.max() ?? 0
            return commands.map { "\($0.name.padded(to: width))  \($0.summary)" }.joined(separator: "\n")
        }
        let found = actors.commands.filter { $0.name == name }
        guard !found.isEmpty else {
            // A list of two hundred names would not help.
            let known = actors.names + actors.commands.map { $0.name }
            let advice =
                nearest(name, among: known).map { "did you mean `\($0)`?" }
                ?? "`help` lists the actors, `help ACTOR` the commands of one"
            throw BadUsage(sentence: "there is no actor or command called `\(name)`; \(advice)")
        }
        return found.map { VocabularyReference.text(of: $0) }.joined()
    }

    private var overview: String {
        """
        A step as in a scenario, `main: createActivation`, or short: ACTOR COMMAND name=value … as NAME.
        A list of steps can be pasted; an empty line ends it. ${NAME.member} is what a step has kept.
        Actors: \(actors.names.joined(separator: ", ")).
        \(ShellWord.Own.allCases.map(\.meaning).joined(separator: "\n"))
        """
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

/// The possible next words: actors, their commands, parameters, values of a parameter, and captures of earlier steps.
struct ShellCompletion {
    let actors: ActorTable
    /// The captures of steps.
    let types: [String: FieldType]
    let ownWords: [String]
    /// The names of the instance's snapshots; asked for only where one can follow.
    var snapshots: () -> [String] = { [] }

    /// The possible completions of the last word of a line, each as the whole word; sorted.
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
        if first == ShellWord.Own.restore.rawValue { return words.count == 1 ? snapshots() : [] }
        let actor = first.hasSuffix(":") ? String(first.dropLast()) : first
        guard words.count > 1 else { return actors.commands(of: actor).map { $0.name } }
        guard let command = actors.command(named: words[1], of: actor), !first.hasSuffix(":") else { return [] }
        if let sign = word.firstIndex(of: "="), let field = command.fields.first(where: { $0.name == word[..<sign] }) {
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
