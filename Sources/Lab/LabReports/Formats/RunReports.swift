// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
package import ScenarioEngine
package import ScenarioLanguage
import Synchronization

/// The requested reports of a run: some are written during it, the others at its end.
///
/// Thread rule: any thread.
package final class RunReports: Sendable {
    private let files: [ReportFile]
    private let streams = Mutex<[Stream]>([])
    private let counts = Mutex((ended: 0, failures: 0))
    private let made: UInt64

    /// A report that is written line by line.
    private struct Stream {
        let file: ReportFile
        let descriptor: FileDescriptor
        /// Why a line could not be written; later lines would only hide that it is missing.
        var failure: (any Error)?
    }

    /// Checks that the reports can be written and overwrite nothing else.
    /// - Parameter inputs: Files that the run reads.
    /// - Throws: ``BadUsage`` with the path as given.
    package init(_ reports: [RunOptions.Report], inputs: [String]) throws {
        files = try ReportFile.check(reports, inputs: inputs)
        made = MonotonicClock.nanoseconds()
    }

    /// Seconds since the reports were created, at the beginning of their run.
    package var seconds: Double { Double(MonotonicClock.nanoseconds() - made) / 1e9 }

    /// Opens the reports that are written from the beginning.
    /// - Parameter scenarios: Number of scenarios to run; nil if known only at the end.
    /// - Throws: ``LabFailure`` with the path as given.
    package func begin(seed: UInt64, scenarios: Int?, directory: String) throws {
        let opened = try files.filter { $0.report.format == .jsonl }.map {
            Stream(file: $0, descriptor: try $0.open())
        }
        streams.withLock { $0 = opened }
        note(RunEvent.RunStarted(seed: seed, scenarios: scenarios, directory: directory))
    }

    /// A scenario begins.
    package func began(_ number: Int, _ scenario: Scenario, seed: UInt64) {
        note(RunEvent.ScenarioStarted(number: number, at: seconds, id: scenario.id, name: scenario.name, seed: seed))
    }

    /// A scenario has ended.
    package func ended(_ number: Int, _ result: ScenarioResult) {
        counts.withLock { counts in
            counts.ended += 1
            if result.isHeldAgainstRun { counts.failures += 1 }
        }
        note(RunEvent.ScenarioFinished(number: number, at: seconds, result: result))
    }

    /// Writes the reports that are written at the end.
    /// - Parameter page: The page in the run's directory; nil if nothing was run.
    /// - Throws: ``LabFailure`` with the path of a report that could not be written.
    package func end(_ report: JSONReport, page: String? = nil, outcome: RunOutcome) throws {
        let (ended, failures) = counts.withLock { $0 }
        note(RunEvent.RunFinished(at: seconds, scenarios: ended, failures: failures, exitCode: outcome.rawValue))
        for file in files { try file.write(report, page: page) }
        for stream in streams.withLock({ $0 }) {
            if let failure = stream.failure { try stream.file.explained { throw failure } }
        }
    }

    /// Adds a line to every stream.
    private func note(_ event: some Encodable & Sendable) {
        streams.withLock { streams in
            // All members are numbers, texts and lists of them.
            guard !streams.isEmpty, var line = try? JSONValue(encoding: event).encoded() else { return }
            line.append(0x0A)
            for index in streams.indices where streams[index].failure == nil {
                do {
                    try streams[index].descriptor.writeAll(line)
                } catch {
                    streams[index].failure = error
                }
            }
        }
    }
}

/// The lines of the report that is written during a run.
enum RunEvent {
    /// The scenarios are chosen; nothing has been launched yet.
    struct RunStarted: Encodable {
        package let event = "run.started"
        /// Version of the format, the same as that of a ``JSONReport``.
        package let version = JSONReport.version
        package let seed: UInt64
        /// Number of scenarios to run, each row and each repetition counted; nil if known only at the end.
        package let scenarios: Int?
        /// The directory of the run's records.
        package let directory: String
    }

    /// A scenario begins.
    struct ScenarioStarted: Encodable {
        package let event = "scenario.started"
        /// Number of the scenario in this run, from 1.
        package let number: Int
        /// Seconds since the beginning of the run.
        package let at: Double
        package let id: String
        package let name: String
        package let seed: UInt64
    }

    /// A scenario has ended.
    struct ScenarioFinished: Encodable {
        package let event = "scenario.finished"
        /// Number of the scenario in this run, from 1.
        package let number: Int
        /// Seconds since the beginning of the run.
        package let at: Double
        package let result: ScenarioResult
    }

    /// The run is over.
    struct RunFinished: Encodable {
        package let event = "run.finished"
        /// Seconds since the beginning of the run.
        package let at: Double
        /// Number of scenarios that have ended; fewer than announced if the run was cut short.
        package let scenarios: Int
        /// Number of those that count against the run.
        package let failures: Int
        let exitCode: Int32
    }
}
