public import LabKit
import LabRunner

/// An actor of a test's instance.
///
/// Thread rule: any thread. Calls block.
public struct TestActor: Sendable {
    /// Its name in the topology, or `server`, `faults`, `clock`.
    public let name: String
    let connection: InstanceConnection

    /// Sends a command and waits for its result.
    ///
    /// ```swift
    /// let isActive = try lab.main.call(HasValidActivation())
    /// try lab.main.call(PersistActivation { $0.password = "1234" })
    /// ```
    ///
    /// - Parameters:
    ///   - command: The command with its arguments; those with a default, and optional ones, can be left out.
    ///   - timeout: Longest time to wait for the answer, in real time.
    /// - Throws: `ControlError` when the command failed, its process died, or a required argument was never set;
    ///   `LabFailure` when the actor does not know the command.
    @discardableResult
    public func call<C: Command>(_ command: C, timeout: LabDuration = ControlClient.patience) throws -> C.Result {
        try TypedCall(command).perform(by: name, in: connection, timeout: timeout)
    }

    /// Sends a command that must fail.
    ///
    /// - Returns: The error.
    /// - Throws: `LabFailure` when it succeeded.
    public func error<C: Command>(of command: C, timeout: LabDuration = ControlClient.patience) throws -> ControlError {
        do {
            let result = try call(command, timeout: timeout)
            throw LabFailure("\(name): \(C.name) was expected to fail, but it answered \(result).")
        } catch let error as ControlError {
            return error
        }
    }
}
