import LabFile
import LabKit

/// The places at which a run stops, so that a person can inspect the instance.
public struct PausePoints: Sendable, Equatable {
    /// A line of a scenario.
    public struct Line: Sendable, Equatable {
        /// The scenario's file, or the end of its path; nil for every file.
        public let file: String?
        /// The line, from 1.
        public let number: Int

        /// The spelling for people.
        var text: String { (file.map { "\($0):" } ?? "") + "\(number)" }
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
    ///
    /// - Throws: ``BadUsage`` for an invalid place.
    public mutating func add(_ text: String) throws {
        if TraceEventName.all.contains(where: { $0.rawValue == text }) {
            events.insert(text)
        } else if let line = Self.line(text) {
            lines.append(line)
        } else {
            let advice = nearest(text, among: Set(TraceEventName.all.map(\.rawValue))).map { "; did you mean `\($0)`?" }
            throw BadUsage(
                sentence: "--pause-at takes a line such as 12 or flow.yaml:12, or the name of an event, not `\(text)`"
                    + (advice ?? ""))
        }
    }

    private static func line(_ text: String) -> Line? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let number = parts.last.flatMap({ Int($0) }), number > 0 else { return nil }
        let file = parts.dropLast().joined(separator: ":")
        return parts.count > 1 && file.isEmpty ? nil : Line(file: parts.count > 1 ? file : nil, number: number)
    }

    /// Checks that a step begins on every line that was named.
    ///
    /// - Throws: ``BadUsage`` for the first line on which no step begins.
    func check(_ scenarios: [Scenario]) throws {
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
    func include(_ step: Step) -> Bool { lines.contains { Self.begins(step, on: $0) } }

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
