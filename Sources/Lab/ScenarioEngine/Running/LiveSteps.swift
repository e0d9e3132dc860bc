// SPDX-License-Identifier: Apache-2.0

package import LabControl
package import LabCore
package import LabFile
import LabSystem
package import ScenarioLanguage
import Synchronization

/// Steps that a running instance gets one after the other.
///
/// Each is read, carried out and checked like a scenario's step, and can use the captures of earlier ones. Only a step
/// that passed leaves its captures behind.
///
/// Not thread-safe, but for ``underWay``.
package final class LiveSteps {
    /// The result of a text.
    package enum Outcome {
        /// Not a step: diagnostics with places. Nothing was carried out.
        case refused(String)
        /// All of it passed; the answer is that of the last command.
        case done([Step], answer: JSONValue?)
        /// A step failed; `error` is what its command answered.
        case failed([StepFailure], steps: [Step], error: ControlError?)
    }

    package let instance: InstanceConnection
    package let redactor = Redactor()
    package let underWay = StepUnderWay()
    package let events: TraceBoard
    private let directory: String
    private let labFile: String
    private let scope = Scope(parent: nil)
    private let secrets = SecretTexts()
    private var bindings = Bindings()
    /// The secrets given by name, in order.
    package private(set) var given: [GivenSecret] = []
    private var count = 0

    /// Steps for an instance.
    /// - Parameters:
    ///   - directory: the directory of the steps' history; created if missing.
    ///   - labFile: absolute path of the lab file, the base of `include`.
    /// - Throws: if the instance's traces cannot be followed.
    package init(for instance: InstanceConnection, directory: String, labFile: String) throws {
        self.instance = instance
        self.directory = directory
        self.labFile = labFile
        events = try TraceBoard(directory: instance.manifest.tracesDirectory)
    }

    /// Ends following the instance.
    package func stop() { events.stop() }

    /// The captures: names in order, values without secrets.
    package var kept: [(name: String, value: JSONValue)] {
        bindings.values.sorted { $0.key < $1.key }.map { ($0.key, redactor.redact($0.value)) }
    }

    /// What steps can refer to at one moment.
    package struct Memory {
        fileprivate let bindings: Bindings
        fileprivate let variables: Scope.Variables
    }

    /// What steps can refer to now.
    package var memory: Memory { Memory(bindings: bindings, variables: scope.variables) }

    /// Goes back to what steps could refer to at an earlier moment. The secrets that were given stay.
    /// - Parameter memory: Nil for the moment before the first step.
    package func goBack(to memory: Memory?) {
        bindings = memory?.bindings ?? Bindings()
        scope.variables = memory?.variables ?? Scope.Variables()
        for secret in given where types[secret.name] == nil { define(secret.name, as: secret.text) }
    }

    /// The possible references, with the types of their members.
    package var types: [String: FieldType] {
        scope.entries.compactMapValues { entry in
            if case .typed(let type) = entry.binding { type } else { nil }
        }
    }

    /// Reads a step, or a list of steps, and carries it out.
    /// - Throws: if the history cannot be written.
    package func perform(_ text: String) throws -> Outcome {
        let file = SourceFile(path: "step", text: text)
        let collector = DiagnosticCollector()
        // The next step can use a step's captures only if it passes.
        let attempt = Scope(parent: scope)
        let steps = read(file, in: attempt, reporting: collector)
        secrets.texts.forEach(redactor.insert)
        guard collector.isEmpty, !steps.isEmpty else {
            hideSecrets(ofRefused: text)
            return .refused(DiagnosticRenderer(secrets: collector.secretRanges).render(collector.diagnostics))
        }
        count += steps.count
        let run = try ScenarioRun(
            Scenario(liveIn: instance.manifest.topology, file: file, steps: steps, secrets: collector.secretRanges),
            seed: instance.manifest.seed, directory: directory,
            setting: ScenarioRun.Setting(
                executables: Executables(directory: instance.manifest.executablesDirectory), labFile: labFile),
            interruption: Interruption(), traces: instance.manifest.tracesDirectory, redactor: redactor)
        let thread = StepRunner(run: run, instance: instance, events: events, bindings: bindings)
        let isFine = underWay.interrupting(run.interruption) {
            run.interruption.reaching { [instance, events] in
                run.endWaiting(in: instance, events: events)
            } during: {
                thread.perform(steps)
            }
        }
        guard isFine else {
            if run.interruption.isSet {
                run.failures.stopped(because: run.interruption.reason, verdict: .inconclusive)
            }
            return .failed(run.failures.all, steps: steps, error: thread.lastError)
        }
        bindings = thread.bindings
        scope.adopt(attempt, reporting: collector)
        return .done(steps, answer: thread.lastAnswer)
    }

    /// Masks secrets in a text that is not a step.
    package func hideSecrets(ofRefused text: String) { RefusedSecrets.texts(in: text).forEach(redactor.insert) }

    /// A line of the shell in YAML. A secret given indirectly is kept, and replaced by a reference.
    /// - Parameter secretLine: Takes the name of a parameter; returns a line read without echo, nil at the end of the
    ///   input.
    /// - Throws: ``BadUsage`` for an invalid short form, or a missing value.
    package func yaml(_ text: String, secretLine: (String) -> String? = { _ in nil }) throws -> String {
        try ShellLine.yaml(text) { actor, command, name, text in
            let field = instance.actors.command(named: command, of: actor)?.fields.first { $0.name == name }
            guard let given = SecretArgument(text) else {
                let isText = field?.type == .text || field?.type == .secret
                return isText ? ShellLine.textScalar(text) : ShellLine.scalar(text)
            }
            let value = try given.value(for: name, secretLine: secretLine)
            guard field?.isSecret ?? true else { return ShellLine.textScalar(value) }
            return "\"${\(keep(value, for: name, given: given))}\""
        }
    }

    /// Keeps a secret for the following steps, unless it is kept already.
    /// - Returns: Its name in steps.
    private func keep(_ text: String, for name: String, given source: SecretArgument) -> String {
        if let known = given.first(where: { $0.text == text }) { return known.name }
        // Two secrets for one parameter get numbered names.
        let free = (1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }.first { self.types[$0] == nil }
        let unique = free ?? name
        redactor.insert(text)
        define(unique, as: text)
        given.append(GivenSecret(name: unique, variable: source.variable(for: unique), text: text))
        return unique
    }

    private func define(_ name: String, as secret: String) {
        bindings.set(name, to: .string(secret))
        scope.define(
            name, .typed(.secret), at: SourcePlace(.start, in: SourceFile(path: "step", text: "")),
            reporting: DiagnosticCollector())
    }

    /// A step that was carried out, with references in place of its secrets, so that it can be kept; nil if a secret
    /// would remain.
    /// - Parameter isBorrowed: whether a text stays, because it will be replaced later.
    package func withoutSecrets(_ yaml: String, except isBorrowed: (String) -> Bool = { _ in false }) -> String? {
        let file = SourceFile(path: "step", text: yaml)
        guard let root = YAMLDocument.parse(file, reporting: DiagnosticCollector()) else { return nil }
        var lines = file.lines
        var rest = lines
        // From the end, so that a replacement does not move later ones.
        for (name, node) in root.values(named: "value").reversed() {
            let range = node.place.range
            guard let text = node.scalar?.text, secrets.texts.contains(text) else { continue }
            // The redactor below would not find it, because the lines contain it with line ends and indentation.
            guard range.start.line == range.end.line else { return nil }
            rest[range.start.line - 1].replaceColumns(of: range, by: "")
            if isBorrowed(text) { continue }
            lines[range.start.line - 1].replaceColumns(of: range, by: "\"${\(keep(text, for: name, given: .typed))}\"")
        }
        let unnamed = rest.joined(separator: "\n")
        return redactor.redact(unnamed) == unnamed ? lines.joined(separator: "\n") : nil
    }

    private func read(_ file: SourceFile, in scope: Scope, reporting collector: DiagnosticCollector) -> [Step] {
        guard let root = YAMLDocument.parse(file, reporting: collector) else { return [] }
        let reader = StepReader(
            actors: instance.actors, scope: scope, collector: collector, secrets: secrets,
            files: IncludedFiles(labFile: labFile, scenario: labFile), directory: Files.directory(of: labFile),
            including: [], prefix: "")
        let steps = (root.elements ?? [root]).enumerated().compactMap { index, node in
            reader.readStep(node, path: "\(count + index + 1)")
        }
        // The instance is there once, and each order needs one of its own.
        reader.checkExploring([], beside: steps)
        return steps
    }
}

extension YAMLNode {
    /// The scalars in it, in the order of the file, each with its key.
    fileprivate func values(named name: String) -> [(name: String, node: YAMLNode)] {
        switch content {
        case .scalar: [(name, self)]
        case .sequence(let elements): elements.flatMap { $0.values(named: name) }
        case .mapping(let entries): entries.flatMap { $0.value.values(named: $0.key) }
        }
    }
}

/// The current step, for callers that want to end it. Thread rule: any thread.
package final class StepUnderWay: Sendable {
    private let interruption = Mutex<Interruption?>(nil)

    /// Ends the step, which then fails; does nothing between two steps.
    package func interrupt() { interruption.withLock { $0 }?.set() }

    fileprivate func interrupting<Value>(_ interruption: Interruption, during body: () throws -> Value) rethrows
        -> Value
    {
        self.interruption.withLock { $0 = interruption }
        defer { self.interruption.withLock { $0 = nil } }
        return try body()
    }
}

extension Scenario {
    /// Steps for a running instance, outside of a scenario.
    fileprivate init(liveIn topology: Topology, file: SourceFile, steps: [Step], secrets: SecretRanges) {
        self.init(
            id: "live", name: "live", about: nil, manual: [], tags: [], quarantine: nil, obstacle: nil, file: file,
            includes: [],
            topology: topology, values: [], generated: [], setup: nil, steps: steps, tearDown: nil, secrets: secrets,
            secretTexts: [])
    }
}

extension String {
    /// Replaces a range within one line by a text.
    package mutating func replaceColumns(of range: SourceRange, by text: String) {
        let scalars = unicodeScalars
        let start = scalars.index(scalars.startIndex, offsetBy: range.start.column - 1)
        let end = scalars.index(scalars.startIndex, offsetBy: range.end.column - 1)
        replaceSubrange(start..<end, with: text)
    }
}
