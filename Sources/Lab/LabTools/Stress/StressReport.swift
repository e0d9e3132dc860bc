// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabControl
import LabCore
import LabPoints
import LabReports
import LabSystem
public import ScenarioEngine

/// The text of a stress round for people.
struct StressReport {
    let isColoured: Bool

    /// The actions, the checks, and the shortest excerpt for each violated rule.
    /// - Parameter isQuiet: Whether to print only failures.
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
        let terminal = TerminalReport(isColoured: isColoured)
        return switch verdict {
        case .passed: terminal.mark(.passed)
        case .failed: terminal.mark(.failed)
        case .inconclusive: terminal.mark(.inconclusive)
        }
    }
}

/// How often each kind of call and each fault happened: a run without some of them proves nothing about these.
struct StressTally {
    /// Calls by action and outcome.
    private(set) var calls: [String: [RecordedCall.Outcome: Int]] = [:]
    /// Kills by fault point.
    private(set) var kills: [String: Int] = [:]
    /// Kills at a random moment.
    private(set) var otherKills = 0
    private(set) var holds = 0
    private(set) var suspensions = 0
    private(set) var launches = 0
    /// The time of the driver's calls, from the first to the last, in seconds.
    private(set) var seconds = 0.0

    init(_ history: RecordedHistory) {
        for call in history.calls { calls[call.call, default: [:]][call.outcome, default: 0] += 1 }
        for event in history.events {
            switch event.name {
            case .faultFired where event.fields["action"] == "delay": holds += 1
            case .faultFired: kills[event.fields["point"]?.stringValue ?? "", default: 0] += 1
            case .deathWanted where event.fields["how"] == "kill": otherKills += 1
            case .processSuspended: suspensions += 1
            case .processStarted where event.incarnation > 1: launches += 1
            default: break
            }
        }
        if let first = history.calls.first, let last = history.calls.last {
            seconds = Double(last.invoked.time - first.invoked.time) / 1e9
        }
    }

    var total: Int { calls.values.map { $0.values.reduce(0, +) }.reduce(0, +) }

    /// The calls of one kind, by result.
    func count(_ action: StressAction, _ outcome: RecordedCall.Outcome) -> Int {
        calls[action.rawValue]?[outcome] ?? 0
    }

    /// The actions that were never done, the fault points without a kill, and the other faults that never happened.
    var missing: [String] {
        let actions = StressAction.allCases.filter { count($0, .done) == 0 }.map(\.rawValue)
        let points = StressAction.allFaultPoints.filter { kills[$0.rawValue] == nil }.map { "kill at \($0)" }
        let others = [
            otherKills == 0 ? "kill at any moment" : nil, holds == 0 ? "answer that is held back" : nil,
            suspensions == 0 ? "suspension" : nil,
        ]
        return actions + points + others.compactMap(\.self)
    }
}

/// The record of a stress run, which may have ended long ago or have been killed.
public struct RecordedStress: Sendable {
    /// Absolute path of the record.
    private let root: String
    /// Absolute paths of the traces, one for each round.
    private let traces: [String]

    /// The record at a path.
    /// - Parameter path: The run's directory, or that of a round.
    /// - Returns: nil if no stress run is recorded there.
    public init?(at path: String) {
        let root = Files.absolute(path)
        guard Files.isDirectory(root), let names = try? Files.list(root) else { return nil }
        let rounds = names.filter { $0.wholeMatch(of: #/round-\d+/#) != nil }
        let directories = ["\(root)/traces"] + rounds.map { "\(root)/\($0)/traces" }
        self.root = root
        traces = directories.filter { Files.exists("\($0)/\(StressRound.driver)#1.jsonl") }
        if traces.isEmpty { return nil }
    }

    /// Checks the record against the rules again. A damaged record makes the verdict inconclusive.
    public func check(look: OutputStyle, print: (String) -> Void) throws -> RunOutcome {
        var verdict = Examination.Verdict.passed
        do {
            // The checksums lie beside the rounds.
            for directory in [root, Files.directory(of: root)] { try RecordChecksums.verify(directory) }
        } catch let damage as DamagedRecord {
            print("inconclusive: \(damage)\n")
            verdict = .inconclusive
        }
        for directory in traces {
            let outcome = try StressRound.examine(traces: directory)
            verdict = max(verdict, outcome.examination.verdict)
            print(
                StressReport(isColoured: look.isColoured).render(
                    outcome, title: Files.name(of: Files.directory(of: directory)), isQuiet: look.isQuiet))
        }
        return RunOutcome(verdict)
    }
}
