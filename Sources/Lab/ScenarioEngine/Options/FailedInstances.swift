// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabFile
import LabPoints
import LabSystem
package import ScenarioLanguage
import Synchronization

/// What happens to the instance of a scenario that did not pass.
public enum FailureHandling: Sendable, Equatable {
    /// Its tear-down runs, and it ends.
    case ends
    /// The first one is kept until the runner is interrupted.
    case isKept
    /// It is kept until a line arrives from a descriptor; then its tear-down runs, and it ends.
    case pauses(until: Int32)
}

/// The instances of scenarios that did not pass, kept for inspection.
///
/// Thread rule: any thread.
package final class FailedInstances: Sendable {
    private let handling: FailureHandling
    private let printer: ProgressPrinter
    private let kept = Mutex<LabInstance?>(nil)
    private let isTaken = Atomic(false)
    /// One pause at a time: there is one person.
    private let pause = Mutex(())

    package init(_ handling: FailureHandling, printer: ProgressPrinter) {
        self.handling = handling
        self.printer = printer
    }

    /// Called between the failed steps and the tear-down.
    /// - Parameter interruption: Ends a pause.
    /// - Returns: Whether to keep the instance.
    package func handle(_ instance: InstanceConnection, interruption: Interruption) -> Bool {
        switch handling {
        case .ends: return false
        case .isKept:
            guard !isTaken.exchange(true, ordering: .acquiringAndReleasing) else { return false }
            printer.print(
                """
                instance \(instance.manifest.id) is kept as the failed step has left it, without its tear-down
                \(Self.advice(on: instance))
                  end it:        lab down --instance \(instance.manifest.id)

                """)
            return true
        case .pauses(let input):
            pause.withLock { _ in
                guard !interruption.isSet else { return }
                printer.print(
                    """
                    paused: instance \(instance.manifest.id) is as the failed step has left it
                    \(Self.advice(on: instance))
                      continue with the tear-down: press Enter

                    """)
                // Nothing expires during the inspection.
                instance.clock.whileFrozen {
                    _ = printer.whileAsking { ConsoleInput(input).line(interruption: interruption) }
                }
            }
            return false
        }
    }

    private static func advice(on instance: InstanceConnection) -> String {
        let actor = instance.manifest.topology.apps.first?.name ?? "server"
        return "  look into it:  lab exec --instance \(instance.manifest.id) \(actor) hasValidActivation"
    }

    /// Takes over a kept instance.
    package func keep(_ instance: LabInstance) { kept.withLock { $0 = instance } }

    /// Holds the kept instance, if any, until the runner is interrupted, and then ends it.
    /// - Returns: Problems at its end.
    package func holdKept(until interruption: Interruption) -> [String] {
        guard let instance = kept.withLock({ $0 }) else { return [] }
        printer.print("instance \(instance.manifest.id) is held here; Ctrl-C ends it\n")
        let isInterrupted = OneShot<Void>()
        return interruption.reaching({ isInterrupted.set() }, end: { instance.kill() }) {
            isInterrupted.wait()
            return instance.stop()
        }
    }
}

/// The places at which a run stops, so that a person can inspect the instance.
public struct PausePoints: Sendable, Equatable {
    /// A line of a scenario.
    public struct Line: Sendable, Equatable {
        /// The scenario's file, or the end of its path; nil for every file.
        public let file: String?
        /// The line, from 1.
        public let number: Int

        /// The spelling for people.
        package var text: String { (file.map { "\($0):" } ?? "") + "\(number)" }
    }

    /// Before every step.
    public var everyStep = false
    /// Before the steps that begin on these lines.
    public private(set) var lines: [Line] = []
    /// Before the step that comes after one of these events.
    public private(set) var events: Set<String> = []

    /// Nowhere.
    public init() {}

    /// Whether the run stops nowhere.
    public var isEmpty: Bool { self == PausePoints() }

    /// Adds a place: a line, a line of a file, or the name of an event.
    /// - Throws: ``BadUsage`` for an invalid place.
    public mutating func add(_ text: String) throws {
        if TraceEventName(rawValue: text) != nil {
            events.insert(text)
        } else if let line = Self.line(text) {
            lines.append(line)
        } else {
            let names = Set(TraceEventName.allCases.map(\.rawValue))
            throw BadUsage(
                sentence: "--pause-at takes a line such as 12 or flow.yaml:12, or the name of an event, not `\(text)`"
                    + suggestion(for: text, among: names))
        }
    }

    private static func line(_ text: String) -> Line? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let number = parts.last.flatMap({ Int($0) }), number > 0 else { return nil }
        let file = parts.dropLast().joined(separator: ":")
        return parts.count > 1 && file.isEmpty ? nil : Line(file: parts.count > 1 ? file : nil, number: number)
    }

    /// Checks that a step begins on every line that was named.
    /// - Throws: ``BadUsage`` for the first line on which no step begins.
    package func check(_ scenarios: [Scenario]) throws {
        let steps = Self.stops(scenarios.flatMap(\.allSteps))
        for line in lines where !steps.contains(where: { Self.begins($0, on: line) }) {
            let others = steps.filter { Self.isIn($0, line.file) }.map(\.place.range.start.line)
            let next = Set(others).min { abs($0 - line.number) < abs($1 - line.number) }
            throw BadUsage(
                sentence: "no step at which a run can stop begins on line \(line.text)"
                    + (next.map { "; the nearest one begins on line \($0)" } ?? "")
                    + ". Inside `eventually`, `race` and `parallel` it does not stop")
        }
    }

    /// Whether the run stops before a step in any case.
    package func include(_ step: Step) -> Bool { lines.contains { Self.begins(step, on: $0) } }

    private static func begins(_ step: Step, on line: Line) -> Bool {
        isIn(step, line.file) && step.place.range.start.line == line.number
    }

    private static func isIn(_ step: Step, _ file: String?) -> Bool {
        file.map { step.place.file.path == $0 || step.place.file.path.hasSuffix("/\($0)") } ?? true
    }

    /// The steps at which a run can stop: neither those that are retried, nor those that run in parallel.
    private static func stops(_ steps: [Step]) -> [Step] {
        steps.flatMap { step in
            switch step.action {
            case .eventually, .race, .parallel: [step]
            case .never(.answer, let inner): [step] + stops(inner)
            default: [step] + stops(step.inner)
            }
        }
    }
}
