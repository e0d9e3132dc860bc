import Foundation
import LabSystem

/// The Markdown for the page of a GitHub job: the counts, and the scenarios that did not pass.
struct GitHubSummary {
    /// The maximum number of rows that is still readable.
    private static let most = 50
    private let path: String

    /// The summary of the job of an environment; nil outside of such a job.
    init?(environment: [String: String]) {
        guard environment["GITHUB_ACTIONS"] == "true", let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty
        else { return nil }
        self.path = path
    }

    /// Appends a run to the summary, which other steps of the job write to as well.
    ///
    /// - Throws: ``LabFailure`` when the file cannot be written.
    func add(_ report: JSONReport) throws {
        do {
            let before = Files.exists(path) ? try Files.read(path) : Data()
            try Files.write(before + Data(Self.text(of: report).utf8), to: path, mode: 0o644)
        } catch {
            throw LabFailure("the summary of the job cannot be written to \(path): \(error)")
        }
    }

    /// The Markdown of a run.
    static func text(of report: JSONReport) -> String {
        let total = TerminalReport.total(of: report.results, seconds: report.seconds)
        let bad = report.results.filter { $0.isHeldAgainstRun && $0.verdict != .notRun }
        var lines = ["### Scenarios: \(total)", ""]
        if !bad.isEmpty { lines += ["| scenario | what failed |", "| --- | --- |"] }
        lines += bad.prefix(most).map { result in
            let failure = result.leadingFailure
            let cause = failure?.causes.first.map { ", because \($0)" } ?? ""
            return "| \(cell(result.name)) | \(cell((failure?.headline ?? result.verdict.rawValue) + cause)) |"
        }
        if bad.count > most { lines += ["", "and \(bad.count - most) more"] }
        return lines.joined(separator: "\n") + "\n\n"
    }

    /// A text that does not end a cell and contains no markup.
    private static func cell(_ text: String) -> String {
        var result = ""
        for character in text.withVisibleControls.replacing("\n", with: " ") {
            if "\\`*_{}[]<>#|".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
