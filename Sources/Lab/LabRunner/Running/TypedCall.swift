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
    ///   - operation: What traces call the operation; nil when nobody asks.
    ///   - timeout: Longest time to wait, in real time.
    /// - Throws: `ControlError` when the command failed; ``LabFailure`` when the actor does not know it.
    public func perform(
        by actor: String, in connection: InstanceConnection, operation: String? = nil, timeout: LabDuration
    ) throws -> C.Result {
        guard let target = connection.actors[actor]?.first(where: { C.info.actors.contains($0.kind) }) else {
            throw LabFailure("`\(actor)` is no actor of this instance that knows `\(C.name)`.")
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
