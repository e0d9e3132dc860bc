public import LabKit

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
    public init(_ events: [TraceEvent]) {
        self.events = events
    }

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
        for (text, width) in cells {
            line += "  " + text + String(repeating: " ", count: width - text.count)
        }
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
        "lock", "peer", "call", "outcome", "error", "found", "counter", "activation", "type", "valid", "failedAttempts",
        "name", "token", "how", "point", "signal", "status", "cause", "to", "complaints",
    ]
}
