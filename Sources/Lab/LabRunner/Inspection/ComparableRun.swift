import LabKit

/// The actions of each process in a recorded scenario, from the first step to the end of the last, in a form that can
/// be compared with another run.
///
/// Times, identifiers and keys are left out, as on the page of two runs (`CReportPage/front/compare.js`), and so are
/// the decisions of the scheduler: the start of the topology's processes is ignored; because threads interleave
/// differently each time, only events of one kind keep their order within a step; retries of a step count once.
struct ComparableRun {
    /// One recorded action.
    struct Moment {
        /// The action as recorded.
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

    /// Reads the record of a scenario.
    ///
    /// - Parameter directory: absolute path; empty if the scenario did not run.
    /// - Returns: nil if nothing is recorded.
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
    ///
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
            case .scenarioStarted, .scenarioFinished, .source, .failure: return nil
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
    fileprivate var track: String {
        "\(name.rawValue.prefix { $0 != "." }) \(fields["lock"]?.stringValue ?? "")"
    }
}
