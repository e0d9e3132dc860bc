internal import Foundation
internal import LabKit
internal import LabSystem

/// The page about one or several runs: everything that was recorded, in one file.
struct PageReport {
    /// The file in the directory of a run, and in a directory that `--report html=` names.
    static let fileName = "index.html"

    /// A run that is shown.
    struct Run {
        /// What tells it from others, such as its identifier.
        let label: String
        let report: JSONReport
    }

    let runs: [Run]

    /// Where a browser finds a result on a page.
    ///
    /// - Parameter path: absolute path of the page.
    static func address(of result: ScenarioResult, on path: String) -> String {
        func escaped(_ text: String, keeping more: String) -> String {
            text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(.init(charactersIn: "/._~-" + more)))
                ?? text
        }
        return "file://\(escaped(path, keeping: ""))#s=\(escaped(result.id, keeping: "[]"))"
    }

    /// The document. Records that cannot be read any more are left out; the page says so.
    func rendered() -> Data {
        let results = runs.enumerated().flatMap { number, run in run.report.results.map { (number, $0) } }
        var blocks = [PageTemplate.Block(id: "run", json: overview(results).encoded())]
        for (index, (_, result)) in results.enumerated() {
            guard let timeline = ScenarioTimeline(recordedIn: result.directory) else { continue }
            let document = timeline.json(withLogs: result.verdict != .passed).encoded()
            blocks.append(PageTemplate.Block(id: "timeline-\(index)", json: document, isReadLater: true))
        }
        return PageTemplate.page(blocks)
    }

    /// What the page knows before it looks into a result.
    func overview(_ results: [(run: Int, result: ScenarioResult)]) -> JSONValue {
        .object([
            "version": 1,
            "meanings": .object(
                Dictionary(
                    TraceEventName.all.map { ($0.rawValue, .string($0.summary)) },
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
        ])
    }
}
