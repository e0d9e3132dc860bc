// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabControl
public import LabCore
import LabFile
import LabSystem
import LabVocabulary
import ScenarioLanguage

/// One command typed on the command line: `lab exec main createActivation name=phone`.
public struct CommandLineCall: Sendable {
    private let target: Target
    private let command: CommandDeclaration
    private let arguments: JSONValue

    /// Reads a command line against the vocabulary.
    /// - Parameters:
    ///   - actor: The actor's name.
    ///   - command: The command's name.
    ///   - words: Arguments `key=value`; the value `@-` is read from standard input, `env:NAME` from the environment.
    ///   - connection: The instance.
    ///   - environment: Environment variables.
    ///   - readInput: Takes the parameter's name, and reads one value from standard input.
    /// - Throws: ``BadUsage`` with the mistake.
    public init(
        actor: String, command: String, words: [String], in connection: InstanceConnection,
        environment: [String: String], readInput: (String) throws -> String
    ) throws {
        let found = try ActorSession(instance: connection).find(command, of: actor)
        (target, self.command) = found
        var members: [String: JSONValue] = [:]
        for word in words {
            let (field, value) = try Self.read(word, of: found.command, environment: environment, readInput: readInput)
            guard members.updateValue(value, forKey: field.name) == nil else {
                throw BadUsage(sentence: "`\(field.name)` is given twice")
            }
        }
        for field in found.command.fields where field.isRequired && members[field.name] == nil {
            throw BadUsage(.missingParameter(parameter: field.name, command: command, meaning: field.meaning))
        }
        arguments = .object(members)
    }

    private static func read(
        _ word: String, of command: CommandDeclaration, environment: [String: String],
        readInput: (String) throws -> String
    ) throws -> (FieldDeclaration, JSONValue) {
        guard let separator = word.firstIndex(of: "=") else {
            throw BadUsage(sentence: "`\(word)` is not of the form key=value")
        }
        let key = String(word[..<separator])
        var text = String(word[word.index(after: separator)...])
        guard let field = command.fields.first(where: { $0.name == key }) else {
            throw BadUsage(
                .unknownParameter(parameter: key, command: command.name, known: command.fields.map { $0.name }))
        }
        var isLiteral = false
        if text == "@-" {
            text = try readInput(key)
            if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        } else if text.hasPrefix("env:") {
            let name = String(text.dropFirst(4))
            guard let value = environment[name] else { throw BadUsage(.unsetEnvironmentVariable(name: name)) }
            text = value
        } else {
            isLiteral = true
        }
        if field.isSecret, isLiteral {
            throw BadUsage(
                sentence:
                    "`\(key)` is a secret, which would be visible in the list of processes; write \(key)=@- and type it, or \(key)=env:NAME"
            )
        }
        return (field, try value(text, of: field))
    }

    private static func value(_ text: String, of field: FieldDeclaration) throws -> JSONValue {
        let file = SourceFile(path: field.name, text: text)
        let collector = DiagnosticCollector()
        let node: YAMLNode?
        switch field.type {
        case .list, .map, .object, .any: node = YAMLDocument.parse(file, reporting: collector)
        default:
            // A value from the command line is never a reference.
            let scalar = YAMLScalar(text: text.replacing("${", with: "$${"), isQuoted: true)
            node = YAMLNode(.scalar(scalar), at: SourcePlace(.start, in: file))
        }
        let reader = ValueReader(scope: Scope(parent: nil), collector: collector, secrets: SecretTexts())
        let template = node.flatMap { reader.read($0, as: field.type, what: "`\(field.name)`") }
        if let first = collector.diagnostics.first { throw BadUsage(first.kind) }
        return try Bindings().resolve(template ?? .literal(.null))
    }

    /// A command that failed.
    public struct Failure: Error {
        /// The error.
        public let error: ControlError
        /// The causes, as far as the processes have recorded them; a sentence each.
        public let causes: [String]
    }

    /// The operation's name in traces: it belongs to no step of a scenario or a shell.
    private static var operation: String { "exec-\(ProcessInfo.processInfo.processIdentifier)" }

    /// Sends the command.
    /// - Parameter timeout: Longest time to wait for the answer, in real time.
    /// - Returns: The result.
    /// - Throws: ``Failure`` if the command failed; ``BadUsage`` if its arguments were rejected.
    public func perform(
        in connection: InstanceConnection, timeout: LabDuration = ControlClient.patience
    ) throws -> JSONValue {
        let begin = MonotonicClock.nanoseconds()
        let outcome = try ActorSession(instance: connection).call(
            target, command: command.name, arguments: arguments, operation: Self.operation, timeout: timeout)
        switch outcome.answer {
        case .success(let value): return value
        case .failure(var error):
            if error.labError == .badArgument { throw BadUsage(sentence: error.message) }
            if error.isUnanswered, let state = state(in: connection) { error.message += "; \(state)" }
            let facts = FailureCircumstances(
                step: Self.operation, begin: begin, actor: target.actor, error: error,
                events: (try? TraceReader.readAll(connection.manifest.tracesDirectory)) ?? [],
                topology: connection.manifest.topology, stepAt: { _, _ in nil }, armedBy: { _ in nil })
            throw Failure(error: error, causes: CauseFinder(facts: facts).causes)
        }
    }

    /// Why an app cannot answer, as reported by its device; nil if it should answer, or the state is unknown.
    ///
    /// Checked before the command is sent, so that the caller does not wait for a stopped process unknowingly.
    public func obstacle(in connection: InstanceConnection) -> String? {
        guard case .endpoint(.peer, _) = target.route else { return nil }
        return state(in: connection)
    }

    private func state(in connection: InstanceConnection) -> String? {
        let app = target.actor
        guard let (device, _) = connection.manifest.topology.app(named: app),
            let processes = try? connection.processes(of: device.name, timeout: .seconds(1).stretched),
            let process = processes.first(where: { $0.app == app })
        else { return nil }
        switch process.state {
        case .suspended: return "`\(app)` is suspended; `lab exec \(app) resume` continues it"
        case .notRunning: return "`\(app)` does not run; `lab exec \(app) launch` starts it"
        case .running: return nil
        }
    }
}

/// The possible words of a command for an actor of a running instance, for completion in shells.
public struct CallCompletion: Sendable {
    private let actors: ActorTable

    /// The completion of calls in an instance.
    public init(in connection: InstanceConnection) { actors = connection.actors }

    /// The names of all actors.
    public var names: [String] { actors.names }

    /// The names of an actor's commands; empty if the actor is unknown.
    public func commands(of actor: String) -> [String] { actors.commands(of: actor).map(\.name) }

    /// The parameters of a command, each as `name=`.
    public func parameters(of command: String, by actor: String) -> [String] {
        actors.command(named: command, of: actor)?.fields.map { "\($0.name)=" } ?? []
    }
}
