// SPDX-License-Identifier: Apache-2.0

import LabControl
public import LabCore
import LabVocabulary

/// A command of an own app: what a scenario, the command line or a test can ask of it.
///
/// ```swift
/// struct Transfer: FieldObject {
///     @Field("Number of the account that receives it.") var to: String
///     @Field("Amount.", unit: "cents", limit: .atLeast(1)) var amount: Int
///     init() {}
/// }
///
/// Command("transfer", "Sends money to another account.", taking: Transfer.self) { app, transfer in
///     try await app.bank.send(transfer.amount, to: transfer.to)
/// }
/// ```
///
/// The lab checks names, parameters and results of a scenario against it before anything starts. What the closure returns
/// is the answer, and what it throws the failure of the step: an ``AppError`` by its name, errors of the SDKs by theirs.
///
/// Thread rule: closures run on the main actor, as an app's own code would; while one waits, others begin.
public struct Command<App: LabApplication>: Sendable {
    /// Name in scenarios and on the command line.
    public let name: String
    let summary: String
    let fields: [FieldDeclaration]
    let result: FieldType
    let answer: @MainActor @Sendable (App, JSONValue) async throws -> JSONValue

    /// A command that answers something.
    /// - Parameters:
    ///   - name: Name in scenarios; none that the lab's own commands have.
    ///   - summary: What it does, in one sentence.
    ///   - body: Carries it out.
    public init<Answer: FieldValue>(
        _ name: String, _ summary: String, _ body: @escaping @MainActor @Sendable (App) async throws -> Answer
    ) {
        self.init(name, summary, [], Answer.fieldType) { app, _ in try await JSONValue(encoding: body(app)) }
    }

    /// A command that only succeeds or fails.
    @_disfavoredOverload  // `Void` is no answer; the compiler must not see one in a closure that throws only.
    public init(
        _ name: String, _ summary: String, _ body: @escaping @MainActor @Sendable (App) async throws -> Void
    ) {
        self.init(name, summary, [], .nothing) { app, _ in
            try await body(app)
            return .null
        }
    }

    /// A command with parameters that answers something.
    /// - Parameters:
    ///   - name: Name in scenarios; none that the lab's own commands have.
    ///   - summary: What it does, in one sentence.
    ///   - parameters: An object whose fields are the parameters.
    ///   - body: Carries it out.
    public init<Parameters: FieldObject, Answer: FieldValue>(
        _ name: String, _ summary: String, taking parameters: Parameters.Type,
        _ body: @escaping @MainActor @Sendable (App, Parameters) async throws -> Answer
    ) {
        self.init(name, summary, Parameters.fields, Answer.fieldType) { app, arguments in
            try await JSONValue(encoding: body(app, Self.read(arguments)))
        }
    }

    /// A command with parameters that only succeeds or fails.
    @_disfavoredOverload
    public init<Parameters: FieldObject>(
        _ name: String, _ summary: String, taking parameters: Parameters.Type,
        _ body: @escaping @MainActor @Sendable (App, Parameters) async throws -> Void
    ) {
        self.init(name, summary, Parameters.fields, .nothing) { app, arguments in
            try await body(app, Self.read(arguments))
            return .null
        }
    }

    private init(
        _ name: String, _ summary: String, _ fields: [FieldDeclaration], _ result: FieldType,
        answer: @escaping @MainActor @Sendable (App, JSONValue) async throws -> JSONValue
    ) {
        (self.name, self.summary, self.fields, self.result) = (name, summary, fields, result)
        self.answer = answer
    }

    private static func read<Parameters: FieldObject>(_ arguments: JSONValue) throws -> Parameters {
        do {
            return try arguments.decode()
        } catch {
            // What has passed the check decodes, but for a type with rules of its own.
            throw ControlError.badArgument(JSONValue.explain(error))
        }
    }

    func declaration(of kind: ActorKind) -> CommandDeclaration {
        CommandDeclaration(name: name, actors: [kind], summary: summary, fields: fields, result: result)
    }
}
