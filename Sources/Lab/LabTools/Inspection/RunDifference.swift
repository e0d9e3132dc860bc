// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
public import LabReports
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// The differences between two recorded runs of the same scenarios: for each process the first event that differs.
public struct RunDifference: Sendable {
    /// The lines for people.
    public let text: String
    /// Whether all events are equal.
    public let isSame: Bool

    /// Number of equal events shown before those that differ.
    private static let context = 2
    /// Maximum length of a line, in characters; longer lines are cut.
    private static let longestLine = 160

    struct Side {
        /// The name that the user gave.
        let name: String
        /// Its results, one per scenario.
        let results: [String: ScenarioResult]

        /// - Parameters:
        ///   - results: of several rounds of a scenario the first one that did not pass is used, else the first.
        init(name: String, results: [ScenarioResult]) {
            self.name = name
            self.results = Dictionary(grouping: results, by: \.scenario).compactMapValues { rounds in
                let rounds = rounds.sorted { $0.round < $1.round }
                return rounds.first { $0.verdict != .passed } ?? rounds.first
            }
        }
    }

    /// Compares scenario by scenario.
    init(_ first: Side, _ second: Side) {
        var lines = ["- \(first.name)", "+ \(second.name)"]
        var isSame = true
        for id in Set(first.results.keys).union(second.results.keys).sorted() {
            let found = Self.difference(of: first.results[id], second.results[id])
            isSame = isSame && found == nil
            lines.append("")
            lines.append("\(id): " + (found?.headline ?? "the same in both"))
            lines += found?.lines ?? []
        }
        text = lines.map(\.onOneVisibleLine).joined(separator: "\n") + "\n"
        self.isSame = isSame
    }

    /// - Returns: nil if there is no difference.
    private static func difference(
        of first: ScenarioResult?, _ second: ScenarioResult?
    ) -> (headline: String, lines: [String])? {
        let results = [first, second]
        let verdicts = results.map { $0?.verdict.rawValue ?? "not played" }
        let headline =
            verdicts[0] == verdicts[1]
            ? "\(verdicts[0]) in both, and not the same" : verdicts.joined(separator: ", then ")
        let courses = results.map { $0.flatMap { ComparableRun(recordedIn: $0.directory) } }
        guard let one = courses[0], let other = courses[1] else {
            // A scenario that neither run played is equal in both.
            guard courses.contains(where: { $0 != nil }) || verdicts[0] != verdicts[1] else { return nil }
            return (headline, ["  \(courses[0] == nil ? "the first" : "the second") run has recorded nothing of it"])
        }
        let lines = lines(one, other)
        return lines.isEmpty && verdicts[0] == verdicts[1] ? nil : (headline, lines)
    }

    /// The first difference of every process, earliest first.
    static func lines(_ first: ComparableRun, _ second: ComparableRun) -> [String] {
        let names = Set(first.processes.keys).union(second.processes.keys).sorted()
        let partings = names.compactMap { Parting(of: $0, in: first, second) }
        return partings.sorted { ($0.time, $0.process) < ($1.time, $1.process) }.flatMap(\.lines)
    }

    /// The first difference between the events of one process.
    private struct Parting {
        let process: String
        private let moments: [[ComparableRun.Moment]]
        private let place: Int

        /// Nil when they are equal.
        init?(of process: String, in first: ComparableRun, _ second: ComparableRun) {
            moments = [first, second].map { $0.processes[process] ?? [] }
            self.process = process
            let common = zip(moments[0], moments[1]).prefix { $0.essence == $1.essence }.count
            guard moments.contains(where: { $0.count > common }) else { return nil }
            place = common
        }

        var time: UInt64 { moments.compactMap { $0.dropFirst(place).first?.time }.min() ?? .max }

        var lines: [String] {
            let what = process == "steps" ? "the steps part" : "\(process) parts"
            let before = max(0, place - context)
            let same = moments[1][before..<place].enumerated().map { line(" ", before + $0.offset, $0.element) }
            let parting = zip(["-", "+"], moments).flatMap { sign, moments in
                moments.count > place
                    ? moments[place...].prefix(1 + context).enumerated().map {
                        line(sign, place + $0.offset, $0.element)
                    }
                    : ["  \(sign)       nothing more"]
            }
            return ["  \(what) at \(place + 1):"] + same + parting
        }

        private func line(_ sign: String, _ index: Int, _ moment: ComparableRun.Moment) -> String {
            let number = String(index + 1)
            let text = "  \(sign) \(String(repeating: " ", count: max(0, 4 - number.count)))\(number)  \(moment.text)"
            return text.count > longestLine ? text.prefix(longestLine - 1) + "…" : text
        }
    }
}

extension RecordedRuns {
    /// Compares two runs.
    /// - Parameters:
    ///   - first: identifier or directory of a run; `latest` means the last one.
    ///   - second: the same for the other run.
    ///   - path: a scenario, a row of one, or a directory of them; nil compares all.
    /// - Throws: ``BadUsage`` if a run does not exist, or neither run has played the scenario.
    public func difference(of first: String, and second: String, in path: String?) throws -> RunDifference {
        let runs = try [first, second].map { try run(in: try directory(of: $0)) }
        guard runs[0].directory != runs[1].directory else {
            throw BadUsage(sentence: "\(first) and \(second) are the same run; name two")
        }
        let sides = runs.map { run in
            RunDifference.Side(
                name: Files.name(of: run.directory),
                results: run.report.results.filter { result in path.map { concerns(result.scenario, path: $0) } ?? true
                })
        }
        if let path, sides.allSatisfy({ $0.results.isEmpty }) {
            throw BadUsage(
                sentence: "neither run has played \(path); `lab history` lists what the kept runs have played")
        }
        return RunDifference(sides[0], sides[1])
    }
}

/// The actions of each process in a recorded scenario, from the first step to the end of the last, in a form that can
/// be compared with another run.
///
/// Times, identifiers and keys are left out, as on the page of two runs (`CReportPage/front/compare.js`), and so are
/// the decisions of the scheduler: the start of the topology's processes is ignored; because threads interleave
/// differently each time, only events of one kind keep their order within a step; retries of a step count once.
struct ComparableRun {
    /// One recorded action.
    struct Moment {
        let text: String
        /// The same without the parts that differ in every run.
        let essence: String
        /// Nanoseconds since the first step began.
        let time: UInt64
        /// The step that caused it; empty outside of steps.
        fileprivate let step: String
        /// The group of events that keep their order within a step.
        fileprivate let track: String
    }

    /// The actions by process, such as `main#1`; the steps count as one process.
    let processes: [String: [Moment]]

    /// Reads the record of a scenario; nil if nothing is recorded. The path is empty if the scenario did not run.
    init?(recordedIn directory: String) {
        guard let history = History.read(in: directory) else { return nil }
        self.init(history: history, events: (try? TraceReader.readAll("\(directory)/traces")) ?? [])
    }

    init(history: [HistoryEvent], events: [TraceEvent]) {
        let begin = history.first { $0.kind == .stepStarted }?.time ?? 0
        // The end of the processes is not part of the scenario. A killed run has none.
        let last = history.last { $0.kind == .stepFinished }?.time ?? .max
        var moments = ["steps": Self.steps(in: history, since: begin)]
        let ready = Dictionary(
            events.filter { $0.name == .processReady }.map { ($0.processStart, $0.time) },
            uniquingKeysWith: min)
        // The steps whose commands each process carries out: work on other threads names no step.
        var open: [String: [String]] = [:]
        for event in events where (begin...last).contains(event.time) && !Self.unsteadyEvents.contains(event.name) {
            let process = event.processStart
            let step = event.operation ?? open[process]?.last ?? ""
            switch event.name {
            case .commandStarted: open[process, default: []].append(step)
            case .commandFinished: open[process]?.removeAll { $0 == step }
            default: break
            }
            // The processes of the topology start by themselves; on a busy machine some are still starting in the first
            // step.
            guard !step.isEmpty || event.incarnation > 1 || event.time >= ready[process] ?? 0 else { continue }
            let fields = event.fields.filter { !Self.unsteadyFields.contains($0.key) }
            moments[process, default: []].append(
                Moment(
                    text: (step.isEmpty ? "" : "step \(step) ") + event.text,
                    essence: "\(step) \(event.name.rawValue) \(Self.essence(of: .object(fields)))",
                    time: event.time - begin, step: step, track: event.track))
        }
        let commands = history.filter { $0.kind == .command }.compactMap(\.step)
        let retried = Set(Dictionary(grouping: commands) { $0 }.filter { $0.value.count > 1 }.keys)
        processes = moments.mapValues { Self.ordered($0, once: retried) }
    }

    /// The start of processes and the waits for a lock differ in every run.
    private static let unsteadyEvents: Set<TraceEventName> = [.processStarted, .processReady, .lockRequested]
    /// A private key is saved without leading zero bytes (protocol.md, section 2.1), so the length of a state varies.
    private static let unsteadyFields: Set<String> = ["pid", "port", "milliseconds", "bytes"]

    /// The events by step, and within a step by kind.
    /// - Parameter retried: the steps whose repeated events count once.
    private static func ordered(_ moments: [Moment], once retried: Set<String>) -> [Moment] {
        var seen: Set<String> = []
        let kept = moments.filter { !retried.contains($0.step) || seen.insert($0.essence).inserted }
        let keyed = kept.enumerated().map { offset, moment in
            (path: moment.step.split(separator: ".").map { Int($0) ?? 0 }, moment: moment, offset: offset)
        }
        return keyed.sorted { left, right in
            if left.path != right.path { return left.path.lexicographicallyPrecedes(right.path) }
            return (left.moment.track, left.offset) < (right.moment.track, right.offset)
        }.map(\.moment)
    }

    /// The steps with the answers of their commands.
    private static func steps(in history: [HistoryEvent], since begin: UInt64) -> [Moment] {
        history.compactMap { event in
            guard let path = event.step else { return nil }
            let (words, facts): (String, JSONValue)
            switch event.fact {
            case .stepStarted(let start, _): (words, facts) = (start.title, .null)
            case .stepSkipped: (words, facts) = ("is skipped", .null)
            case .stepFinished(let isFine):
                (words, facts) = (isFine ? "ends as expected" : "does not end as expected", .null)
            case .command(let call):
                (words, facts) = call.error.map { ("fails with", $0) } ?? ("answers", call.result ?? .null)
            case .scenarioStarted, .scenarioFinished, .source, .stepNotRun, .turn, .failure: return nil
            }
            return Moment(
                text: "step \(path) \(words)" + (facts.isNull ? "" : " \(facts.description)"),
                essence: "\(path) \(words) \(essence(of: facts))",
                time: event.time >= begin ? event.time - begin : 0, step: path, track: "")
        }
    }

    private static func essence(of value: JSONValue) -> String { plain(value).description }

    private static func plain(_ value: JSONValue) -> JSONValue {
        switch value {
        case .string(let text): .string(plain(text))
        case .array(let elements): .array(elements.map(plain))
        case .object(let members): .object(members.mapValues(plain))
        case .integer(let number): .integer(number < 1_000 ? number : 0)
        case .unsigned, .number: .integer(0)
        case .bool, .null: value
        }
    }

    /// The text without the identifiers, keys and numbers inside it: in a header, a path, a name.
    private static func plain(_ text: String) -> String {
        // Most texts have none of them.
        guard text.contains(where: { $0.isNumber || "=-".contains($0) }) else { return text }
        // A path may end with a UUID, and a key may have hexadecimal digits in a row: hence this order.
        return text.replacing(#/[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/#, with: "…")
            .replacing(#/[A-Za-z0-9+\/=_-]{16,}/#) { isKey($0.output) ? "…" : $0.output }
            .replacing(#/[0-9A-Fa-f]{8}[0-9A-Fa-f-]*/#) { $0.output.contains(where: \.isNumber) ? "…" : $0.output }
            .replacing(#/[A-Z2-7]{5}(?:-[A-Z2-7]{5}){3}/#, with: "…")
            .replacing(#/\d+(?:\.\d+)?/#, with: "0")
    }

    /// Whether a long word is Base64 rather than a path or a name.
    private static func isKey(_ word: Substring) -> Bool {
        word.contains(where: \.isUppercase) && word.contains(where: \.isLowercase)
            && word.contains { $0.isNumber || "+=".contains($0) }
    }
}

extension TraceEvent {
    /// The process, and which start of it: `main#1`.
    fileprivate var processStart: String { "\(process)#\(incarnation)" }

    /// The event, without the name of the process.
    fileprivate var text: String {
        let fields = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.description)" }
        return ([name.rawValue] + fields).joined(separator: " ")
    }

    /// The family of the event, such as `http`; for lock events, the lock as well.
    fileprivate var track: String { "\(name.rawValue.prefix { $0 != "." }) \(fields["lock"]?.stringValue ?? "")" }
}
