// SPDX-License-Identifier: Apache-2.0

public import LabControl
public import LabCore
import LabReports
import LabSystem
public import LabVocabulary
import ScenarioEngine

/// An actor of a test's lab: an app, a device, a link, `server`, `faults` or `clock`.
///
/// Each call is a step of the test's page. Thread rule: any task or thread; in code that is not asynchronous, a call
/// blocks.
public struct LabActor: Sendable {
    /// Its name.
    public let name: String
    let record: TestRecord

    /// Sends a command of the lab and waits for its result.
    ///
    /// ```swift
    /// let code = try await lab.server.call(InitActivation { $0.userId = "alice" })
    /// try await lab.main.call(CreateActivation { $0.activationCode = code.activationCode })
    /// ```
    ///
    /// - Parameters:
    ///   - command: The command with its arguments; those with a default, and optional ones, can be left out.
    ///   - timeout: Longest time to wait for the answer, in real time.
    /// - Throws: `ControlError` when the command failed or its process died; a sentence with the word that was probably
    ///   meant when the actor does not know it.
    @discardableResult
    public func call<C: Command>(_ command: C, timeout: LabDuration = ControlClient.patience) async throws -> C.Result {
        let answer = try await call(C.name, command.arguments().objectValue ?? [:], timeout: timeout)
        return try decode(answer, of: C.name)
    }

    /// The same for code that is not asynchronous.
    @discardableResult
    public func call<C: Command>(_ command: C, timeout: LabDuration = ControlClient.patience) throws -> C.Result {
        let arguments = try command.arguments().objectValue ?? [:]
        Lab.touching?()
        defer { Lab.touching?() }
        return try decode(record.call(C.name, arguments, by: name, timeout: timeout), of: C.name)
    }

    /// Sends a command by its name, as an own app has one, and waits for its answer.
    ///
    /// - Parameters:
    ///   - command: The name.
    ///   - arguments: Its parameters by name; they are checked as those of a scenario.
    ///   - timeout: Longest time to wait for the answer, in real time.
    /// - Throws: As a call of a command of the lab.
    @discardableResult
    public func call(
        _ command: String, _ arguments: [String: JSONValue] = [:], timeout: LabDuration = ControlClient.patience
    ) async throws -> JSONValue {
        let (name, record) = (name, record)
        // The app notes what it touches; what the code of the test does before and after the call is not known.
        Lab.touching?()
        defer { Lab.touching?() }
        return try await onThread(named: "lab test") { try record.call(command, arguments, by: name, timeout: timeout) }
    }

    /// Sends a command by its name and reads its answer as a type of the test.
    ///
    /// - Throws: As a call of a command of the lab; `LabFailure` when the answer does not have the type's form.
    public func call<Answer: Decodable & Sendable>(
        _ command: String, _ arguments: [String: JSONValue] = [:], as type: Answer.Type,
        timeout: LabDuration = ControlClient.patience
    ) async throws -> Answer {
        try await decode(call(command, arguments, timeout: timeout), of: command)
    }

    /// Sends a command that must fail.
    ///
    /// - Returns: Its error.
    /// - Throws: `LabFailure` when it succeeded.
    public func failure<C: Command>(
        of command: C, timeout: LabDuration = ControlClient.patience
    ) async throws -> ControlError {
        try await failure(of: C.name, command.arguments().objectValue ?? [:], timeout: timeout)
    }

    /// The same for code that is not asynchronous.
    public func failure<C: Command>(
        of command: C, timeout: LabDuration = ControlClient.patience
    ) throws -> ControlError {
        do {
            throw unexpectedSuccess(of: C.name, try call(command, timeout: timeout))
        } catch let error as ControlError {
            return error
        }
    }

    /// Sends a command by its name that must fail.
    ///
    /// - Returns: Its error.
    /// - Throws: `LabFailure` when it succeeded.
    public func failure(
        of command: String, _ arguments: [String: JSONValue] = [:], timeout: LabDuration = ControlClient.patience
    ) async throws -> ControlError {
        do {
            throw unexpectedSuccess(of: command, try await call(command, arguments, timeout: timeout))
        } catch let error as ControlError {
            return error
        }
    }

    private func unexpectedSuccess(of command: String, _ answer: some Any) -> LabFailure {
        LabFailure("\(name): \(command) was expected to fail, but it answered \(answer).")
    }

    private func decode<Answer: Decodable>(_ answer: JSONValue, of command: String) throws -> Answer {
        do {
            return try answer.decode()
        } catch {
            throw LabFailure("`\(name)` answered `\(command)` with \(answer): \(JSONValue.explain(error)).")
        }
    }
}
