import Foundation
import LabKit
import LabSystem

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

    /// One of the two runs.
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
    ///
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
