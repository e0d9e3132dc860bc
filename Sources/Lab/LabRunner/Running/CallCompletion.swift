import LabKit

/// The possible words of a command for an actor of a running instance, for completion in shells.
public struct CallCompletion: Sendable {
    private let actors: ActorTable

    /// The completion of calls in an instance.
    public init(in connection: InstanceConnection) {
        actors = connection.actors
    }

    /// The names of all actors.
    public var names: [String] { actors.names }

    /// The names of an actor's commands; empty if the actor is unknown.
    public func commands(of actor: String) -> [String] {
        actors.commands(of: actor).map(\.name)
    }

    /// The parameters of a command, each as `name=`.
    public func parameters(of command: String, by actor: String) -> [String] {
        actors.command(named: command, of: actor)?.fields.map { "\($0.name)=" } ?? []
    }
}
