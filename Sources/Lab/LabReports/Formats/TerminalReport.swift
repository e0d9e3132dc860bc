// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
public import ScenarioEngine

/// The text of results for people.
public struct TerminalReport: Sendable {
    private let text: FailureText

    /// A report with or without colours.
    public init(isColoured: Bool) { text = FailureText(isColoured: isColoured) }

    /// One line for a scenario, and the details of its failures below. Control characters in a result do not reach the
    /// terminal.
    /// - Parameter page: absolute path of the page that shows the result after the run; nil without one.
    public func render(_ result: ScenarioResult, page: String? = nil) -> String {
        let id = text.styled(result.id.onOneVisibleLine, "2")
        var line = "\(mark(result.verdict)) \(result.name.onOneVisibleLine)  \(id)  "
        line += result.verdict == .notRun ? "not run" : FailureText.seconds(result.seconds)
        if let reason = result.quarantine, result.verdict != .passed {
            line += "  quarantined: \(reason.onOneVisibleLine)"
        }
        if let remark = result.remark { line += "  \(remark.onOneVisibleLine)" }
        var lines = [line] + details(of: result)
        if !result.failures.isEmpty, result.verdict != .notRun, let page {
            lines.append("    look at it: \(PageReport.address(of: result, on: page).withVisibleControls)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The symbol at the beginning of a result's line.
    package func mark(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: text.styled("✓", "32")
        case .failed: text.styled("✗", "31")
        case .inconclusive: text.styled("?", "33")
        case .notRun: text.styled("-", "2")
        }
    }

    /// The details of a result below its line: the steps that were skipped, and the failures.
    func details(of result: ScenarioResult) -> [String] {
        (result.skipped ?? []).map(render) + result.failures.map(text.render)
    }

    /// One line for a step that was skipped.
    private func render(_ skipped: SkippedStep) -> String {
        let times = skipped.times == 1 ? "" : " (\(skipped.times) times)"
        let what = "\(skipped.title): \(skipped.reason)\(times)"
        return
            "  \(skipped.place.description.onOneVisibleLine): \(text.styled("skipped", "2")): \(what.onOneVisibleLine)"
    }

    /// The closing lines of a run: the scenarios that did not pass, and last the counts, the time, the seed and the
    /// record.
    /// - Parameters:
    ///   - seed: The run's seed; nil if its parts had different ones.
    ///   - directory: The directory of the record; nil if not recorded.
    ///   - showsCosts: Whether to print how long the runner's own work took.
    public func summary(
        _ results: [ScenarioResult], seconds: Double, seed: UInt64?, directory: String?, showsCosts: Bool = true
    ) -> String {
        var total = Self.total(of: results, seconds: seconds)
        if let seed { total += ", seed \(seed)" }
        if let directory { total += ", recorded in \(directory.withVisibleControls)" }
        let lines = (showsCosts ? costs(of: results) : []) + recap(results) + [total]
        return lines.joined(separator: "\n") + "\n"
    }

    /// The number of scenarios for each verdict, and the time.
    package static func total(of results: [ScenarioResult], seconds: Double) -> String {
        let passed = results.count { $0.verdict == .passed }
        let failed = results.count { $0.verdict == .failed && $0.quarantine == nil }
        let open = results.count { $0.verdict == .inconclusive && $0.quarantine == nil }
        let waiting = results.count { $0.verdict == .notRun }
        let quarantined = results.count { $0.verdict > .notRun && $0.quarantine != nil }
        var parts = ["\(passed) passed"]
        if failed > 0 { parts.append("\(failed) failed") }
        if open > 0 { parts.append("\(open) inconclusive") }
        if quarantined > 0 { parts.append("\(quarantined) quarantined") }
        if waiting > 0 { parts.append("\(waiting) not run") }
        return "\(parts.joined(separator: ", ")) in \(FailureText.seconds(seconds))"
    }

    /// The time spent by the runner itself.
    private func costs(of results: [ScenarioResult]) -> [String] {
        var lines: [String] = []
        let overheads = results.flatMap(\.overheads).sorted()
        if let median = Self.percentile(50, of: overheads), let high = Self.percentile(99, of: overheads) {
            lines.append(
                "step overhead: median \(FailureText.milliseconds(median)), p99 \(FailureText.milliseconds(high)) over \(overheads.count) commands"
            )
        }
        let launches = results.flatMap { $0.launches.values }.sorted()
        if let median = Self.percentile(50, of: launches), let high = launches.last {
            lines.append(
                "launch to first answer: median \(FailureText.milliseconds(median)), longest \(FailureText.milliseconds(high)) over \(launches.count) processes"
            )
        }
        return lines
    }

    static func percentile(_ percent: Int, of sorted: [UInt64]) -> UInt64? {
        sorted.isEmpty ? nil : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
    }
}

extension ScenarioResult {
    /// Everything that failed or was skipped, as the terminal shows it.
    package var explanation: String { TerminalReport(isColoured: false).details(of: self).joined(separator: "\n") }
}

extension TerminalReport {
    /// The failures once more at the end of the output of several scenarios: each with its first failing step, and its
    /// first cause or difference. Empty for a run of one scenario, whose failures are above.
    func recap(_ results: [ScenarioResult]) -> [String] {
        guard results.count > 1 else { return [] }
        let bad = results.filter { $0.isHeldAgainstRun && $0.verdict != .notRun }
        let shown = bad.prefix(Self.recapLimit).flatMap(recap)
        return bad.count > Self.recapLimit ? shown + ["and \(bad.count - Self.recapLimit) more, above"] : shown
    }

    private static let recapLimit = 20
    /// The details are above; a sentence or two identify the failure.
    private static let recapColumns = 240

    private func recap(_ result: ScenarioResult) -> [String] {
        let name = "\(mark(result.verdict)) \(result.name.onOneVisibleLine)  \(result.id.onOneVisibleLine)"
        guard let failure = result.leadingFailure else { return [name] }
        let place = failure.place.map { "\($0): " } ?? ""
        var lines = [name, "    \(place)\(failure.headline)".onOneVisibleLine]
        if let cause = failure.causes.first {
            lines.append("    because \(cause.onOneVisibleLine)")
        } else if let difference = failure.differences.first {
            let both = "\(difference.lead)expected \(difference.expected), actual \(difference.actual)"
            lines.append("    \(both.onOneVisibleLine)")
        }
        return lines.map { Terminal.fitting($0, columns: Self.recapColumns) }
    }
}

extension TerminalReport {
    /// The summary of several rounds: a line for every scenario that did not pass in all of them, with the seeds that
    /// reproduce the others. Empty if all passed, or if there was one round.
    public func flakiness(_ results: [ScenarioResult]) -> String {
        let played = results.filter { $0.verdict != .notRun }
        let rounds = Dictionary(grouping: played, by: \.scenario)
        let lines = played.filter { $0.round == 1 }.map(\.scenario).compactMap { scenario -> String? in
            guard let rounds = rounds[scenario], rounds.contains(where: { $0.round > 1 }) else { return nil }
            let bad = rounds.filter { $0.verdict != .passed }
            guard !bad.isEmpty else { return nil }
            let seeds = bad.map { String($0.seed) }.joined(separator: ", ")
            return """
                \(scenario.onOneVisibleLine): \(rounds.count - bad.count) of \(rounds.count) rounds passed; \
                the others with \(bad.count == 1 ? "seed" : "seeds") \(seeds)

                """
        }
        return lines.joined()
    }
}
