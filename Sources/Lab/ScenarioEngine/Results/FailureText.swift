// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// The text of a failure for people, with its numbers and durations.
public struct FailureText: Sendable {
    /// Whether colours are used.
    private let isColoured: Bool

    /// A text with or without colours.
    public init(isColoured: Bool) { self.isColoured = isColoured }

    /// A text in a colour.
    /// - Parameter code: The parameters of the escape sequence SGR, such as `31` for red.
    package func styled(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }

    /// One failure in full. Control characters in it do not reach the terminal.
    public func render(_ failure: StepFailure) -> String {
        let place = failure.place.map { "\($0): ".onOneVisibleLine } ?? ""
        let word =
            switch failure.verdict {
            case .failed: styled("failed", "31")
            case .notRun: styled("not run", "2")
            case .inconclusive, .passed: styled("inconclusive", "33")
            }
        let title = failure.title.isEmpty ? "" : "\(failure.title): ".onOneVisibleLine
        var lines = ["\(place)\(word): \(title)\(failure.reason.withVisibleControls)"]
        let source = failure.source.withVisibleControls
        // The source contains the note already.
        if let sentence = failure.sentence?.onOneVisibleLine, !source.contains(sentence) {
            lines.append("    \(sentence)")
        }
        if !source.isEmpty {
            lines += source.split(separator: "\n", omittingEmptySubsequences: false).map { "    \($0)" }
        }
        lines += failure.includedAt.map { "  included at \($0)".onOneVisibleLine }
        if let row = failure.row { lines.append("  with the row at \(row)".onOneVisibleLine) }
        for difference in failure.differences {
            let lead = difference.lead.onOneVisibleLine
            lines.append(
                "  " + styled("- \(lead)\(difference.expected.withVisibleControls)", "31")
                    + "   expected at \(difference.place)".onOneVisibleLine)
            let hint = difference.hint.map { ": \($0)" } ?? ""
            lines.append(
                "  " + styled("+ \(lead)\(difference.actual.withVisibleControls)", "32")
                    + "   actual\(hint)".onOneVisibleLine)
            lines += difference.excerpt.withVisibleControls.split(separator: "\n").map { "   \($0)" }
        }
        lines += failure.details.map { "    \($0)".onOneVisibleLine }
        lines += failure.causes.map { "  \(styled("because", "1")) \($0.onOneVisibleLine)" }
        if !failure.events.isEmpty {
            lines.append("  what happened in this step:")
            lines += failure.events.map { "    \($0)".onOneVisibleLine }
        }
        if !failure.trace.isEmpty {
            lines.append("  last events:")
            lines += failure.trace.map { "    \($0)".onOneVisibleLine }
        }
        if let name = failure.explain { lines.append("  what it means: lab explain \(name)") }
        if let command = failure.sharing { lines.append("  what apps shared then: \(command)".onOneVisibleLine) }
        if let command = failure.link { lines.append("  how the link was then: \(command)".onOneVisibleLine) }
        if let passed = failure.passed {
            lines.append("  it passed in \(passed.run): ".onOneVisibleLine + passed.comparison.withVisibleControls)
        }
        if !failure.replay.isEmpty { lines.append("  run it again: \(failure.replay)".withVisibleControls) }
        return lines.map { "  \($0)" }.joined(separator: "\n")
    }

    package static func milliseconds(_ nanoseconds: UInt64) -> String {
        String(format: "%.2f ms", Double(nanoseconds) / 1e6)
    }

    /// A number with its noun: `1 order`, `2 orders`.
    package static func counted(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    package static func seconds(_ seconds: Double) -> String {
        seconds < 1 ? String(format: "%.0f ms", seconds * 1000) : String(format: "%.2f s", seconds)
    }
}

extension String {
    /// The text with every character that would control a terminal, or change the order of the displayed text, written
    /// as `\u001B`. Line ends and tabs stay.
    public var withVisibleControls: String {
        guard unicodeScalars.contains(where: \.isControl) else { return self }
        var shown = ""
        for scalar in unicodeScalars {
            if scalar.isControl {
                let digits = String(scalar.value, radix: 16, uppercase: true)
                shown += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    /// The same for a text of one line.
    package var onOneVisibleLine: String { String(map { $0.isNewline || $0 == "\t" ? " " : $0 }).withVisibleControls }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        switch value {
        case 0x09, 0x0A: false
        case 0x00...0x1F, 0x7F...0x9F: true
        // Characters that reverse the direction of text.
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
