// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
public import LabCore
import LabSystem
import LabVocabulary
public import ScenarioEngine
import ScenarioLanguage
import Synchronization

/// The record of a Swift test that drives an instance: its calls as steps, and a page if it failed.
///
/// Thread rule: any thread. Every call may block.
public final class TestRecord: Sendable {
    /// The page's file in the directory of the instance's records.
    public static let pageName = PageReport.fileName

    private let name: String
    private let place: ReportedPlace
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
    /// - Parameters:
    ///   - name: The test's name.
    ///   - place: Its place in the source.
    ///   - instance: The test's instance, which records into the same directory.
    public init(of name: String, at place: ReportedPlace, driving instance: LabInstance) throws {
        self.name = name
        self.place = place
        self.instance = instance
        history = try History(in: instance.manifest.runDirectory, redactor: redactor)
        let devices = instance.manifest.topology.devices.map(HistoryEvent.Device.init)
        history.record(.scenarioStarted(.init(id: name, name: name, seed: nil, devices: devices)))
    }

    /// Sends a command as the test's next step.
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
        let session = ActorSession(instance: instance.connection)
        let (target, declaration) = try session.find(command, of: actor)
        do throws(ControlError) {
            _ = try declaration.checked(arguments)
        } catch {
            throw BadUsage(sentence: error.message)
        }
        let step = state.withLock { state in
            state.calls += 1
            return String(state.calls)
        }
        history.record(
            .stepStarted(.init(title: "\(actor): \(command)", sentence: declaration.summary), nil), step: step)
        let outcome = try session.perform(
            declaration, of: target, arguments: arguments, step: step, timeout: timeout, recordedIn: history)
        history.record(.stepFinished(isFine: outcome.error == nil), step: step)
        return try outcome.answer.get()
    }

    /// Records a failed expectation of the test, after the calls so far.
    /// - Parameters:
    ///   - reason: The failure, in a sentence; secrets of the calls are masked.
    ///   - place: The place in the test; nil means the test as a whole.
    public func fail(_ reason: String, at place: ReportedPlace?) {
        state.withLock { state in
            let failure = StepFailure(
                verdict: .failed, step: state.calls == 0 ? "" : String(state.calls), place: place ?? self.place,
                reason: reason, replay: "")
            state.failures.append(failure)
            history.record(.failure(failure.verdict, .init(failure)), step: failure.step)
        }
    }

    /// Records the state that only the running instance can report. Called before it ends, if something failed.
    public func keepRequests() {
        ScenarioTraffic(instance: instance.connection, redactor: redactor).record(in: instance.manifest.runDirectory)
    }

    /// Writes the page of a test that failed. Called after the instance has ended.
    /// - Returns: Its path.
    public func writePage() throws -> String {
        let (calls, failures) = state.withLock { ($0.calls, $0.failures) }
        let directory = instance.manifest.runDirectory
        let seconds = Double(MonotonicClock.nanoseconds() - begin) / 1e9
        let result = ScenarioResult(
            id: name, name: name, tags: [], file: place.file, topology: instance.manifest.topology.name,
            verdict: .failed, round: 1, seed: instance.manifest.seed, seconds: seconds, commands: calls,
            failures: failures.map { $0.withTexts(redactor.redact) }, launches: instance.launchTimes, replay: "",
            directory: directory)
        let report = JSONReport(seed: instance.manifest.seed, seconds: seconds, results: [result])
        let path = "\(directory)/\(Self.pageName)"
        try PageReport(runs: [.init(label: "", report: report)]).write(to: path)
        return path
    }
}
