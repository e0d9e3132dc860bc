// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
public import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// How often events occurred in a run and how long they took, from the traces of its scenarios.
public struct RunStatistics: Encodable, Equatable, Sendable {
    /// An activity with a beginning and an end.
    struct Duration: Encodable, Equatable, Sendable {
        let name: String
        /// Number of completed activities.
        let count: Int
        let medianMilliseconds: Double
        let longestMilliseconds: Double
    }

    /// An event without a duration.
    struct Count: Encodable, Equatable, Sendable {
        let name: String
        let count: Int
    }

    /// Version of the JSON form; increased when a member changes its meaning or is removed.
    let version = 1
    let run: String
    /// Number of scenarios with a trace.
    let scenarios: Int
    /// Sorted by name.
    let durations: [Duration]
    /// Sorted by name.
    let counts: [Count]

    /// - Parameters:
    ///   - run: The run's identifier.
    ///   - traces: The events of each scenario, in the order of time.
    init(run: String, traces: [[TraceEvent]]) {
        self.run = run
        scenarios = traces.count
        var tally = Tally()
        for trace in traces { tally.add(trace) }
        durations = tally.durations.map { name, times in
            let sorted = times.sorted()
            return Duration(
                name: name, count: sorted.count,
                medianMilliseconds: Double(sorted[(sorted.count - 1) / 2]) / 1_000_000,
                longestMilliseconds: Double(sorted.last ?? 0) / 1_000_000)
        }.sorted { $0.name < $1.name }
        counts = tally.counts.map { Count(name: $0, count: $1) }.sorted { $0.name < $1.name }
    }

    /// The document for programs, with sorted keys.
    public func json() throws -> String {
        try JSONTextEncoder.document(self) + "\n"
    }

    /// The tables for people.
    public var text: String {
        let width = (durations.map(\.name) + counts.map(\.name)).map(\.count).max() ?? 0
        func line(_ name: String, _ columns: [String]) -> String {
            let cells = columns.map { String(repeating: " ", count: max(0, 11 - $0.count)) + $0 }
            return "  \(name.padding(toLength: width, withPad: " ", startingAt: 0))\(cells.joined())\n"
        }
        func time(_ milliseconds: Double) -> String { String(format: "%.2f ms", milliseconds) }
        let heading = "run \(run), \(FailureText.counted(scenarios, "scenario"))\n"
        return heading + line("", ["count", "median", "longest"])
            + durations.map {
                line($0.name, [String($0.count), time($0.medianMilliseconds), time($0.longestMilliseconds)])
            }
            .joined()
            + counts.map { line($0.name, [String($0.count)]) }.joined()
    }

    /// Pairs beginnings with ends.
    private struct Tally {
        var durations: [String: [UInt64]] = [:]
        var counts: [String: Int] = [:]
        /// Activities of one scenario that have begun and not ended.
        private var open: [String: [UInt64]] = [:]

        mutating func add(_ trace: [TraceEvent]) {
            open = [:]
            for event in trace { add(event) }
        }

        private mutating func add(_ event: TraceEvent) {
            func text(_ name: String) -> String { event.fields[name]?.stringValue ?? "" }
            switch event.name {
            case .httpRequest: begin("request \(text("path"))", event)
            case .httpResponse: end("request \(text("path"))", event)
            case .httpFailed:
                drop("request \(text("path"))", event)
                count("requests without an answer")
            case .lockRequested: begin("wait for the \(text("lock")) lock", event)
            case .lockTaken:
                end("wait for the \(text("lock")) lock", event)
                begin("hold the \(text("lock")) lock", event)
            case .lockReleased: end("hold the \(text("lock")) lock", event)
            case .operationStarted: begin("operation \(text("type"))", event)
            case .operationFinished: end("operation \(text("type"))", event)
            case .processStarted: begin("launch", event)
            case .processReady: end("launch", event)
            case .counterUsed: count("signatures with \(text("factor"))")
            case .keychainWritten: count("keychain items written")
            case .linkAccepted: count("watch messages accepted, \(text("kind"))")
            case .linkSent where event.fields["isRetransmission"] == .bool(true): count("watch messages sent again")
            case .faultFired: count("faults fired at \(text("point"))")
            case .processEnded where !text("signal").isEmpty: count("processes ended by \(text("signal"))")
            default: break
            }
        }

        /// The process of an activity: only the process that began it ends it.
        private func key(_ name: String, _ event: TraceEvent) -> String {
            "\(event.process)#\(event.incarnation) \(name)"
        }

        private mutating func begin(_ name: String, _ event: TraceEvent) {
            open[key(name, event), default: []].append(event.time)
        }

        private mutating func end(_ name: String, _ event: TraceEvent) {
            guard let begin = drop(name, event) else { return }
            durations[name, default: []].append(event.time - min(begin, event.time))
        }

        @discardableResult
        private mutating func drop(_ name: String, _ event: TraceEvent) -> UInt64? {
            guard let first = open[key(name, event)]?.first else { return nil }
            open[key(name, event)]?.removeFirst()
            return first
        }

        private mutating func count(_ name: String) { counts[name, default: 0] += 1 }
    }
}

extension RecordedRuns {
    /// Counts the events in the traces of a run.
    /// - Parameter name: The run's identifier or directory; nil means the last run.
    /// - Throws: ``BadUsage`` if the run does not exist.
    public func statistics(of name: String?) throws -> RunStatistics {
        // The name `latest` is a link.
        let run = IncludedFiles.identity(of: try directory(of: name))
        let traces = try Files.list(run).sorted().map { "\(run)/\($0)/traces" }.filter(Files.isDirectory)
        return RunStatistics(run: Files.name(of: run), traces: try traces.map { try TraceReader.readAll($0) })
    }
}
