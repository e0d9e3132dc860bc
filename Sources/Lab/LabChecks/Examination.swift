// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabPoints

/// Several checkers held against one history.
public struct Examination: Sendable {
    /// What a checker says of a history.
    public enum Verdict: String, Sendable, Comparable {
        /// The rule holds.
        case passed
        /// It is not known whether it holds.
        case inconclusive
        /// It is broken.
        case failed

        public static func < (left: Verdict, right: Verdict) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .passed: 0
            case .inconclusive: 1
            case .failed: 2
            }
        }
    }

    /// How much is examined before the verdict stays open.
    public struct Limits: Sendable {
        /// How many events a history may have, for the sake of memory.
        public var events = 2_000_000
        /// How long each checker may search, in seconds of real time.
        public var seconds = 60

        /// The limits that are used by default.
        public init() {}
    }

    /// The result of one checker.
    public struct Result: Sendable {
        /// The checker's name.
        public let name: String
        /// Its rule.
        public let rule: String
        /// What it says.
        public let verdict: Verdict
        /// How many things the rule was held against.
        public let examined: Int
        /// Why the verdict is open; nil when it is not.
        public let openBecause: String?
        /// The breach that the fewest and closest events show; nil without a breach.
        public let breach: Breach?
        /// How many breaches there are.
        public let breaches: Int
    }

    /// The results, in the order of the checkers.
    public let results: [Result]

    /// The worst verdict.
    public var verdict: Verdict { results.map(\.verdict).max() ?? .passed }

    /// Holds checkers against a history.
    public init(_ history: RecordedHistory, by checkers: [any Checker], limits: Limits = Limits()) {
        results = checkers.map { Self.result(of: $0, on: history, limits: limits) }
    }

    private static func result(of checker: any Checker, on history: RecordedHistory, limits: Limits) -> Result {
        var finding = Finding()
        var openBecause: String?
        if history.events.count > limits.events {
            openBecause = "the history has \(history.events.count) events, and \(limits.events) are the limit"
        } else {
            var budget = Budget(seconds: limits.seconds)
            do {
                finding = try checker.check(history, &budget)
                openBecause = finding.gap
            } catch {
                openBecause = "\(error)"
            }
        }
        // What is missing may be the reason of a breach as well as hide one.
        if let first = history.damage.first {
            let more = history.damage.count > 1 ? " and \(history.damage.count - 1) more lines" : ""
            openBecause = "the trace is damaged: \(first)\(more) cannot be read"
        }
        let isBroken = !finding.breaches.isEmpty && history.damage.isEmpty
        let verdict: Verdict = isBroken ? .failed : openBecause == nil ? .passed : .inconclusive
        return Result(
            name: checker.name, rule: checker.rule, verdict: verdict, examined: finding.examined,
            openBecause: openBecause, breach: finding.breaches.min { $0.length < $1.length },
            breaches: finding.breaches.count)
    }
}

extension Breach {
    /// The number of events, then how far they are apart.
    fileprivate var length: (Int, UInt64) { (excerpt.count, (excerpt.last?.time ?? 0) - (excerpt.first?.time ?? 0)) }
}

/// The events of an excerpt as a table: a line an event, a column a process, time on the left.
///
/// ```text
///        ms  app1#1                    app2#1
///     0.000  lock.taken status
///     0.412                            lock.taken status
/// ```
public struct ExcerptTable: Sendable {
    private let events: [TraceEvent]

    /// A table of some events.
    public init(_ events: [TraceEvent]) { self.events = events }

    /// The lines, without anything at their ends.
    public var lines: [String] {
        guard let first = events.first else { return [] }
        var processes: [String] = []
        for event in events {
            let name = event.incarnationOfProcess.description
            if !processes.contains(name) { processes.append(name) }
        }
        let cells = events.map { event in (event.incarnationOfProcess.description, Self.text(of: event)) }
        let widths = processes.map { process in
            ([process] + cells.filter { $0.0 == process }.map(\.1)).map(\.count).max() ?? 0
        }
        var lines = [Self.line("ms", zip(processes, widths).map { ($0, $1) })]
        for (event, cell) in zip(events, cells) {
            let row = zip(processes, widths).map { process, width in (process == cell.0 ? cell.1 : "", width) }
            lines.append(Self.line(Self.milliseconds(event.time - first.time), row))
        }
        return lines
    }

    private static func line(_ time: String, _ cells: [(String, Int)]) -> String {
        var line = String(repeating: " ", count: max(0, 10 - time.count)) + time
        for (text, width) in cells { line += "  " + text + String(repeating: " ", count: width - text.count) }
        while line.last == " " { line.removeLast() }
        return line
    }

    /// Three digits after the point: microseconds.
    private static func milliseconds(_ nanoseconds: UInt64) -> String {
        let micro = nanoseconds / 1_000
        let fraction = String(micro % 1_000)
        return "\(micro / 1_000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }

    /// The event and the fields that distinguish it from others of its kind.
    private static func text(of event: TraceEvent) -> String {
        let shown = Self.shownFields.compactMap { field in
            event.fields[field].map { value in value.stringValue ?? value.description }
        }
        return ([event.name.rawValue] + shown).joined(separator: " ")
    }

    /// The fields that are shown, in this order; identifiers of services and groups would only fill the line.
    private static let shownFields = [
        "lock", "peer", "call", "outcome", "error", "found", "tokenIdentifier", "password", "newPassword", "counter",
        "activation", "type", "valid", "failedAttempts", "name", "token", "how", "point", "signal", "status", "cause",
        "to", "complaints",
    ]
}
