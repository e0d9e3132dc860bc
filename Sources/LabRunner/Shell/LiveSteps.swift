internal import LabFile
internal import LabKit
internal import LabSystem
internal import Synchronization

/// Steps that are given to a running instance one after the other.
///
/// Each is read by the rules of a scenario, knows what the ones before it have kept, and is carried out and judged as a
/// scenario's step is. Only what ended as expected leaves its captures behind.
///
/// Not thread-safe, but for ``underWay``.
final class LiveSteps {
    /// What became of a text.
    enum Outcome {
        /// It is no step: diagnostics with places. Nothing was carried out.
        case refused(String)
        /// All of it ended as expected; the answer is that of the last command.
        case done([Step], answer: JSONValue?)
        /// A step did not end as expected; `error` is what its command answered.
        case failed([StepFailure], steps: [Step], error: ControlError?)
    }

    let instance: InstanceConnection
    let redactor = Redactor()
    let underWay = StepUnderWay()
    private let events: TraceBoard
    private let directory: String
    private let labFile: String
    private let scope = Scope(parent: nil)
    private let secrets = SecretTexts()
    private var bindings = Bindings()
    private var count = 0

    /// Steps for an instance.
    ///
    /// - Parameters:
    ///   - directory: where the history of the steps is written; made when it is missing.
    ///   - labFile: absolute path of the lab file, beside which files to include are found.
    /// - Throws: when the instance's traces cannot be followed.
    init(for instance: InstanceConnection, directory: String, labFile: String) throws {
        self.instance = instance
        self.directory = directory
        self.labFile = labFile
        events = try TraceBoard(directory: instance.manifest.tracesDirectory)
    }

    /// Ends following the instance.
    func stop() { events.stop() }

    /// What has been kept: names in order, values without secrets.
    var kept: [(name: String, value: JSONValue)] {
        bindings.values.sorted { $0.key < $1.key }.map { ($0.key, redactor.redact($0.value)) }
    }

    /// What a reference can name, with the types that lead further.
    var types: [String: FieldType] {
        scope.entries.compactMapValues { entry in
            if case .typed(let type) = entry.binding { type } else { nil }
        }
    }

    /// Reads a step, or a list of steps, and carries it out.
    ///
    /// - Throws: when nothing can be written about it.
    func perform(_ text: String) throws -> Outcome {
        let file = SourceFile(path: "step", text: text)
        let collector = DiagnosticCollector()
        // What a step keeps is known to the next one only if it ends as expected.
        let attempt = Scope(parent: scope)
        let steps = read(file, in: attempt, reporting: collector)
        guard collector.isEmpty, !steps.isEmpty else {
            return .refused(DiagnosticRenderer(secrets: collector.secretRanges).render(collector.diagnostics))
        }
        secrets.texts.forEach(redactor.insert)
        count += steps.count
        let run = try ScenarioRun(
            Scenario(
                liveIn: instance.manifest.topology, file: file, steps: steps, secrets: collector.secretRanges),
            seed: instance.manifest.seed, directory: directory,
            setting: ScenarioRun.Setting(
                executables: Executables(directory: instance.manifest.executablesDirectory), labFile: labFile),
            interruption: Interruption(), redactor: redactor)
        let thread = StepThread(run: run, instance: instance, events: events, bindings: bindings)
        let isFine = underWay.interrupting(run.interruption) {
            run.interruption.reaching { [instance, events] in
                run.endWaiting(in: instance, events: events)
            } during: {
                thread.perform(steps)
            }
        }
        guard isFine else {
            if run.interruption.isSet { run.stopped(because: run.interruption.reason, verdict: .inconclusive) }
            return .failed(run.failures, steps: steps, error: thread.lastError)
        }
        bindings = thread.bindings
        scope.adopt(attempt, reporting: collector)
        return .done(steps, answer: thread.lastAnswer)
    }

    private func read(_ file: SourceFile, in scope: Scope, reporting collector: DiagnosticCollector) -> [Step] {
        guard let root = YAMLDocument.parse(file, reporting: collector) else { return [] }
        let reader = StepReader(
            actors: instance.actors, scope: scope, collector: collector, secrets: secrets,
            files: IncludedFiles(labFile: labFile, scenario: labFile), directory: Files.directory(of: labFile),
            including: [], prefix: "")
        return (root.elements ?? [root]).enumerated().compactMap { index, node in
            reader.readStep(node, path: "\(count + index + 1)")
        }
    }
}

/// The step that is being carried out, for whoever wants to end it. Thread rule: any thread.
final class StepUnderWay: Sendable {
    private let interruption = Mutex<Interruption?>(nil)

    /// Ends the step, which has then failed; does nothing between two steps.
    func interrupt() { interruption.withLock { $0 }?.set() }

    fileprivate func interrupting<Value>(_ interruption: Interruption, during body: () throws -> Value) rethrows
        -> Value
    {
        self.interruption.withLock { $0 = interruption }
        defer { self.interruption.withLock { $0 = nil } }
        return try body()
    }
}

extension Scenario {
    /// Steps that somebody gives to a running instance.
    fileprivate init(liveIn topology: Topology, file: SourceFile, steps: [Step], secrets: SecretRanges) {
        self.init(
            id: "live", name: "live", about: nil, tags: [], quarantine: nil, obstacle: nil, file: file, includes: [],
            topology: topology, values: [], generated: [], setup: nil, steps: steps, tearDown: nil, secrets: secrets,
            secretTexts: [])
    }
}
