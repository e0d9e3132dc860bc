// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
package import LabFile
import LabSystem
package import ScenarioEngine
import ScenarioLanguage

/// Annotations in the format that GitHub reads from the log of a job, one per line.
package struct GitHubAnnotations {
    /// The maximum that GitHub shows for one step.
    private static let most = 10
    /// The directory that GitHub's paths are relative to; nil leaves paths as they are.
    private let workspace: String?

    /// Annotations for the job of an environment; nil outside of such a job.
    package init?(environment: [String: String]) {
        guard environment["GITHUB_ACTIONS"] == "true" else { return nil }
        workspace = environment["GITHUB_WORKSPACE"]
    }

    /// The annotations of errors in files.
    package func lines(_ diagnostics: [Diagnostic]) -> String {
        lines(
            diagnostics.map { diagnostic in
                let message = [diagnostic.kind.sentence, diagnostic.kind.advice].compactMap(\.self)
                return error(at: ReportedPlace(diagnostic.place), message: message.joined(separator: " — "))
            }, more: "mistakes")
    }

    /// The annotations of the failures that count against a run, at the first failing expectation or step.
    package func lines(_ results: [ScenarioResult]) -> String {
        lines(
            results.filter(\.isHeldAgainstRun).map { result in
                let message = [
                    result.leadingFailure?.headline,
                    result.leadingFailure?.differences.first.map { difference in
                        "\(difference.lead)expected \(difference.expected), was \(difference.actual)"
                    }, "run it again: \(result.replay)",
                ]
                return error(
                    at: result.markedPlace, title: result.name,
                    message: message.compactMap(\.self).joined(separator: "\n"))
            }, more: "scenarios that did not pass")
    }

    private func lines(_ annotations: [String], more: String) -> String {
        var lines = Array(annotations.prefix(Self.most))
        let rest = annotations.count - lines.count
        if rest > 0 { lines.append("::notice::and \(rest) more \(more); the log and the reports have all of them") }
        return lines.map { "\($0)\n" }.joined()
    }

    private func error(at place: ReportedPlace, title: String? = nil, message: String) -> String {
        let path = workspace.flatMap { ScenarioPath.path(of: place.file, below: $0) } ?? place.file
        var properties = ["file=\(Self.property(path))", "line=\(place.line)", "col=\(place.column)"]
        if let title { properties.append("title=\(Self.property(title))") }
        return "::error \(properties.joined(separator: ","))::\(Self.data(message))"
    }

    /// Escapes a text after `::`.
    private static func data(_ text: String) -> String {
        text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }

    /// Escapes a text between commas.
    private static func property(_ text: String) -> String {
        data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
    }
}

/// The Markdown for the page of a GitHub job: the counts, and the scenarios that did not pass.
package struct GitHubSummary {
    /// The maximum number of rows that is still readable.
    private static let most = 50
    private let path: String

    /// The summary of the job of an environment; nil outside of such a job.
    package init?(environment: [String: String]) {
        guard environment["GITHUB_ACTIONS"] == "true", let path = environment["GITHUB_STEP_SUMMARY"], !path.isEmpty
        else { return nil }
        self.path = path
    }

    /// Appends a run to the summary, which other steps of the job write to as well.
    /// - Throws: ``LabFailure`` when the file cannot be written.
    package func add(_ report: JSONReport) throws {
        do {
            let before = Files.exists(path) ? try Files.read(path) : Data()
            try Files.write(before + Data(Self.text(of: report).utf8), to: path, mode: 0o644)
        } catch {
            throw LabFailure("the summary of the job cannot be written to \(path): \(error)")
        }
    }

    /// The Markdown of a run.
    package static func text(of report: JSONReport) -> String {
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

/// The scenarios that did not pass in the form of GitLab, which shows them at their lines in a merge request: the
/// format of Code Climate, with the members that GitLab requires.
enum CodeQualityReport {
    private struct Issue: Encodable {
        struct Location: Encodable {
            struct Lines: Encodable {
                let begin: Int
            }

            let path: String
            let lines: Lines
        }

        let description: String
        let check_name: String
        let fingerprint: String
        let severity: String
        let location: Location
    }

    /// The document.
    /// - Parameter environment: `CI_PROJECT_DIR` is the folder that paths are relative to; the default is the current
    ///   one.
    package static func render(_ results: [ScenarioResult], environment: [String: String]) throws -> Data {
        let root = environment["CI_PROJECT_DIR"] ?? Files.absolute(".")
        let issues = results.filter(\.isHeldAgainstRun).map { issue($0, root: root) }
        return Data(try JSONTextEncoder.document(issues).utf8)
    }

    private static func issue(_ result: ScenarioResult, root: String) -> Issue {
        let place = result.markedPlace
        let reason = result.leadingFailure?.headline ?? result.remark ?? result.verdict.rawValue
        // A scenario has the same fingerprint in every pipeline, so that GitLab can detect new findings.
        return Issue(
            description: "\(result.name): \(reason)", check_name: "lab", fingerprint: result.id,
            severity: result.verdict == .failed ? "critical" : "major",
            location: .init(
                path: ScenarioPath.path(of: place.file, below: root) ?? place.file, lines: .init(begin: place.line)))
    }
}
