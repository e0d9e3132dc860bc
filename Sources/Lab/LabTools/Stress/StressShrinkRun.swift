// SPDX-License-Identifier: Apache-2.0

import LabChecks
import LabCore
import LabFile
import LabSystem
import ScenarioEngine
import ScenarioLanguage

/// The end of a stress run whose round broke a rule: smaller parts of the plan are played, and the smallest one that
/// still breaks the rule is printed and written as a scenario.
///
/// Used by one thread.
final class StressShrinkRun {
    private let round: StressRound
    private let outcome: StressRound.Outcome
    private let rule: Examination.Result
    private let limit: LabDuration
    private let deadline: Deadline
    private let place: ExploredPlace
    private let printer: ProgressPrinter
    private var played = 0
    /// The directory of the last candidate that broke the rule.
    private var kept: String?

    /// - Parameters:
    ///   - round: The round that broke a rule.
    ///   - limit: The real time after which no candidate begins; an interruption ends it earlier.
    /// - Returns: nil if the round broke no rule.
    init?(
        _ round: StressRound, _ outcome: StressRound.Outcome, for limit: LabDuration, at place: ExploredPlace,
        printer: ProgressPrinter
    ) {
        guard let rule = outcome.brokenRule else { return nil }
        self.round = round
        self.outcome = outcome
        self.rule = rule
        self.limit = limit
        deadline = Deadline(after: limit, of: "shrinking")
        self.place = place
        self.printer = printer
    }

    /// Shrinks, prints what is left and writes the scenario.
    func perform() {
        let calls = outcome.history.calls
        let whole = StressPart(calls, of: round.plan)
        // What was called after the last event of the breach has no share in it.
        let end = rule.breach?.excerpt.last?.time
        let beginning = end.map { end in StressPart(calls.filter { $0.invoked.time <= end }, of: round.plan) } ?? whole
        printer.print("shrinking the calls that break `\(rule.name)`, for at most \(limit): \(whole.summary)\n")
        printer.start(total: nil)
        let shrinker = StressShrinker(
            isOver: { [self] in deadline.isOver || round.interruption.isSet }, breaksRule: { [self] in breaksRule($0) })
        let shrunk = shrinker.shrink(whole, from: beginning)
        printer.finish()
        let candidates = FailureText.counted(played, "candidate")
        guard shrunk.part != whole else {
            printer.print("  0 of \(candidates) broke the rule again; no scenario was written\n")
            return
        }
        let rest = shrunk.isMinimal ? "" : "; not everything was tried"
        printer.print("  left after \(candidates): \(shrunk.part.summary)\(rest)\n")
        printer.print(shrunk.part.text.split(separator: "\n").map { "    \($0)\n" }.joined())
        write(shrunk.part)
    }

    /// Plays a part in an instance of its own.
    private func breaksRule(_ part: StressPart) -> Bool {
        played += 1
        let (number, title) = (played, "candidate \(played), \(part.summary)")
        var candidate = round
        candidate.part = part
        candidate.length = min(round.length, deadline.rest)
        candidate.directory = "\(place.directory)/candidate-\(number)"
        printer.began(title)
        // A candidate that the lab could not play proves nothing.
        let outcome = try? candidate.perform()
        printer.ended(title, at: number - 1, "")
        let isBroken = !round.interruption.isSet && outcome?.breaks(rule.name) ?? false
        // What cannot be removed now only takes room.
        if let old = isBroken ? kept : candidate.directory { try? Files.removeTree(old) }
        if isBroken { kept = candidate.directory }
        return isBroken
    }

    private func write(_ part: StressPart) {
        do {
            let topology = round.configuration.smallestTopology(for: part)
            let written = StressScenario(
                part: part, topology: topology, seed: round.seed, rule: rule.name, sentence: rule.rule)
            let scenario = try place.write(try written.text())
            let lines = [
                "written: \(scenario.file.path)", "  play it: \(scenario.replay(seed: round.seed, labOption: nil))",
                "  find the order: lab explore \(ShellWord.quoted(scenario.file.path))",
            ]
            printer.print(lines.map { $0.withVisibleControls + "\n" }.joined())
        } catch {
            printer.print("the calls were not written as a scenario: \(error)\n".withVisibleControls)
        }
        if let kept { printer.print("  the last run of these calls is recorded in \(kept)\n".withVisibleControls) }
    }
}
