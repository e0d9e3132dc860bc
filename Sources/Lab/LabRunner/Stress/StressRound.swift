import LabChecks
import LabKit
import LabSystem
import Synchronization

/// One round of a stress run: an instance, a player for each app, and the check of their records.
struct StressRound {
    let configuration: StressConfiguration
    let seed: UInt64
    let length: LabDuration
    /// Absolute path of the directory for traces and logs.
    let directory: String
    let executables: Executables
    let interruption: Interruption

    /// The result of a round.
    struct Outcome {
        let history: RecordedHistory
        let examination: Examination
    }

    /// The process name of the driver's own events.
    static let driver = "stress"

    /// Plays the round and checks it.
    ///
    /// - Throws: ``LabFailure`` if the lab could not play it.
    func perform() throws -> Outcome {
        try Files.createDirectory(directory)
        let instance = try LabInstance(
            topology: configuration.topology, runDirectory: directory, seed: seed, executables: executables,
            labFile: nil)
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

    /// Runs the checkers on the records of a round, also of a killed one.
    ///
    /// - Parameter traces: The directory of its traces.
    static func examine(traces: String) throws -> Outcome {
        let history = try RecordedHistory(traces: traces)
        return Outcome(history: history, examination: Examination(history, by: SharingCheckers.all + LinkCheckers.all))
    }

    private func prepare(_ instance: InstanceConnection) throws {
        _ = try TypedCall(EnrolBiometry()).perform(
            by: StressConfiguration.device, in: instance, timeout: ControlClient.patience)
    }

    /// All apps play their lists at the same time until the round ends.
    private func play(on instance: InstanceConnection, trace: TraceWriter) throws {
        let end = Deadline(after: length, of: "the round")
        let plan = StressPlan(seed: seed, processes: configuration.processes)
        let failure = FirstFailure()
        let secrets = StressSecrets()
        let threads = instance.manifest.topology.apps.filter { $0.kind == .app }.map { app in
            runOnThread(name: "play \(app.name)") { [interruption] in
                var player = StressPlayer(
                    app: app.name, instance: instance, trace: trace, secrets: secrets)
                do {
                    try player.play(plan.calls(of: app.name)) { end.isOver || interruption.isSet || failure.isSet }
                } catch {
                    failure.set(error)
                }
            }
        }
        for thread in threads { thread.join() }
        if let error = failure.error { throw error }
    }
}

/// The first failure of any player; it ends all players.
///
/// Thread rule: any thread.
private final class FirstFailure: Sendable {
    private let first = Mutex<(any Error)?>(nil)

    var error: (any Error)? { first.withLock { $0 } }
    var isSet: Bool { error != nil }

    func set(_ error: any Error) {
        first.withLock { $0 = $0 ?? error }
    }
}
