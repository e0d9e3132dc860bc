/// The whole vocabulary: every command of every kind of actor.
public enum Vocabulary {
    /// All commands, in the order in which the reference lists them.
    public static let all: [any Command.Type] =
        activationCommands + activationKindCommands + legacyActivationCommands + biometryCommands
        + signatureCommands + vaultCommands + recoveryCommands + tokenCommands + serviceCommands + watchSupportCommands
        + messagingCommands
        + serverCommands + resourceCommands + processCommands + deviceCommands + securityCommands + linkCommands
        + faultCommands
        + clockCommands

    /// The commands that a kind of actor understands.
    public static func commands(for actor: ActorKind) -> [any Command.Type] {
        all.filter { $0.actors.contains(actor) }
    }

    /// The command with a name, for a kind of actor.
    public static func command(named name: String, for actor: ActorKind) -> (any Command.Type)? {
        all.first { $0.name == name && $0.actors.contains(actor) }
    }

    /// Two declarations that claim the same name for the same kind of actor; empty when the vocabulary is sound.
    public static var conflicts: [String] {
        var owner: [String: String] = [:]
        var conflicts: [String] = []
        for command in all {
            for actor in command.actors {
                let key = "\(actor.rawValue): \(command.name)"
                if let other = owner.updateValue(String(describing: command), forKey: key) {
                    conflicts.append("\(key) is declared by \(other) and by \(command)")
                }
            }
        }
        return conflicts.sorted()
    }
}
