internal import LabChecks
internal import LabKit
internal import LabSystem
internal import Synchronization

/// One round of a stress run: an instance, a player for each app, and the examination of what they have recorded.
struct StressRound {
    let configuration: StressConfiguration
    let seed: UInt64
    let length: LabDuration
    /// Absolute path of the directory for traces and logs.
    let directory: String
    let executables: Executables
    let interruption: Interruption

    /// What came of a round.
    struct Outcome {
        let history: RecordedHistory
        let examination: Examination
    }

    /// The process name that the driver's own events have.
    static let driver = "stress"

    /// Plays the round and examines it.
    ///
    /// - Throws: ``LabFailure`` when the lab could not play it.
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
        // A rule that is broken says more than that the lab could not go on, for example because no app starts any more.
        if case .failure(let error) = played, !interruption.isSet, outcome.examination.verdict != .failed {
            throw error as? LabFailure ?? LabFailure("\(error). Its records are in \(directory).")
        }
        return outcome
    }

    /// Holds the checkers against what a round has recorded, also one that was killed.
    ///
    /// - Parameter traces: Where its traces lie.
    static func examine(traces: String) throws -> Outcome {
        let history = try RecordedHistory(traces: traces)
        return Outcome(history: history, examination: Examination(history, by: SharingCheckers.all + LinkCheckers.all))
    }

    private func prepare(_ instance: InstanceConnection) throws {
        _ = try TypedCall(EnrolBiometry()).perform(
            by: StressConfiguration.device, in: instance, timeout: ControlClient.patience)
    }

    /// All apps play their lists at the same time until the round is over.
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

/// The failure that ends the players: the first one of any.
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
