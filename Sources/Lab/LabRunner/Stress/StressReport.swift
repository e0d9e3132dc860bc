import LabChecks
import LabKit

/// The text of a stress round for people.
struct StressReport {
    let isColoured: Bool

    /// The actions, the checks, and the shortest excerpt for each violated rule.
    ///
    /// - Parameters:
    ///   - outcome: The round.
    ///   - title: Its title, with its seed.
    ///   - isQuiet: Whether to print only failures.
    func render(_ outcome: StressRound.Outcome, title: String, isQuiet: Bool = false) -> String {
        let examination = outcome.examination
        guard !isQuiet || examination.verdict != .passed else { return "" }
        let tally = StressTally(outcome.history)
        var lines = ["\(mark(examination.verdict)) \(title)"]
        if !isQuiet { lines += counts(tally) }
        lines += examination.results.filter { !isQuiet || $0.verdict != .passed }.flatMap(render)
        return lines.map { $0 + "\n" }.joined()
    }

    private func counts(_ tally: StressTally) -> [String] {
        let rate = tally.seconds > 0 ? ", \(Int(Double(tally.total) / tally.seconds)) a second" : ""
        var lines = ["  \(tally.total) calls\(rate)", row("", ["done", "not done", "unknown"])]
        for action in StressAction.allCases {
            let numbers = [RecordedCall.Outcome.done, .notDone, .unknown].map { String(tally.count(action, $0)) }
            lines.append(row(action.rawValue, numbers))
        }
        let kills = tally.kills.values.reduce(0, +)
        lines.append(
            "  \(kills) kills at \(tally.kills.count) of \(StressAction.allFaultPoints.count) fault points, "
                + "\(tally.otherKills) at any moment, \(tally.holds) answers held back, "
                + "\(tally.suspensions) suspensions, \(tally.launches) launches")
        if !tally.missing.isEmpty { lines.append("  never happened: \(tally.missing.joined(separator: ", "))") }
        return lines
    }

    private func row(_ name: String, _ cells: [String]) -> String {
        let columns = cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }
        return "    " + name + String(repeating: " ", count: max(0, 20 - name.count)) + columns.joined()
    }

    private func render(_ result: Examination.Result) -> [String] {
        var line = "  \(mark(result.verdict)) \(result.name): \(result.rule)"
        if result.verdict == .passed {
            line += result.examined == 0 ? "  nothing to judge" : "  \(result.examined) times"
        }
        var lines = [line]
        if let why = result.openBecause { lines.append("      not known: \(why.onOneVisibleLine)") }
        guard let breach = result.breach else { return lines }
        let others = result.breaches > 1 ? " (the shortest of \(result.breaches) places)" : ""
        lines.append("      \(breach.sentence.onOneVisibleLine)\(others)")
        return lines + ExcerptTable(breach.excerpt).lines.map { "      \($0.onOneVisibleLine)" }
    }

    private func mark(_ verdict: Examination.Verdict) -> String {
        switch verdict {
        case .passed: styled("✓", "32")
        case .failed: styled("✗", "31")
        case .inconclusive: styled("?", "33")
        }
    }

    private func styled(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
