import Foundation
import LabFile
public import LabKit
import LabSystem
import Synchronization

/// The record of a Swift test that drives an instance: its calls as steps, and a page if it failed.
///
/// Thread rule: any thread. Every call may block.
public final class TestRecord: Sendable {
    /// A place in a test's source.
    public struct Place: Sendable {
        let file: String
        let line: Int
        let column: Int

        /// A line and column of a file, from 1.
        public init(file: String, line: Int, column: Int) {
            (self.file, self.line, self.column) = (file, line, column)
        }
    }

    /// The page's file in the directory of the instance's records.
    public static let pageName = PageReport.fileName

    private let name: String
    private let place: Place
    private let instance: LabInstance
    private let history: History
    private let redactor = Redactor()
    private let begin = MonotonicClock.nanoseconds()
    private let state = Mutex(State())

    private struct State {
        var calls = 0
        var failures: [StepFailure] = []
    }

    /// Begins the record of a test.
    ///
    /// - Parameters:
    ///   - name: The test's name.
    ///   - place: Its place in the source.
    ///   - instance: The test's instance, which records into the same directory.
    public init(of name: String, at place: Place, driving instance: LabInstance) throws {
        self.name = name
        self.place = place
        self.instance = instance
        history = try History(in: instance.manifest.runDirectory, redactor: redactor)
        let devices = instance.manifest.topology.devices.map(HistoryEvent.Device.init)
        history.record(.scenarioStarted(.init(id: name, name: name, seed: nil, devices: devices)))
    }

    /// Sends a command as the test's next step.
    ///
    /// - Parameters:
    ///   - command: Its name: a command of the lab or of the actor's own program.
    ///   - arguments: An object.
    ///   - actor: The actor's name.
    ///   - timeout: Longest time to wait for the answer, in real time.
    /// - Throws: `ControlError` if the command failed; ``BadUsage`` if the actor does not have the command or the
    ///   arguments are wrong.
    public func call(
        _ command: String, _ arguments: [String: JSONValue], by actor: String, timeout: LabDuration
    ) throws -> JSONValue {
        let (target, declaration) = try find(command, of: actor)
        do throws(ControlError) {
            _ = try declaration.checked(arguments)
        } catch {
            throw BadUsage(sentence: error.message)
        }
        for field in declaration.fields {
            if let value = arguments[field.name] { field.type.secretTexts(of: value).forEach(redactor.insert) }
        }
        let step = state.withLock { state in
            state.calls += 1
            return String(state.calls)
        }
        history.record(
            .stepStarted(.init(title: "\(actor): \(command)", sentence: declaration.summary), nil), step: step)
        let outcome = try ControlCaller(instance: instance.connection).call(
            target, command: command, arguments: .object(arguments), operation: step, timeout: timeout)
        if case .result(let value) = outcome.answer {
            declaration.result.secretTexts(of: value).forEach(redactor.insert)
            if target.kind == .process, let launched = try? value.decode(LaunchedProcess.self) {
                instance.connection.note(launched, of: actor)
            }
        }
        history.record(.command(.init(of: actor, command, ended: outcome)), step: step)
        history.record(.stepFinished(isFine: outcome.error == nil), step: step)
        switch outcome.answer {
        case .result(let value): return value
        case .error(let error): throw error
        }
    }

    private func find(_ command: String, of actor: String) throws -> (Target, CommandDeclaration) {
        guard let targets = instance.connection.actors[actor] else {
            throw BadUsage(.unknownActor(name: actor, known: instance.connection.actors.names))
        }
        for target in targets {
            if let declaration = target.command(named: command) { return (target, declaration) }
        }
        let known = targets.flatMap(\.commands).map(\.name)
        throw BadUsage(.unknownCommand(command: command, actor: actor, known: known))
    }

    /// Records a failed expectation of the test, after the calls so far.
    ///
    /// - Parameters:
    ///   - reason: The failure, in a sentence; secrets of the calls are masked.
    ///   - place: The place in the test; nil means the test as a whole.
    public func fail(_ reason: String, at place: Place?) {
        let place = place ?? self.place
        state.withLock { state in
            let text = "\(place.file):\(place.line):\(place.column)"
            let step = state.calls == 0 ? "" : String(state.calls)
            let masked = redactor.redact(reason)
            state.failures.append(
                StepFailure(
                    verdict: .failed, step: step, title: "", place: text, source: "", reason: masked,
                    differences: [], trace: [], replay: ""))
            history.record(.failure(.failed, .init(reason: masked, place: text)), step: step)
        }
    }

    /// Records the state that only the running instance can report. Called before it ends, if something failed.
    public func keepRequests() {
        ScenarioTraffic(of: instance.connection, redactor: redactor).record(in: instance.manifest.runDirectory)
    }

    /// Writes the page of a test that failed. Called after the instance has ended.
    ///
    /// - Returns: Its path.
    public func writePage() throws -> String {
        let (calls, failures) = state.withLock { ($0.calls, $0.failures) }
        let directory = instance.manifest.runDirectory
        let seconds = Double(MonotonicClock.nanoseconds() - begin) / 1e9
        let result = ScenarioResult(
            id: name, name: name, tags: [], file: place.file, topology: instance.manifest.topology.name,
            verdict: .failed, round: 1, seed: instance.manifest.seed, seconds: seconds, commands: calls,
            failures: failures, launches: instance.launchTimes, replay: "", directory: directory)
        let report = JSONReport(seed: instance.manifest.seed, seconds: seconds, results: [result])
        let path = "\(directory)/\(Self.pageName)"
        try PageReport(runs: [.init(label: "", report: report)]).write(to: path)
        return path
    }
}
