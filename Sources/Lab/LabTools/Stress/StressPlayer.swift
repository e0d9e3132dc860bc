// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabControl
import LabCore
import LabPoints
import LabSystem
import LabVocabulary
import ScenarioEngine

/// Plays the list of one app, call by call, and records requests and results.
///
/// Used by one thread.
struct StressPlayer {
    let app: String
    let instance: InstanceConnection
    let trace: TraceWriter
    let secrets: StressSecrets
    /// The number of the app's current process.
    private(set) var incarnation = 1

    /// Maximum real time for an app's answer.
    private static let patience = LabDuration.seconds(10).stretched

    /// Plays calls until the list ends or the time is almost over.
    mutating func play(_ calls: some Sequence<StressPlan.Call>, until isOver: () -> Bool) throws {
        for call in calls {
            guard !isOver() else { return }
            try play(call)
        }
    }

    private mutating func play(_ call: StressPlan.Call) throws {
        let operation = "\(app)/\(call.number)"
        var invocation: [String: JSONValue] = [:]
        invocation["token"] = call.token.map { .string($0) }
        emit(.callInvoked, operation, call, invocation)
        let fault = try begin(call.fault)
        let answer = perform(call, operation: operation)
        let hasFired = try end(fault)
        emit(.callCompleted, operation, call, answer.fields)
        if hasFired || instance.watch(of: .peer(app))?.hasEnded ?? false {
            try relaunch(wanted: false)
        } else if answer.needsNewObject {
            try relaunch(wanted: true)
        }
    }

    private func emit(
        _ event: TraceEventName, _ operation: String, _ call: StressPlan.Call, _ fields: [String: JSONValue]
    ) {
        var fields = fields
        fields["call"] = .string(call.action.rawValue)
        trace.emit(event, operation: operation, fields.merging(subject) { first, _ in first })
    }

    private var subject: [String: JSONValue] { ["peer": .string(app), "incarnation": .integer(Int64(incarnation))] }

    private mutating func perform(_ call: StressPlan.Call, operation: String) -> StressAnswer {
        if call.action == .relaunch {
            do {
                try relaunch(wanted: true)
                return .done
            } catch {
                return StressAnswer(error)
            }
        }
        return StressCalls(
            app: app, instance: instance, secrets: secrets, operation: operation, patience: Self.patience
        ).perform(call)
    }

    // MARK: Faults

    private enum Begun {
        case none
        /// The fault to disarm after the call.
        case armed(UInt32, kills: Bool)
        case timed(ThreadHandle)
    }

    private func begin(_ fault: StressPlan.Fault?) throws -> Begun {
        switch fault {
        case nil: return .none
        case .killAt(let point, let pass):
            let rule = FaultRule(point: point, process: app, action: .kill, pass: pass)
            return .armed(try instance.faults.arm(rule), kills: true)
        case .holdAt(let point, let length):
            let rule = FaultRule(point: point, process: app, action: .delay(length))
            return .armed(try instance.faults.arm(rule), kills: false)
        case .killAfter(let moment):
            return .timed(
                runOnThread(name: "kill \(app)") { [self] in
                    MonotonicClock.pause(nanoseconds: moment.nanoseconds)
                    trace.emit(.deathWanted, subject.merging(["how": "kill"]) { first, _ in first })
                    try? tell(Kill())
                })
        case .suspendAfter(let moment, let length):
            return .timed(
                runOnThread(name: "suspend \(app)") { [self] in
                    MonotonicClock.pause(nanoseconds: moment.nanoseconds)
                    try? tell(Suspend())
                    MonotonicClock.pause(nanoseconds: length.nanoseconds)
                    try? tell(Resume())
                })
        }
    }

    /// - Returns: Whether the app was killed by an armed fault.
    private func end(_ fault: Begun) throws -> Bool {
        switch fault {
        case .none: return false
        case .armed(let id, let kills):
            let hasFired = try instance.faults.disarm(id: id).contains { $0.fired > 0 }
            return hasFired && kills
        case .timed(let thread):
            thread.join()
            return false
        }
    }

    private func tell(_ command: some Command) throws {
        _ = try ActorSession(instance: instance).call(command, by: app, timeout: Self.patience)
    }

    /// Restarts the app, which may have ended.
    private mutating func relaunch(wanted isWanted: Bool) throws {
        if isWanted { trace.emit(.deathWanted, subject.merging(["how": "relaunch"]) { first, _ in first }) }
        incarnation = try ActorSession(instance: instance).call(Relaunch(), by: app, timeout: Self.patience).incarnation
    }
}

/// One round of a stress run: an instance, a player for each app, and the check of their records.
struct StressRound {
    let configuration: StressConfiguration
    let seed: UInt64
    /// The longest time for which calls are made.
    var length: LabDuration
    /// Absolute path of the directory for traces and logs.
    var directory: String
    let executables: Executables
    let interruption: Interruption
    /// The calls that are made; nil for as many of the plan as the time allows.
    var part: StressPart?

    struct Outcome {
        let history: RecordedHistory
        let examination: Examination

        /// The first rule that is broken, in the order of reports; nil if all hold.
        var brokenRule: Examination.Result? { examination.results.first { $0.verdict == .failed } }

        /// Whether a rule is broken.
        /// - Parameter rule: Its name.
        func breaks(_ rule: String) -> Bool {
            examination.results.contains { $0.name == rule && $0.verdict == .failed }
        }
    }

    /// The process name of the driver's own events.
    static let driver = "stress"

    /// The plan of which calls are made.
    var plan: StressPlan { StressPlan(seed: seed, processes: configuration.processes) }

    /// Plays the round and checks it, or throws ``LabFailure`` if the lab could not play it.
    func perform() throws -> Outcome {
        try Files.createDirectory(directory)
        let topology = part.map { configuration.smallestTopology(for: $0) } ?? configuration.topology
        let instance = try LabInstance(
            topology: topology, runDirectory: directory, seed: seed, executables: executables, labFile: nil)
        let traces = instance.manifest.tracesDirectory
        let trace = try TraceWriter(directory: traces, process: Self.driver, incarnation: 1)
        let played = Result {
            try interruption.reaching({ instance.connection.clients.interrupt() }, end: { instance.kill() }) {
                try instance.start()
                try prepare(instance.connection)
                try play(on: instance.connection, trace: trace)
            }
        }
        trace.emit(.stressEnding)
        let complaints = instance.stop()
        trace.emit(.stressEnded, ["complaints": .array(complaints.map { .string($0) })])
        let outcome = try Self.examine(traces: traces)
        // A violated rule is more important than a failure of the lab, for example that no app starts.
        if case .failure(let error) = played, !interruption.isSet, outcome.examination.verdict != .failed {
            throw error as? LabFailure ?? LabFailure("\(error). Its records are in \(directory).")
        }
        return outcome
    }

    /// Runs the checkers on the traces of a round, also of a killed one.
    static func examine(traces: String) throws -> Outcome {
        let history = try RecordedHistory(traces: traces)
        return Outcome(history: history, examination: Examination(history, by: SharingCheckers.all + LinkCheckers.all))
    }

    private func prepare(_ instance: InstanceConnection) throws {
        _ = try ActorSession(instance: instance).call(
            EnrolBiometry(), by: StressConfiguration.device, timeout: ControlClient.patience)
    }

    /// All apps play their lists at the same time until the round ends.
    private func play(on instance: InstanceConnection, trace: TraceWriter) throws {
        let end = Deadline(after: length, of: "the round")
        let plan = self.plan
        let part = self.part
        let failures = FailureList()
        let secrets = StressSecrets()
        let threads = instance.manifest.topology.apps.filter { $0.kind == .app }.map { app in
            runOnThread(name: "play \(app.name)") { [interruption] in
                var player = StressPlayer(app: app.name, instance: instance, trace: trace, secrets: secrets)
                failures.catching {
                    // The failure of one player ends all.
                    let isOver = { end.isOver || interruption.isSet || !failures.isEmpty }
                    if let part {
                        try player.play(part.calls(of: app.name), until: isOver)
                    } else {
                        try player.play(plan.calls(of: app.name), until: isOver)
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        try failures.throwFirst()
    }
}
