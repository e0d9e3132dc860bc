import Foundation
import LabSystem

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
    ///
    /// - Parameter environment: `CI_PROJECT_DIR` is the folder that paths are relative to; the default is the current
    ///   one.
    static func render(_ results: [ScenarioResult], environment: [String: String]) throws -> Data {
        let root = environment["CI_PROJECT_DIR"] ?? Files.absolute(".")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(results.filter(\.isHeldAgainstRun).map { issue($0, root: root) })
    }

    private static func issue(_ result: ScenarioResult, root: String) -> Issue {
        let difference = result.leadingFailure?.differences.first
        let place = difference.flatMap { ReportedPlace($0.place) } ?? result.place
        let path = Files.absolute(place.file)
        let reason = result.leadingFailure?.headline ?? result.remark ?? result.verdict.rawValue
        // A scenario has the same fingerprint in every pipeline, so that GitLab can detect new findings.
        return Issue(
            description: "\(result.name): \(reason)", check_name: "lab", fingerprint: result.id,
            severity: result.verdict == .failed ? "critical" : "major",
            location: .init(
                path: path.hasPrefix(root + "/") ? String(path.dropFirst(root.count + 1)) : place.file,
                lines: .init(begin: place.line)))
    }
}
