// SPDX-License-Identifier: Apache-2.0

public import LabControl
public import LabCore

/// One command of the lab's vocabulary: something a scenario, the command line or a test can ask of an actor.
///
/// A command is declared once, and its properties are its arguments. From the declaration come the check before a run,
/// the dispatch in the process that answers, typed calls in `LabTesting`, `lab steps`, the JSON Schema and the reference
/// page. One declaration reads like this:
///
/// ```swift
/// public struct TransferMoney: Command {
///     public static let info = CommandInfo("transferMoney", of: .app, "Sends money to another account.")
///     @Field("Number of the account that receives it.") public var to: String
///     @Field("Amount.", unit: "cents", limit: .atLeast(1)) public var amount: Int
///     @Field("Text for the statement.") public var note: String?
///
///     public struct Result: FieldObject {
///         @Field("Number of the transfer.") public var transferId: String
///         public init() {}
///     }
///
///     public init() {}
/// }
/// ```
///
/// The sentences in the declaration are its documentation; doc comments would say them a second time.
public protocol Command: FieldObject {
    /// What the command answers; its JSON form is what expectations are matched against. ``NoResult`` for a command that
    /// only succeeds or fails.
    associatedtype Result: FieldValue = NoResult

    /// Name, actors and summary.
    static var info: CommandInfo { get }
}

/// What a command says of itself beside its parameters and its answer.
public struct CommandInfo: Sendable {
    /// Name in scenarios and on the command line.
    public let name: String
    /// Kinds of actor that understand the command.
    public let actors: Set<ActorKind>
    /// One sentence for the reference page.
    public let summary: String
    /// The command that ends the fault which this one arms; nil for a command that arms none.
    public let ending: (any Command.Type)?
    /// The command that counts what armed faults have hit; nil for a fault that may hit nothing.
    public let counting: (any Command.Type)?

    /// Describes a command.
    /// - Parameters:
    ///   - ending: For a command that arms a fault: the command of the same actor that ends it. It is given those
    ///     members of the arming command's answer that it has parameters for, such as `id`.
    ///   - counting: For a fault that must hit something: the command of the same actor that lists its faults, each with
    ///     the `id` of the arming command's answer, and `fired`, how often it took effect.
    public init(
        _ name: String, of actors: Set<ActorKind>, _ summary: String, endedBy ending: (any Command.Type)? = nil,
        countedBy counting: (any Command.Type)? = nil
    ) {
        self.name = name
        self.actors = actors
        self.summary = summary
        self.ending = ending
        self.counting = counting
    }

    /// Describes a command of one kind of actor.
    public init(
        _ name: String, of actor: ActorKind, _ summary: String, endedBy ending: (any Command.Type)? = nil,
        countedBy counting: (any Command.Type)? = nil
    ) {
        self.init(name, of: [actor], summary, endedBy: ending, countedBy: counting)
    }
}

extension Command {
    /// Name in scenarios and on the command line.
    public static var name: String { info.name }

    /// The arguments as they travel.
    /// - Throws: `ControlError` named `badArgument` when a required argument was never set.
    public func arguments() throws(ControlError) -> JSONValue {
        do {
            return try JSONValue(encoding: self)
        } catch EncodingError.invalidValue(_, let context) {
            throw .badArgument("`\(Self.name)` needs `\(context.codingPath.last?.stringValue ?? "?")`.")
        } catch {
            throw .failed(error)
        }
    }

    /// Reads the arguments of a control message: checks them, fills in the defaults, decodes.
    /// - Throws: `ControlError` named `badArgument` that says what does not fit and what was expected.
    public static func read(_ arguments: JSONValue) throws(ControlError) -> Self {
        let members = try CommandDeclaration(Self.self).checked(arguments.objectValue ?? [:])
        do {
            return try JSONValue.object(members).decode()
        } catch {
            // What passes the check decodes, but for a type of a user with rules of its own.
            throw .badArgument("`\(name)`: \(JSONValue.explain(error)).")
        }
    }
}

extension CommandDeclaration {
    /// Reads a declaration off its type.
    public init<C: Command>(_ command: C.Type) {
        let info = command.info
        self.init(
            name: info.name, actors: info.actors, summary: info.summary, fields: command.fields,
            result: C.Result.fieldType, ending: info.ending.map { $0.name }, counting: info.counting.map { $0.name },
            declaredBy: String(describing: command))
    }

    /// Checks arguments and fills in the defaults of those that are left out. The one place that judges what a process
    /// is sent.
    /// - Throws: `ControlError` named `badArgument`. It never shows a value of a secret parameter.
    public func checked(_ arguments: [String: JSONValue]) throws(ControlError) -> [String: JSONValue] {
        for name in arguments.keys.sorted() where field(named: name) == nil {
            let known = fields.map(\.name)
            let advice = nearest(name, among: known).map { "did you mean `\($0)`?" } ?? "it takes \(Self.list(known))."
            throw .badArgument("`\(self.name)` has no parameter `\(name)`; \(advice)")
        }
        var checked = arguments
        for field in fields {
            switch arguments[field.name] {
            case nil, .null:
                guard !field.isRequired else {
                    throw .badArgument("`\(name)` needs `\(field.name)`: \(field.meaning)")
                }
                checked[field.name] = field.defaultValue
            case let value?:
                let shown = field.isSecret ? "" : ", not \(value)"
                guard field.type.admits(value) else {
                    throw .badArgument("`\(field.name)` of `\(name)` expects \(field.type.title)\(shown).")
                }
                if let limit = field.limit, !limit.admits(value) {
                    throw .badArgument("`\(field.name)` of `\(name)` is \(limit)\(shown).")
                }
            }
        }
        return checked
    }

    private static func list(_ names: [String]) -> String {
        names.isEmpty ? "no parameters" : names.map { "`\($0)`" }.joined(separator: ", ")
    }
}
