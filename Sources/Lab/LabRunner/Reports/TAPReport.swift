internal import Foundation
internal import LabKit

/// The results as the Test Anything Protocol, version 14, writes them.
///
/// A scenario that is known not to pass is marked `TODO`, one that its cast cannot play `SKIP`; readers count neither as a
/// failure. The diagnostics keep to the part of YAML that Perl's TAP::Parser reads, the one that `prove` has.
public enum TAPReport {
    /// The complete document.
    public static func render(_ results: [ScenarioResult]) -> String {
        let points = results.enumerated().flatMap { point($1, number: $0 + 1) }
        return (["TAP version 14", "1..\(results.count)"] + points + [""]).joined(separator: "\n")
    }

    private static func point(_ result: ScenarioResult, number: Int) -> [String] {
        let isFine: Bool
        var directive = ""
        switch result.outcome {
        case .passed: isFine = true
        case .failed, .error: isFine = false
        case .skipped(let reason):
            // What cannot be played is neither fine nor not; readers take `ok` with the directive for a point left out.
            isFine = result.verdict == .notRun
            directive = " # \(isFine ? "SKIP" : "TODO") \(escaped(reason))"
        }
        let title = escaped("\(result.id): \(result.name)")
        let line = "\(isFine ? "ok" : "not ok") \(number) - \(title)\(directive)"
        return [line, "  ---"] + diagnostics(of: result).map { "  \($0)" } + ["  ..."]
    }

    /// What a reader wants to know, as lines of YAML.
    private static func diagnostics(of result: ScenarioResult) -> [String] {
        var lines = [
            "verdict: \(result.verdict.rawValue)", "duration_ms: \(Int((result.seconds * 1000).rounded()))",
            "topology: \(quoted(result.topology))", "seed: \(result.seed)",
        ]
        lines.append(result.tags.isEmpty ? "tags: []" : "tags:")
        // TAP::Parser takes what has a colon for a key, also between quotes.
        lines += result.tags.map { "  - \(quoted($0).replacing(":", with: "\\x3A"))" }
        lines.append("replay: \(quoted(result.replay))")
        guard let failure = result.leadingFailure else { return lines }
        let place = result.place
        lines.append("message: \(quoted(failure.headline))")
        lines += ["at:", "  file: \(quoted(place.file))", "  line: \(place.line)", "  column: \(place.column)"]
        return lines + ["explanation: |"] + block(result.explanation).map { "  \($0)" }
    }

    /// The lines of a text, the first of them without a margin, which says how far the block is indented, and none of them
    /// empty or before that margin, which would end it.
    private static func block(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { plain($0) }
        let margin = lines.first?.prefix { $0 == " " }.count ?? 0
        return lines.map { line in
            let own = min(margin, line.prefix { $0 == " " }.count)
            return line.count == own ? " " : String(line.dropFirst(own))
        }
    }

    /// A text on the line of a test point, where `#` begins a directive.
    private static func escaped(_ text: String) -> String {
        plain(text.replacing("\\", with: "\\\\").replacing("#", with: "\\#").replacing("\n", with: " "))
    }

    /// A text as JSON writes it, which every reader of YAML takes.
    private static func quoted(_ text: String) -> String { JSONValue.string(plain(text, keeping: "\n")).description }

    /// A text without the characters that YAML cannot hold or takes for the end of a line.
    private static func plain(_ text: some StringProtocol, keeping kept: Unicode.Scalar? = nil) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case kept, "\t": result.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}":
                result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
