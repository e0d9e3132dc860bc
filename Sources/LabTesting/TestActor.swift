public import LabKit
internal import LabRunner

/// An actor of a test's instance.
///
/// Thread rule: any thread. Calls block.
public struct TestActor: Sendable {
    /// Its name in the topology, or `server`, `faults`, `clock`.
    public let name: String
    let connection: InstanceConnection

    /// Sends a command and waits for its result.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - arguments: Its arguments.
    ///   - timeout: Longest time to wait for the answer, in real time.
    /// - Throws: `ControlError` when the command failed or its process died; ``LabFailure`` when the actor does not
    ///   know the command.
    public func call<C: Command>(
        _ command: C.Type, _ arguments: C.Arguments, timeout: LabDuration = .seconds(30)
    ) throws -> C.Result {
        try TypedCall(command).perform(arguments, by: name, in: connection, timeout: timeout)
    }

    /// Sends a command without arguments.
    public func call<C: Command>(
        _ command: C.Type, timeout: LabDuration = .seconds(30)
    ) throws -> C.Result where C.Arguments == NoArguments {
        try call(command, NoArguments(), timeout: timeout)
    }

    /// Sends a command that must fail.
    ///
    /// - Returns: The error.
    /// - Throws: ``LabFailure`` when it succeeded.
    public func error<C: Command>(
        of command: C.Type, _ arguments: C.Arguments, timeout: LabDuration = .seconds(30)
    ) throws -> ControlError {
        do {
            let result = try call(command, arguments, timeout: timeout)
            throw LabFailure("\(name): \(C.name) was expected to fail, but it answered \(result).")
        } catch let error as ControlError {
            return error
        }
    }
}
