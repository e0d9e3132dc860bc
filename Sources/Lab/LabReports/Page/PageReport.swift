// SPDX-License-Identifier: Apache-2.0

import Foundation
package import LabCore
import LabPoints
import LabSystem
package import ScenarioEngine
import ScenarioLanguage

/// The page about one or several runs: everything that was recorded, in one file.
package struct PageReport {
    /// The file in the directory of a run, and in a directory that `--report html=` names.
    package static let fileName = "index.html"

    /// A run on the page.
    package struct Run {
        /// A unique name, such as its identifier.
        package let label: String
        package let report: JSONReport

        package init(label: String, report: JSONReport) { (self.label, self.report) = (label, report) }
    }

    package let runs: [Run]
    /// The history of the scenarios in the kept runs and those on the page; nil where unknown.
    package var kept: RunHistory?
    /// Whether long timelines, and the overview of many scenarios, are compressed. A browser reads what is compressed
    /// after it has loaded the page, too late for a picture of it.
    package var isCompressed = true

    /// A longer overview, in bytes, is compressed: without one a browser has a small page on the screen at once.
    private static let longestPlainOverview = 65_536

    package init(runs: [Run], kept: RunHistory? = nil) {
        self.runs = runs
        self.kept = kept
    }

    /// The URL of a result on a page.
    /// - Parameter path: absolute path of the page.
    package static func address(of result: ScenarioResult, on path: String) -> String {
        func escaped(_ text: String, keeping more: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "/._~-" + more)))
                ?? text
        }
        return "file://\(escaped(path, keeping: ""))#s=\(escaped(result.id, keeping: "[]"))"
    }

    /// Writes the page, one timeline after the other, so that memory use is bounded by the longest one. Records that
    /// are no longer readable are left out; the page says so.
    /// - Parameter path: The file; replaced in one step.
    package func write(to path: String, mode: UInt32 = 0o600) throws {
        // The explanations of failures read all events, too; their memory must not add to that of the longest timeline.
        FreedMemory.giveBack()
        let results = runs.enumerated().flatMap { number, run in run.report.results.map { (number, $0) } }
        let summary = self.overview(results).encoded()
        let overview = PageTemplate.Block(
            id: "run", json: summary, isReadLater: isCompressed && summary.count > Self.longestPlainOverview)
        let timelines = results.enumerated().lazy.compactMap { index, entry -> PageTemplate.Block? in
            guard let timeline = ScenarioTimeline(recordedIn: entry.1.directory) else { return nil }
            let isOfInterest = entry.1.verdict != .passed || results.count == 1
            let document = timeline.json(isOfInterest ? .whole : .brief).encoded()
            return PageTemplate.Block(id: "timeline-\(index)", json: document, isReadLater: isCompressed)
        }
        try Files.write(to: path, mode: mode) { file in
            try PageTemplate.write(
                [AnySequence([overview]), AnySequence(timelines)].lazy.joined(), to: { try file.writeAll($0) })
        }
    }

    /// The page's data about a result besides its timeline.
    package func overview(_ results: [(run: Int, result: ScenarioResult)]) -> JSONValue {
        .object([
            "version": 1,
            "meanings": .object(
                Dictionary(
                    TraceEventName.allCases.map { ($0.rawValue, .string($0.summary)) },
                    uniquingKeysWith: { first, _ in first })),
            "runs": .array(
                runs.map { run in
                    .object([
                        "label": .string(run.label), "seconds": .number(run.report.seconds),
                        "seed": run.report.seed.map { .string(String($0)) } ?? .null,
                    ])
                }),
            "results": .array(
                results.map { run, result in
                    // All members are numbers, texts and lists of them.
                    guard case .object(var members)? = try? JSONValue(encoding: result) else { return .null }
                    members["run"] = .integer(Int64(run))
                    members["scenario"] = .string(result.scenario)
                    members["seed"] = .string(String(result.seed))
                    return .object(members)
                }),
            "kept": .object(keptRounds(of: Set(results.map(\.result.scenario)))),
        ])
    }

    /// The pass rates of scenarios in the kept runs.
    private func keptRounds(of scenarios: Set<String>) -> [String: JSONValue] {
        let entries = (kept?.scenarios ?? []).filter { scenarios.contains($0.id) }
        return entries.reduce(into: [:]) { rounds, entry in
            rounds[entry.id] = [
                "passed": .integer(Int64(entry.passed)), "rounds": .integer(Int64(entry.rounds)),
            ]
        }
    }
}

/// A page in the directory of a run.
public struct RecordedPage: Sendable {
    package let path: String

    /// Its URL.
    public var address: String { URL(fileURLWithPath: path).absoluteString }

    /// Opens the page in a browser, if the session is graphical.
    /// - Parameter environment: shows whether the session is graphical: `DISPLAY`, `WAYLAND_DISPLAY`, or the user's
    ///   browser.
    public func openInBrowser(environment: [String: String]) {
        guard ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains(where: { environment[$0]?.isEmpty == false }) else {
            return
        }
        // Without a browser the URL is enough, and it was printed.
        _ = try? ToolCall.output(of: ["xdg-open", path])
    }
}

extension RecordedRuns {
    /// The page of a run; written if missing.
    /// - Parameters:
    ///   - name: identifier or directory of the run; nil means the last run.
    ///   - other: a run to compare it with, on a page with both.
    /// - Throws: ``BadUsage`` if the run does not exist or has not ended.
    public func page(of name: String?, against other: String?) throws -> RecordedPage {
        let run = try run(in: try directory(of: name))
        guard let other else {
            let path = "\(run.directory)/\(PageReport.fileName)"
            if !Files.exists(path) { try write([run], to: path) }
            return RecordedPage(path: path)
        }
        let second = try self.run(in: try directory(of: other))
        guard second.directory != run.directory else {
            throw BadUsage(sentence: "\(other) is the same run; --against takes another one")
        }
        let path = "\(run.directory)/against-\(Files.name(of: second.directory)).html"
        try write([run, second], to: path)
        return RecordedPage(path: path)
    }

    /// A run that has written its report.
    package func run(in directory: String) throws -> (directory: String, report: JSONReport) {
        // The name `latest` is a link.
        let directory = IncludedFiles.identity(of: directory)
        guard let report = try report(of: directory) else {
            throw BadUsage(
                sentence:
                    "\(directory) has no report: the run was killed or still runs; `lab check` reads what it left")
        }
        return (directory, report.found(beside: directory))
    }

    private func write(_ runs: [(directory: String, report: JSONReport)], to path: String) throws {
        let page = PageReport(
            runs: runs.map { .init(label: runs.count > 1 ? Files.name(of: $0.directory) : "", report: $0.report) },
            kept: try history())
        try page.write(to: path)
    }
}
