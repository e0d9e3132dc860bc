import Foundation
import LabFile
import LabSystem

/// Annotations in the format that GitHub reads from the log of a job, one per line.
struct GitHubAnnotations {
    /// The maximum that GitHub shows for one step.
    private static let most = 10
    /// The directory that GitHub's paths are relative to; nil leaves paths as they are.
    private let workspace: String?

    /// Annotations for the job of an environment; nil outside of such a job.
    init?(environment: [String: String]) {
        guard environment["GITHUB_ACTIONS"] == "true" else { return nil }
        workspace = environment["GITHUB_WORKSPACE"]
    }

    /// The annotations of errors in files.
    func lines(_ diagnostics: [Diagnostic]) -> String {
        lines(
            diagnostics.map { diagnostic in
                let start = diagnostic.place.range.start
                let place = ReportedPlace(file: diagnostic.place.file.path, line: start.line, column: start.column)
                let message = [diagnostic.kind.sentence, diagnostic.kind.advice].compactMap(\.self)
                return error(at: place, message: message.joined(separator: " — "))
            }, more: "mistakes")
    }

    /// The annotations of the failures that count against a run, at the first failing expectation or step.
    func lines(_ results: [ScenarioResult]) -> String {
        lines(
            results.filter(\.isHeldAgainstRun).map { result in
                let difference = result.leadingFailure?.differences.first
                let place = difference.flatMap { ReportedPlace($0.place) } ?? result.place
                let message = [
                    result.leadingFailure?.headline,
                    difference.map { difference in
                        let name = difference.path.isEmpty ? "" : "\(difference.path): "
                        return "\(name)expected \(difference.expected), was \(difference.actual)"
                    }, "run it again: \(result.replay)",
                ]
                return error(
                    at: place, title: result.name, message: message.compactMap(\.self).joined(separator: "\n"))
            }, more: "scenarios that did not pass")
    }

    private func lines(_ annotations: [String], more: String) -> String {
        var lines = Array(annotations.prefix(Self.most))
        let rest = annotations.count - lines.count
        if rest > 0 { lines.append("::notice::and \(rest) more \(more); the log and the reports have all of them") }
        return lines.map { "\($0)\n" }.joined()
    }

    private func error(at place: ReportedPlace, title: String? = nil, message: String) -> String {
        var properties = [
            "file=\(Self.property(path(place.file)))", "line=\(place.line)", "col=\(place.column)",
        ]
        if let title { properties.append("title=\(Self.property(title))") }
        return "::error \(properties.joined(separator: ","))::\(Self.data(message))"
    }

    /// The file's path for GitHub: relative to the workspace.
    private func path(_ file: String) -> String {
        guard let workspace else { return file }
        let path = Files.absolute(file)
        return path.hasPrefix(workspace + "/") ? String(path.dropFirst(workspace.count + 1)) : file
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
