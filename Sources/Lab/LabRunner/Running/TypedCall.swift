public import LabKit

/// A command with typed arguments and result, for programs that drive an instance.
///
/// Thread rule: any thread. The call blocks.
public struct TypedCall<C: Command>: Sendable {
    private let command: C

    /// A call of a command.
    public init(_ command: C) {
        self.command = command
    }

    /// Sends the command and waits for its result.
    ///
    /// - Parameters:
    ///   - actor: The actor's name.
    ///   - connection: The instance.
    ///   - operation: The operation's name in traces; nil if not needed.
    ///   - timeout: Maximum real time to wait.
    /// - Throws: `ControlError` if the command failed; ``LabFailure`` if the actor does not have it.
    public func perform(
        by actor: String, in connection: InstanceConnection, operation: String? = nil, timeout: LabDuration
    ) throws -> C.Result {
        guard let target = connection.actors[actor]?.first(where: { C.info.actors.contains($0.kind) }) else {
            throw LabFailure("The instance has no actor `\(actor)` with the command `\(C.name)`.")
        }
        let outcome = try ControlCaller(instance: connection).call(
            target, command: C.name, arguments: command.arguments(), operation: operation, timeout: timeout)
        switch outcome.answer {
        case .error(let error): throw error
        case .result(let value):
            do {
                return try value.decode(C.Result.self)
            } catch {
                throw LabFailure("`\(actor)` answered `\(C.name)` with \(value): \(JSONValue.explain(error)).")
            }
        }
    }
}
