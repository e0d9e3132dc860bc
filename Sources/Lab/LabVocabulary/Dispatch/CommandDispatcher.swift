// SPDX-License-Identifier: Apache-2.0

public import LabControl
public import LabCore
import Synchronization

/// The commands that an actor answers: the one way from a control message to a handler, in peers, agents, server and
/// instance alike.
///
/// Arguments are checked before a handler sees them, and any error of a handler becomes the error that travels.
/// A handler runs where ``perform(_:on:_:)`` is called. `Target` is what the handlers act on, for example a device.
///
/// Thread rule: filled in by one thread before it is used; then any thread.
public struct CommandDispatcher<Target>: Sendable {
    /// Takes the outcome of a command, once, on any thread.
    public typealias Reply<Value> = @Sendable (Result<Value, any Error>) -> Void

    /// The kind of actor whose commands these are.
    public let kind: ActorKind
    private let errors: @Sendable (any Error) -> ControlError
    private var handlers: [String: Handler] = [:]
    private var mistakes: [String] = []

    private typealias Handler =
        @Sendable (JSONValue, Target, @escaping @Sendable (Result<JSONValue, ControlError>) -> Void) -> Void

    /// An empty table.
    /// - Parameter errors: Turns what handlers throw into what travels and what a scenario can match.
    public init(of kind: ActorKind, errors: @escaping @Sendable (any Error) -> ControlError = ControlError.failed) {
        self.kind = kind
        self.errors = errors
    }

    /// Names of the commands with a handler, sorted.
    public var names: [String] { handlers.keys.sorted() }

    // MARK: Handlers

    /// Adds a command whose outcome comes later: the handler calls `reply` once, from any thread, or throws instead.
    public mutating func start<C: Command>(
        _ command: C.Type, _ body: @escaping @Sendable (C, Target, @escaping Reply<C.Result>) throws -> Void
    ) {
        let errors = errors
        add(C.name, of: C.info.actors, declaredBy: "\(C.self)") { arguments, target, completion in
            let reply: Reply<C.Result> = { outcome in
                completion(Result { try JSONValue(encoding: outcome.get()) }.mapError { errors($0) })
            }
            do {
                try body(C.read(arguments), target, reply)
            } catch let error as ControlError {
                completion(.failure(error))
            } catch {
                reply(.failure(error))
            }
        }
    }

    /// Adds a command that only its declaration describes, as an own app declares it. The handler gets arguments that
    /// were checked and completed, and calls `reply` once, from any thread, or throws instead.
    public mutating func start(
        _ command: CommandDeclaration,
        _ body: @escaping @Sendable (JSONValue, Target, @escaping Reply<JSONValue>) throws -> Void
    ) {
        let errors = errors
        add(command.name, of: command.actors, declaredBy: command.declaredBy) { arguments, target, completion in
            let reply: Reply<JSONValue> = { completion($0.mapError { errors($0) }) }
            do {
                try body(.object(command.checked(arguments.objectValue ?? [:])), target, reply)
            } catch let error as ControlError {
                completion(.failure(error))
            } catch {
                reply(.failure(error))
            }
        }
    }

    private mutating func add(
        _ name: String, of actors: Set<ActorKind>, declaredBy declaration: String, _ handler: @escaping Handler
    ) {
        if !actors.contains(kind) {
            mistakes.append("`\(name)` of \(declaration) is no command of the kind `\(kind.rawValue)`")
        }
        if handlers.updateValue(handler, forKey: name) != nil { mistakes.append("`\(name)` has two handlers") }
    }

    /// Adds a command whose outcome is known when the handler returns.
    @_disfavoredOverload  // A handler without a result is meant for the method below, however many statements it has.
    public mutating func answer<C: Command>(
        _ command: C.Type, _ body: @escaping @Sendable (C, Target) throws -> C.Result
    ) {
        start(command) { arguments, target, reply in reply(Result { try body(arguments, target) }) }
    }

    /// Adds a command that answers nothing and is done when the handler returns.
    public mutating func answer<C: Command>(
        _ command: C.Type, _ body: @escaping @Sendable (C, Target) throws -> Void
    ) where C.Result == NoResult {
        start(command) { arguments, target, reply in
            try body(arguments, target)
            reply(.success(NoResult()))
        }
    }

    // MARK: Use

    /// Refuses a table that would leave a command of its kind of actor without an answer. Called before the actor is
    /// ready, so that a forgotten handler is found by the first start and not by a scenario.
    /// - Throws: ``IncompleteCommandTable`` with everything that is wrong.
    public func checkComplete(_ vocabulary: Vocabulary = .lab) throws(IncompleteCommandTable) {
        // Names only: a peer's start has no time for the whole declarations.
        let missing = vocabulary.names(of: kind).filter { handlers[$0] == nil }.map { "`\($0)` has no handler" }
        guard missing.isEmpty, mistakes.isEmpty else {
            throw IncompleteCommandTable(kind: kind, mistakes: mistakes + missing)
        }
    }

    /// Carries a command out.
    /// - Parameter completion: Takes the outcome, once, on any thread.
    public func perform(
        _ request: ControlRequest, on target: Target,
        _ completion: @escaping @Sendable (Result<JSONValue, ControlError>) -> Void
    ) {
        guard let handler = handlers[request.command] else {
            return completion(.failure(.unknownCommand(request.command, known: names)))
        }
        handler(request.arguments, target, completion)
    }

    /// Carries out a command of a table whose handlers all answer before they return, as ``answer(_:_:)`` adds them.
    public func perform(_ request: ControlRequest, on target: Target) -> Result<JSONValue, ControlError> {
        let outcome = Mutex<Result<JSONValue, ControlError>?>(nil)
        withoutActuallyEscaping({ @Sendable value in outcome.withLock { $0 = value } }) { take in
            perform(request, on: target, take)
        }
        return outcome.withLock { $0 }
            ?? .failure(ControlError(.failed, message: "`\(request.command)` is still under way"))
    }
}

/// A table whose handlers do not match the vocabulary.
public struct IncompleteCommandTable: Error, CustomStringConvertible {
    /// The kind of actor whose table it is.
    public let kind: ActorKind
    /// What is wrong, a sentence each.
    public let mistakes: [String]

    public var description: String {
        "The commands of the kind `\(kind.rawValue)` cannot be answered as declared: "
            + mistakes.joined(separator: "; ") + "."
    }
}
