/// The commands that the actors of an instance understand.
public struct Vocabulary: Sendable {
    /// The types that declare the commands, in the order in which the reference lists them.
    let types: [any Command.Type]

    /// A vocabulary of declared commands.
    public init(_ types: [any Command.Type]) {
        self.types = types
    }

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
