import Foundation

/// The layout of what `lab inspect` prints: lines under headings.
enum InspectionText {
    /// Lines under one heading.
    static func rows(_ heading: String, _ lines: [String]) -> [String] {
        zip([heading] + Array(repeating: "", count: max(0, lines.count - 1)), lines).map(row)
    }

    /// A line with its heading.
    static func row(_ heading: String, _ text: String) -> String {
        "  \(heading.padding(toLength: 16, withPad: " ", startingAt: 0))\(text)"
    }

    /// A length of time, given in milliseconds.
    static func time(_ milliseconds: Int) -> String {
        abs(milliseconds) < 1000 ? "\(milliseconds) ms" : String(format: "%.1f s", Double(milliseconds) / 1000)
    }
}
