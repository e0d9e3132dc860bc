// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
public import ScenarioEngine

/// The results in the Test Anything Protocol, version 14.
///
/// A scenario with a known failure is marked `TODO`, one that its topology cannot play `SKIP`; readers count neither as
/// a failure. The diagnostics use the subset of YAML that Perl's TAP::Parser reads, the parser of `prove`.
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
            // A scenario that cannot be played is neither ok nor not ok; readers take `ok` with the directive as
            // skipped.
            isFine = result.verdict == .notRun
            directive = " # \(isFine ? "SKIP" : "TODO") \(escaped(reason))"
        }
        let title = escaped("\(result.id): \(result.name)")
        let line = "\(isFine ? "ok" : "not ok") \(number) - \(title)\(directive)"
        return [line, "  ---"] + diagnostics(of: result).map { "  \($0)" } + ["  ..."]
    }

    /// The diagnostics as lines of YAML.
    private static func diagnostics(of result: ScenarioResult) -> [String] {
        var lines = [
            "verdict: \(result.verdict.rawValue)", "duration_ms: \(Int((result.seconds * 1000).rounded()))",
            "topology: \(quoted(result.topology))", "seed: \(result.seed)",
        ]
        lines.append(result.tags.isEmpty ? "tags: []" : "tags:")
        // TAP::Parser takes a text with a colon as a key, even in quotes.
        lines += result.tags.map { "  - \(quoted($0).replacing(":", with: "\\x3A"))" }
        if let remark = result.remark { lines.append("remark: \(quoted(remark))") }
        lines.append("replay: \(quoted(result.replay))")
        guard let failure = result.leadingFailure else { return lines }
        let place = result.place
        lines.append("message: \(quoted(failure.headline))")
        lines += ["at:", "  file: \(quoted(place.file))", "  line: \(place.line)", "  column: \(place.column)"]
        return lines + ["explanation: |"] + block(result.explanation).map { "  \($0)" }
    }

    /// The lines of a text. The first line has no margin, because it defines the block's indentation; no line is empty
    /// or begins before that margin, which would end the block.
    private static func block(_ text: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { plain($0) }
        let margin = lines.first?.prefix { $0 == " " }.count ?? 0
        return lines.map { line in
            let own = min(margin, line.prefix { $0 == " " }.count)
            return line.count == own ? " " : String(line.dropFirst(own))
        }
    }

    /// A text for the line of a test point, where `#` begins a directive.
    private static func escaped(_ text: String) -> String {
        plain(text.replacing("\\", with: "\\\\").replacing("#", with: "\\#").replacing("\n", with: " "))
    }

    /// A text in the form of JSON, which every reader of YAML accepts.
    private static func quoted(_ text: String) -> String { JSONValue.string(plain(text, keeping: "\n")).description }

    /// A text without the characters that YAML cannot contain or treats as line ends.
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
