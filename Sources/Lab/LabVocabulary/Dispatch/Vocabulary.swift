// SPDX-License-Identifier: Apache-2.0

public import LabCore

/// The commands that the actors of an instance understand.
public struct Vocabulary: Sendable {
    /// The types that declare the commands, in the order in which the reference lists them.
    let types: [any Command.Type]

    /// A vocabulary of declared commands.
    public init(_ types: [any Command.Type]) { self.types = types }

    /// All commands, in the order in which the reference lists them.
    public var commands: [CommandDeclaration] { types.map { CommandDeclaration($0) } }

    /// The commands that a kind of actor understands.
    public func commands(of actor: ActorKind) -> [CommandDeclaration] {
        types.filter { $0.info.actors.contains(actor) }.map { CommandDeclaration($0) }
    }

    /// The names of the commands that a kind of actor understands.
    public func names(of actor: ActorKind) -> [String] {
        types.filter { $0.info.actors.contains(actor) }.map { $0.name }
    }

    /// The command with a name, for a kind of actor.
    public func command(named name: String, of actor: ActorKind) -> CommandDeclaration? {
        types.first { $0.name == name && $0.info.actors.contains(actor) }.map { CommandDeclaration($0) }
    }

    /// Two declarations that claim the same name for the same kind of actor; empty when the vocabulary is sound.
    public var conflicts: [String] {
        var owner: [String: String] = [:]
        var conflicts: [String] = []
        for command in commands {
            for actor in command.actors {
                let key = "\(actor.rawValue): \(command.name)"
                if let other = owner.updateValue(command.declaredBy, forKey: key) {
                    conflicts.append("\(key) is declared by \(other) and by \(command.declaredBy)")
                }
            }
        }
        return conflicts.sorted()
    }
}

extension ActorKind {
    /// The commands of an actor of this kind: the lab's, unless its program answers none of them, and its program's own.
    /// - Parameter own: what the actor's own program understands; nil for one of the lab's.
    public func commands(of own: AppVocabulary?) -> [CommandDeclaration] {
        guard let own else { return Vocabulary.lab.commands(of: self) }
        return (own.answersBuiltIn ? Vocabulary.lab.commands(of: self) : []) + own.commands
    }

    /// The command with a name; see ``commands(of:)``.
    public func command(named name: String, of own: AppVocabulary?) -> CommandDeclaration? {
        if own?.answersBuiltIn != false, let command = Vocabulary.lab.command(named: name, of: self) { return command }
        return own?.commands.first { $0.name == name }
    }
}

extension AppSpec {
    /// The commands that the app understands: the lab's for its kind, and those of its own program.
    public var commands: [CommandDeclaration] { actorKind.commands(of: own?.vocabulary) }

    /// The command with a name.
    public func command(named name: String) -> CommandDeclaration? {
        actorKind.command(named: name, of: own?.vocabulary)
    }
}

extension AppVocabulary {
    /// What is wrong with the names, a sentence each: names that no step could use, or that mean something already.
    public var mistakes: [String] {
        var mistakes: [String] = []
        var seen: Set<String> = []
        for command in commands {
            if !Self.isName(command.name) {
                mistakes.append("`\(command.name)` cannot be the name of a command: \(Self.nameRule)")
            } else if isBuiltIn(command.name) {
                mistakes.append("`\(command.name)` is a command of the lab; call it something else")
            } else if !seen.insert(command.name).inserted {
                mistakes.append("`\(command.name)` is declared twice")
            }
            var fields: Set<String> = []
            for field in command.fields where !fields.insert(field.name).inserted || !Self.isName(field.name) {
                mistakes.append(
                    "`\(field.name)` of `\(command.name)` is no name of one parameter: \(Self.nameRule), each once")
            }
        }
        for error in errors where !Self.isName(error) {
            mistakes.append("`\(error)` cannot be the name of an error: \(Self.nameRule)")
        }
        return mistakes
    }

    private static let nameRule = "letters, digits, `-` and `_`, beginning with a letter, at most 64"

    private static func isName(_ text: String) -> Bool {
        text.count <= 64 && text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Whether a step with this command of such an app means something else already.
    private func isBuiltIn(_ name: String) -> Bool {
        name == "ping" || [sdk.actor, .process].contains { Vocabulary.lab.command(named: name, of: $0) != nil }
    }
}
