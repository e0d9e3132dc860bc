extension AppSpec {
    /// What the app is to the vocabulary: the SDK inside decides.
    public var actorKind: ActorKind { powerAuth.sdk.actor }

    /// The commands that the app understands: the lab's for its kind, and those of its own program.
    public var commands: [CommandDeclaration] { actorKind.commands(of: own?.vocabulary) }

    /// The command with a name.
    public func command(named name: String) -> CommandDeclaration? {
        actorKind.command(named: name, of: own?.vocabulary)
    }
}

extension PowerAuthSpec.SDK {
    /// What an app with this SDK is to the vocabulary.
    public var actor: ActorKind {
        switch self {
        case .full: .app
        case .extensions: .appExtension
        case .watch: .watchApp
        }
    }
}

extension ActorKind {
    /// The commands of an actor of this kind: the lab's, unless its program answers none of them, and its program's own.
    ///
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
