// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabChecks
import LabCore
import LabFile
import LabSystem
package import ScenarioLanguage
import Synchronization

/// One scenario running in an instance of its own.
///
/// Thread rule: `perform` is called once, on a thread that may block; everything else is for the threads that it
/// starts.
package final class ScenarioRun: Sendable {
    package let scenario: Scenario
    package let seed: UInt64
    package let history: History
    package var redactor: Redactor { history.redactor }
    /// Ends this scenario; the run's interruption and the scenario's time limit trigger it.
    package let interruption = Interruption()
    package let limits: TimeLimits
    let times = StepTimes()
    let armedFaults = ArmedFaults()
    package let failures: RunFailures
    /// The values known before the first step.
    package let known: Bindings
    /// Absolute path of the directory for history and logs.
    package let directory: String
    private let setting: Setting
    var explored: ExploredBlock? { setting.explored }
    private let runInterruption: Interruption
    private let isTearingDown = Atomic(false)
    let record = Mutex(Record())

    /// The settings that all scenarios of a run share.
    package struct Setting: Sendable {
        package var executables: Executables
        /// Absolute path of the lab file.
        package var labFile: String?
        package var limits = TimeLimits()
        /// The value of `--lab`, which a replay needs again.
        package var labOption: String?
        /// Inspects the instance of a scenario that did not pass, before its tear-down, and decides whether to keep it.
        package var afterFailure: (@Sendable (InstanceConnection) -> Bool)?
        /// Pauses before steps until a person continues the run; nil for no pauses.
        package var gate: StepGate?
        /// The block whose turns are decided here and not by the scenario; nil for none.
        package var explored: ExploredBlock?
        /// The set-ups that rows share; nil lets each row carry out its own.
        package var sharedSetups: SharedSetups?
        /// Takes over a kept instance.
        package var keep: @Sendable (LabInstance) -> Void = { _ in }

        package init(
            executables: Executables, labFile: String? = nil, limits: TimeLimits = TimeLimits(),
            labOption: String? = nil, afterFailure: (@Sendable (InstanceConnection) -> Bool)? = nil,
            gate: StepGate? = nil, sharedSetups: SharedSetups? = nil,
            keep: @escaping @Sendable (LabInstance) -> Void = { _ in }
        ) {
            self.executables = executables
            self.labFile = labFile
            self.limits = limits
            self.labOption = labOption
            self.afterFailure = afterFailure
            self.gate = gate
            self.sharedSetups = sharedSetups
            self.keep = keep
        }
    }

    struct Record {
        var overheads: [UInt64] = []
        var commands = 0
        var toldDeaths: Set<RecordedHistory.Incarnation> = []
        /// The steps whose `when` did not hold, each once; their texts may show secrets.
        var skipped: [SkippedStep] = []
        /// The paths of the files whose content is recorded already.
        var sources: Set<String> = []
        var isKept = false
        /// The numbers of the steps that have begun.
        var begun: Set<String> = []
    }

    /// - Parameters:
    ///   - traces: the trace directory of an instance that is not the scenario's own.
    ///   - redactor: one that knows the secrets already; nil for a new one with those of the scenario.
    package init(
        _ scenario: Scenario, seed: UInt64, directory: String, setting: Setting, interruption: Interruption,
        traces: String? = nil, redactor: Redactor? = nil
    ) throws {
        self.scenario = scenario
        self.seed = seed
        self.directory = directory
        self.setting = setting
        var limits = setting.limits
        // A person may take any time.
        if setting.gate != nil { limits.scenario = nil }
        self.limits = limits
        runInterruption = interruption
        let redactor = redactor ?? Redactor(secrets: scenario.secretTexts)
        known = scenario.drawn(seed: seed, hiddenBy: redactor)
        try Files.createDirectory(directory)
        history = try History(in: directory, redactor: redactor)
        failures = RunFailures(
            of: scenario, seed: seed, labOption: setting.labOption, known: known, history: history,
            traces: traces ?? "\(directory)/traces", times: times, armedFaults: armedFaults)
    }

    /// The phases that a run carries out.
    enum Extent {
        case all
        /// The set-up, whose state rows begin with.
        case setup
        /// Everything behind the set-up, whose state is there.
        case rest(SharedSetup)
    }

    /// Runs the scenario from the creation of its instance to the check that nothing of it is left. A shared set-up is
    /// carried out if that has not been done.
    package func perform() -> ScenarioResult {
        guard scenario.sharesSetup, let setups = setting.sharedSetups else { return perform(from: nil) }
        switch setups.start(of: scenario, seed: seed, setting: setting, interruption: runInterruption) {
        case .state(let setup): return perform(from: setup)
        case .failed(let result): return result
        case .unavailable(let reason):
            var result = ScenarioResult(
                notRun: scenario, id: scenario.id, round: 1, seed: seed, labOption: setting.labOption)
            result.failures = [StepFailure(verdict: .notRun, reason: reason, replay: result.replay)]
            return result
        }
    }

    private func perform(from setup: SharedSetup?) -> ScenarioResult {
        if let setup { adopt(setup.knowledge) }
        return inInstance(after: setup) { instance in
            if let setup {
                try recording(setup.knowledge) { try instance.start(from: setup) }
            } else {
                try instance.start()
            }
            _ = perform(setup.map(Extent.rest) ?? .all, in: instance.connection, events: instance.events)
            ScenarioTraffic(instance: instance.connection, redactor: redactor).record(in: directory)
        } end: { instance in
            instance.end(isKept: record.withLock { $0.isKept })
        }
    }

    /// Creates the instance of the run, uses it, ends it, and checks what it leaves.
    /// - Parameters:
    ///   - setup: The shared set-up whose state the instance gets.
    ///   - body: Starts and uses the instance.
    ///   - end: Ends it, and returns what was left behind, a sentence each.
    func inInstance(
        after setup: SharedSetup? = nil, _ body: (ScenarioInstance) throws -> Void,
        end: (ScenarioInstance) -> [String]
    ) -> ScenarioResult {
        let begin = MonotonicClock.nanoseconds()
        history.record(
            .scenarioStarted(
                .init(
                    id: scenario.id, name: scenario.name, seed: String(seed),
                    devices: scenario.topology.devices.map(HistoryEvent.Device.init))))
        var launches: [String: UInt64] = [:]
        do {
            let instance = try ScenarioInstance(of: scenario, seed: seed, directory: directory, setting: setting)
            runInterruption.passing(to: interruption) {
                interruption.reaching {
                    self.endWaiting(in: instance.connection, events: instance.events)
                } end: {
                    instance.kill()
                } during: {
                    do {
                        try body(instance)
                    } catch {
                        let reason =
                            interruption.isSet
                            ? "\(interruption.reason) while the lab started" : "the lab did not start: \(error)"
                        failures.fail(reason, verdict: .inconclusive)
                    }
                }
            }
            launches = instance.launchTimes
            let remains = end(instance)
            checkEnd(
                remains: remains, traces: instance.connection.manifest.tracesDirectory,
                after: setup?.knowledge.storedStates ?? [])
        } catch {
            failures.fail("the instance could not be created: \(error)", verdict: .inconclusive)
        }
        let result = result(seconds: Double(MonotonicClock.nanoseconds() - begin) / 1e9, launches: launches)
        history.record(.scenarioFinished(result.verdict))
        return result
    }

    /// Ends the waits of the steps after an interruption; a tear-down is not disturbed.
    func endWaiting(in instance: InstanceConnection, events: TraceBoard) {
        guard !isTearingDown.load(ordering: .acquiring) else { return }
        events.endWaits(in: instance)
    }

    package func result(seconds: Double, launches: [String: UInt64]) -> ScenarioResult {
        let record = record.withLock { $0 }
        let failures = failures.all
        let verdict = failures.map(\.verdict).max() ?? .passed
        let standing = scenario.standing
        let remark = verdict == .passed ? standing.remarkOnPassing : standing.remarkOnFailing
        return ScenarioResult(
            id: scenario.id, name: scenario.name, tags: scenario.tags, file: scenario.file.path,
            topology: scenario.topology.name, verdict: verdict, quarantine: standing.quarantine,
            remark: remark, round: 1, seed: seed, seconds: seconds, commands: record.commands, failures: failures,
            skipped: record.skipped.isEmpty ? nil : record.skipped.map { $0.withTexts(redactor.redact) },
            overheads: record.overheads, launches: launches, replay: self.failures.replay, directory: directory)
    }

    /// Runs the steps and the tear-down in an instance that is ready.
    package func perform(in instance: InstanceConnection, events: TraceBoard) {
        _ = perform(.all, in: instance, events: events)
    }

    /// Runs phases in an instance that is ready.
    /// - Returns: The values at their end.
    func perform(_ extent: Extent, in instance: InstanceConnection, events: TraceBoard) -> Bindings {
        failures.observe(instance, recordingIn: directory)
        let countdown = Countdown(limits.scenario) { [self] limit in
            guard !interruption.isSet else { return }
            let rule = "the scenario takes longer than \(limit), its limit (--scenario-timeout)"
            failures.stopped(because: rule, verdict: .failed)
            interruption.set(because: rule)
        }
        let thread = StepRunner(run: self, instance: instance, events: events, bindings: known)
        thread.gate = setting.gate
        var areFine: Bool
        var isOver = true
        switch extent {
        case .all:
            areFine = scenario.setup.map { thread.perform($0, called: "set-up") } ?? true
            areFine = areFine && thread.perform(scenario.steps)
        case .setup:
            areFine = scenario.setup.map { thread.perform($0, called: "set-up") } ?? true
            // The rows go on with it, and their faults may still fire.
            isOver = !areFine
            if areFine { checkDeaths(in: instance) }
        case .rest(let setup):
            thread.bindings = setup.knowledge.bindings
            areFine = thread.perform(scenario.steps)
        }
        if areFine {
            if isOver { check(.afterSteps, of: thread, areFine: areFine) }
        } else {
            recordNotRun(extent)
            if interruption.isSet, failures.isEmpty {
                failures.stopped(because: interruption.reason, verdict: .inconclusive)
            }
        }
        countdown.end()
        let isKept = !runInterruption.isSet && !failures.isEmpty && setting.afterFailure?(instance) ?? false
        record.withLock { $0.isKept = isKept }
        if !isKept, isOver, let phase = scenario.tearDown, !tearDown(phase, after: thread) { areFine = false }
        check(.afterTearDown, of: thread, areFine: areFine)
        return thread.bindings
    }

    /// Runs the tear-down, which has a time limit of its own.
    /// - Returns: Whether all of it passed.
    private func tearDown(_ phase: Phase, after thread: StepRunner) -> Bool {
        isTearingDown.store(true, ordering: .releasing)
        let countdown = Countdown(limits.scenario) { [self] limit in
            failures.fail(
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

    /// Whether the death of a process has not been reported yet.
    func isNews(_ death: RecordedHistory.Incarnation) -> Bool {
        record.withLock { $0.toldDeaths.insert(death).inserted }
    }

    /// Counts a command and the time the runner added to it.
    package func count(overhead: UInt64?) {
        record.withLock { record in
            record.commands += 1
            if let overhead { record.overheads.append(overhead) }
        }
    }
}
