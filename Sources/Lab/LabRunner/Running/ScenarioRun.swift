import Foundation
import LabChecks
import LabFile
import LabKit
import LabSystem
import Synchronization

/// One scenario running in an instance of its own.
///
/// Thread rule: `perform` is called once, on a thread that may block; everything else is for the threads that it
/// starts.
final class ScenarioRun: Sendable {
    let scenario: Scenario
    let seed: UInt64
    let history: History
    let redactor: Redactor
    /// Ends this scenario; the run's interruption and the scenario's time limit trigger it.
    let interruption = Interruption()
    let limits: TimeLimits
    let times = StepTimes()
    let skippedSteps = SkippedSteps()
    let sources = RecordedSources()
    /// The values known before the first step.
    let known: Bindings
    let renderer: DiagnosticRenderer
    /// Absolute path of the directory for history and logs.
    let directory: String
    /// Absolute path of the directory of the processes' traces.
    let traces: String
    private let setting: Setting
    private let runInterruption: Interruption
    private let isTearingDown = Atomic(false)
    private let record = Mutex(Record())
    /// Records the state that devices report when something fails; nil before the instance is ready.
    private let pictures = Mutex<FailureRecords?>(nil)

    /// The settings that all scenarios of a run share.
    struct Setting: Sendable {
        var executables: Executables
        /// Absolute path of the lab file.
        var labFile: String?
        var limits = TimeLimits()
        /// The value of `--lab`, which a replay needs again.
        var labOption: String?
        /// Inspects the instance of a scenario that did not pass, before its tear-down, and decides whether to keep it.
        var afterFailure: (@Sendable (InstanceConnection) -> Bool)?
        /// Pauses before steps until a person continues the run; nil for no pauses.
        var gate: StepGate?
        /// Takes over a kept instance.
        var keep: @Sendable (LabInstance) -> Void = { _ in }
    }

    private struct Record {
        var failures: [StepFailure] = []
        var overheads: [UInt64] = []
        var commands = 0
        var toldDeaths: Set<RecordedHistory.Incarnation> = []
        var armedFaults: [ArmedFault] = []
        var isKept = false
    }

    /// - Parameters:
    ///   - traces: the trace directory of an instance that is not the scenario's own.
    ///   - redactor: one that knows the secrets already; nil for a new one with those of the scenario.
    init(
        _ scenario: Scenario, seed: UInt64, directory: String, setting: Setting, interruption: Interruption,
        traces: String? = nil, redactor: Redactor? = nil
    ) throws {
        self.scenario = scenario
        self.seed = seed
        self.directory = directory
        self.traces = traces ?? "\(directory)/traces"
        self.setting = setting
        var limits = setting.limits
        // A person may take any time.
        if setting.gate != nil { limits.scenario = nil }
        self.limits = limits
        runInterruption = interruption
        self.redactor = redactor ?? Redactor(secrets: scenario.secretTexts)
        known = scenario.drawn(seed: seed, hiddenBy: self.redactor)
        renderer = DiagnosticRenderer(secrets: scenario.secrets)
        try Files.createDirectory(directory)
        history = try History(in: directory, redactor: self.redactor)
    }

    /// Runs the scenario from the creation of its instance to the check that nothing of it is left.
    func perform() -> ScenarioResult {
        let begin = MonotonicClock.nanoseconds()
        history.record(
            .scenarioStarted(
                .init(
                    id: scenario.id, name: scenario.name, seed: String(seed),
                    devices: scenario.topology.devices.map(HistoryEvent.Device.init))))
        var launches: [String: UInt64] = [:]
        do {
            let instance = try LabInstance(
                topology: scenario.topology, runDirectory: directory, seed: seed, executables: setting.executables,
                labFile: setting.labFile)
            let events = try TraceBoard(
                directory: instance.manifest.tracesDirectory, keeping: scenario.awaitedEvents)
            runInterruption.passing(to: interruption) {
                interruption.reaching {
                    self.endWaiting(in: instance.connection, events: events)
                } end: {
                    instance.kill()
                    // Also ends the waits of a tear-down.
                    self.wake(instance.connection, events: events)
                } during: {
                    do {
                        try instance.start()
                        perform(in: instance.connection, events: events)
                        ScenarioTraffic(of: instance.connection, redactor: redactor).record(in: directory)
                    } catch {
                        let reason =
                            interruption.isSet
                            ? "\(interruption.reason) while the lab started" : "the lab did not start: \(error)"
                        fail(reason, verdict: .inconclusive)
                    }
                }
            }
            launches = instance.launchTimes
            var remains: [String] = []
            if record.withLock({ $0.isKept }) {
                setting.keep(instance)
            } else {
                remains = instance.stop()
            }
            events.stop()
            checkEnd(remains: remains, traces: instance.manifest.tracesDirectory)
        } catch {
            fail("the instance could not be created: \(error)", verdict: .inconclusive)
        }
        let result = result(seconds: Double(MonotonicClock.nanoseconds() - begin) / 1e9, launches: launches)
        history.record(.scenarioFinished(result.verdict))
        return result
    }

    /// Ends the waits of the steps after an interruption; a tear-down is not disturbed.
    func endWaiting(in instance: InstanceConnection, events: TraceBoard) {
        guard !isTearingDown.load(ordering: .acquiring) else { return }
        wake(instance, events: events)
    }

    private func wake(_ instance: InstanceConnection, events: TraceBoard) {
        events.wakeAll()
        instance.clients.interrupt()
    }

    func result(seconds: Double, launches: [String: UInt64]) -> ScenarioResult {
        let record = record.withLock { $0 }
        let verdict = record.failures.map(\.verdict).max() ?? .passed
        let standing = scenario.standing
        let remark = verdict == .passed ? standing.remarkOnPassing : standing.remarkOnFailing
        return ScenarioResult(
            id: scenario.id, name: scenario.name, tags: scenario.tags, file: scenario.file.path,
            topology: scenario.topology.name, verdict: verdict, quarantine: standing.quarantine,
            remark: remark, round: 1, seed: seed,
            seconds: seconds, commands: record.commands, failures: record.failures,
            skipped: skippedSteps.all, overheads: record.overheads,
            launches: launches, replay: replay, directory: directory)
    }

    /// Runs the steps and the tear-down in an instance that is ready.
    func perform(in instance: InstanceConnection, events: TraceBoard) {
        let pictures = FailureRecords(of: instance, directory: directory, redactor: redactor)
        self.pictures.withLock { $0 = pictures }
        let countdown = Countdown(limits.scenario) { [self] limit in
            guard !interruption.isSet else { return }
            let rule = "the scenario takes longer than \(limit), its limit (--scenario-timeout)"
            stopped(because: rule, verdict: .failed)
            interruption.set(because: rule)
        }
        let thread = StepRunner(run: self, instance: instance, events: events, bindings: known)
        thread.gate = setting.gate
        let isReady = scenario.setup.map { thread.perform($0, called: "set-up") } ?? true
        let isComplete = isReady && thread.perform(scenario.steps)
        var areFine = isComplete
        if isComplete {
            check(.afterSteps, of: thread, areFine: areFine)
        } else if interruption.isSet, !hasFailed {
            stopped(because: interruption.reason, verdict: .inconclusive)
        }
        countdown.end()
        let isKept = !runInterruption.isSet && hasFailed && setting.afterFailure?(instance) ?? false
        record.withLock { $0.isKept = isKept }
        if !isKept, let phase = scenario.tearDown, !tearDown(phase, after: thread) { areFine = false }
        check(.afterTearDown, of: thread, areFine: areFine)
    }

    /// Runs the tear-down, which has a time limit of its own.
    ///
    /// - Returns: Whether all of it passed.
    private func tearDown(_ phase: Phase, after thread: StepRunner) -> Bool {
        isTearingDown.store(true, ordering: .releasing)
        let countdown = Countdown(limits.scenario) { [self] limit in
            fail(
                "the tear-down takes longer than \(limit), its limit (--scenario-timeout), and was cut off",
                verdict: .failed)
            interruption.force()
        }
        defer { countdown.end() }
        let tearDown = StepRunner(
            run: self, instance: thread.instance, events: thread.events, bindings: thread.bindings, isTearDown: true)
        tearDown.gate = setting.gate
        tearDown.endFaults()
        return tearDown.perform(phase, called: "tear-down")
    }

    /// Executes steps that a person tries in the instance while the run is paused.
    func liveSteps(in instance: InstanceConnection) throws -> LiveSteps {
        let labFile = setting.labFile ?? scenario.file.path
        return try LiveSteps(for: instance, directory: "\(directory)/tried", labFile: Files.absolute(labFile))
    }

    /// The failures so far.
    var failures: [StepFailure] { record.withLock { $0.failures } }

    private var hasFailed: Bool { record.withLock { !$0.failures.isEmpty } }

    /// Whether the death of a process has not been reported yet.
    func isNews(_ death: RecordedHistory.Incarnation) -> Bool {
        record.withLock { $0.toldDeaths.insert(death).inserted }
    }

    /// Registers a fault armed by a step.
    func note(_ fault: ArmedFault) {
        record.withLock { $0.armedFaults.append(fault) }
    }

    /// All faults that steps have armed so far, including those that have ended.
    var armedFaults: [ArmedFault] { record.withLock { $0.armedFaults } }

    /// The step that armed a fault; nil if it was armed from outside.
    func step(that armed: ArmedFault.Identity) -> Step? {
        armedFaults.last { $0.identity == armed }?.step
    }

    /// Counts a command and the time the runner added to it.
    func count(overhead: UInt64?) {
        record.withLock { record in
            record.commands += 1
            if let overhead { record.overheads.append(overhead) }
        }
    }

    /// A step begins; from here on its waits are registered.
    func began(_ step: Step) {
        times.begin(step)
        let lines = recordSource(of: step)
        history.record(
            .stepStarted(.init(title: step.title, sentence: step.sentence(knowing: known)), lines), step: step.path)
    }

    /// A step has ended.
    func ended(_ step: Step, isFine: Bool) {
        // The waits of a stopped step are reported after all threads have left their steps.
        if !interruption.isSet { times.end(step) }
        history.record(.stepFinished(isFine: isFine), step: step.path)
    }

    /// Adds a failure for every step that was waiting when the scenario was stopped.
    ///
    /// - Parameter reason: The beginning of the sentence, "interrupted".
    func stopped(because reason: String, verdict: Verdict) {
        let waiting = times.waiting
        if waiting.isEmpty { fail("\(reason) between two steps", verdict: verdict) }
        for (step, sentence) in waiting {
            add(explain(step, "\(reason): \(sentence)", verdict: verdict, peer: step.actors.first))
        }
    }

    /// Adds a failure of the scenario as a whole.
    ///
    /// - Parameter trace: The events that show it, a line each.
    func fail(_ reason: String, verdict: Verdict, trace: [String] = []) {
        add(
            StepFailure(
                verdict: verdict, step: "", title: "", place: "", source: "", reason: reason, differences: [],
                trace: trace, replay: replay))
    }

    /// Adds a failure; secrets are removed from its texts here.
    func add(_ failure: StepFailure) {
        var failure = failure
        // Before anything ends because of it, but only once it counts: a failure that is retried, or that a race
        // allows, does not.
        let pictures = pictures.withLock { $0 }?.take()
        if !failure.step.isEmpty {
            let option = setting.labOption
            failure.sharing = pictures?.sharing?.suspect(preferring: failure.actor)
                .map { scenario.inspection("sharing \($0)", labOption: option) }
            failure.link = pictures?.link?.suspect().map { scenario.inspection("link \($0)", labOption: option) }
        }
        failure.row = scenario.rowText
        failure = failure.withTexts(redactor.redact)
        record.withLock { $0.failures.append(failure) }
        history.record(
            .failure(failure.verdict, .init(reason: failure.reason, place: failure.place)), step: failure.step)
    }

    /// The command that repeats the run.
    var replay: String { scenario.replay(seed: seed, labOption: setting.labOption) }
}
