internal import Foundation
internal import LabFile
internal import LabKit
internal import LabSystem
internal import Synchronization

/// One scenario being run in an instance of its own.
///
/// Thread rule: `perform` is called once, on a thread that may block; everything else is for the threads it
/// starts.
final class ScenarioRun: Sendable {
    let scenario: Scenario
    let seed: UInt64
    let history: History
    let redactor: Redactor
    let interruption: Interruption
    let renderer: DiagnosticRenderer
    /// Absolute path of the directory for history, traces and logs.
    let directory: String
    private let executables: Executables
    private let labFile: String?
    private let record = Mutex(Record())

    private struct Record {
        var failures: [StepFailure] = []
        var overheads: [UInt64] = []
        var commands = 0
        var expectedEnds: Set<String> = []
        var armedFaults: [ArmedFault: Step] = [:]
        /// When steps were carried out last, by their numbers.
        var spans: [String: StepSpan] = [:]
    }

    init(
        _ scenario: Scenario, seed: UInt64, directory: String, executables: Executables, labFile: String?,
        interruption: Interruption
    ) throws {
        self.scenario = scenario
        self.seed = seed
        self.directory = directory
        self.executables = executables
        self.labFile = labFile
        self.interruption = interruption
        redactor = Redactor(secrets: scenario.secretTexts)
        renderer = DiagnosticRenderer(secrets: scenario.secrets)
        try Files.createDirectory(directory)
        history = try History(path: "\(directory)/history.jsonl", redactor: redactor)
    }

    /// Runs the scenario from the creation of its instance to the proof that nothing of it is left.
    func perform() -> ScenarioResult {
        let begin = MonotonicClock.nanoseconds()
        try? history.record(
            "scenario.started",
            ["id": .string(scenario.id), "name": .string(scenario.name), "seed": .string(String(seed))])
        var launches: [String: UInt64] = [:]
        do {
            let instance = try LabInstance(
                topology: scenario.topology, runDirectory: directory, seed: seed, executables: executables,
                labFile: labFile)
            let events = try TraceBoard(directory: instance.manifest.tracesDirectory)
            interruption.reaching { [connection = instance.connection] in
                events.wakeAll()
                connection.clients.interrupt()
            } during: {
                do {
                    try instance.start()
                    perform(in: instance.connection, events: events)
                } catch {
                    fail("the lab did not start: \(error)", verdict: .inconclusive)
                }
            }
            launches = instance.launchTimes
            for complaint in instance.stop() { fail("the instance was not left clean: \(complaint)", verdict: .failed) }
            events.stop()
        } catch {
            fail("the instance could not be created: \(error)", verdict: .inconclusive)
        }
        let result = result(seconds: Double(MonotonicClock.nanoseconds() - begin) / 1e9, launches: launches)
        try? history.record("scenario.finished", ["verdict": .string(result.verdict.rawValue)])
        return result
    }

    private func result(seconds: Double, launches: [String: UInt64]) -> ScenarioResult {
        let record = record.withLock { $0 }
        let verdict = record.failures.map(\.verdict).max() ?? .passed
        return ScenarioResult(
            id: scenario.id, name: scenario.name, tags: scenario.tags, file: scenario.file.path,
            topology: scenario.topology.name, seed: seed, verdict: verdict, quarantine: scenario.quarantine,
            seconds: seconds, commands: record.commands, failures: record.failures, overheads: record.overheads,
            launches: launches, replay: replay, directory: directory)
    }

    /// Runs the steps and the tear-down in an instance that is ready.
    ///
    /// - Returns: The result so far, without the instance's own start and end.
    @discardableResult
    func perform(in instance: InstanceConnection, events: TraceBoard) -> ScenarioResult {
        var bindings = Bindings()
        for value in scenario.generated {
            let drawn = value.draw(seed: seed, scenario: scenario.id)
            if value.kind == .pin, case .string(let text) = drawn { redactor.insert(text) }
            bindings.set(value.name, to: drawn)
        }
        let thread = StepThread(run: self, instance: instance, events: events, bindings: bindings)
        let isReady = scenario.setup.map { thread.perform($0, called: "set-up") } ?? true
        let isComplete = isReady && thread.perform(scenario.steps)
        if isComplete {
            thread.checkFaults()
            checkAfterwards(instance)
        }
        if let phase = scenario.tearDown {
            let tearDown = StepThread(
                run: self, instance: instance, events: events, bindings: thread.bindings, isTearDown: true)
            _ = tearDown.perform(phase, called: "tear-down")
        }
        return result(seconds: 0, launches: [:])
    }

    /// Against green that means nothing: no process may have died without anybody wanting it.
    private func checkAfterwards(_ instance: InstanceConnection) {
        let expected = record.withLock { $0.expectedEnds }
        let faulted = instance.faultedProcesses
        // The apps of a device end with its agent.
        let killed = faulted.union(
            instance.manifest.topology.devices.filter { faulted.contains($0.name) }.flatMap { $0.apps.map(\.name) })
        for app in instance.endedPeers where !expected.contains(app) && !killed.contains(app) {
            fail("the process of `\(app)` died by itself; its log is \(directory)/logs", verdict: .failed)
        }
    }

    /// Remembers that the end of an app's process is wanted from here on.
    func expectEnd(of app: String) {
        record.withLock { _ = $0.expectedEnds.insert(app) }
    }

    /// Remembers that a step, or its next attempt, begins.
    func begin(_ step: Step) {
        let now = MonotonicClock.nanoseconds()
        record.withLock { $0.spans[step.path] = StepSpan(begin: now, end: nil) }
    }

    /// Remembers that a step has ended.
    func end(_ step: Step) {
        let now = MonotonicClock.nanoseconds()
        record.withLock { $0.spans[step.path]?.end = now }
    }

    /// When a step, or its last attempt, began.
    func begin(of step: Step) -> UInt64 { record.withLock { $0.spans[step.path]?.begin } ?? 0 }

    /// The number of the innermost step that was being carried out at a time.
    func step(at time: UInt64) -> String? {
        record.withLock { record in
            record.spans.filter { $0.value.contains(time) }.max { $0.key.count < $1.key.count }?.key
        }
    }

    /// Remembers which step armed a fault.
    func note(_ fault: ArmedFault, armedBy step: Step) {
        record.withLock { $0.armedFaults[fault] = step }
    }

    /// The step that armed a fault; nil when it was armed from outside.
    func step(that armed: ArmedFault) -> Step? {
        record.withLock { $0.armedFaults[armed] }
    }

    /// Whether a step has armed a fault of the network.
    var hasTrafficFaults: Bool {
        record.withLock { record in
            record.armedFaults.keys.contains { if case .traffic = $0 { true } else { false } }
        }
    }

    /// Counts a command and the time the runner added to it.
    func count(overhead: UInt64?) {
        record.withLock { record in
            record.commands += 1
            if let overhead { record.overheads.append(overhead) }
        }
    }

    /// Adds a failure of the scenario as a whole.
    func fail(_ reason: String, verdict: Verdict) {
        add(
            StepFailure(
                verdict: verdict, step: "", title: "", place: "", source: "", reason: reason, differences: [],
                trace: [], replay: replay))
    }

    /// Adds a failure; its texts lose their secrets here.
    func add(_ failure: StepFailure) {
        var failure = failure
        failure.reason = redactor.redact(failure.reason)
        failure.source = redactor.redact(failure.source)
        failure.details = failure.details.map(redactor.redact)
        failure.causes = failure.causes.map(redactor.redact)
        failure.events = failure.events.map(redactor.redact)
        failure.trace = failure.trace.map(redactor.redact)
        for index in failure.differences.indices {
            failure.differences[index].expected = redactor.redact(failure.differences[index].expected)
            failure.differences[index].actual = redactor.redact(failure.differences[index].actual)
            failure.differences[index].excerpt = redactor.redact(failure.differences[index].excerpt)
        }
        record.withLock { $0.failures.append(failure) }
        try? history.record(
            "failure", step: failure.step,
            [
                "verdict": .string(failure.verdict.rawValue), "reason": .string(failure.reason),
                "place": .string(failure.place),
            ])
    }

    /// The command that runs the same again.
    var replay: String { scenario.replay(seed: seed) }
}
