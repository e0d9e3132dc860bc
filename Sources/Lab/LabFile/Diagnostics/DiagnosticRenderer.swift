import LabSystem

/// Prints diagnostics: `file:line:column: error: sentence`, the source line, a caret, the other place, and advice.
///
/// An immutable value; any thread.
public struct DiagnosticRenderer: Sendable {
    /// Places that are masked in the printed source lines.
    public let secrets: SecretRanges

    /// A renderer that masks the given places.
    public init(secrets: SecretRanges = SecretRanges()) {
        self.secrets = secrets
    }

    /// The complete print-out of a list, one blank line between entries.
    public func render(_ diagnostics: [Diagnostic]) -> String {
        diagnostics.map(render).joined(separator: "\n")
    }

    /// The print-out of one diagnostic, ending in a line end.
    public func render(_ diagnostic: Diagnostic) -> String {
        var text = "\(diagnostic.place.label): \(diagnostic.severity.rawValue): \(diagnostic.kind.sentence)\n"
        text += excerpt(diagnostic.place)
        if let related = diagnostic.related {
            text += "  \(related.words) \(related.place.label)\n" + excerpt(related.place)
        }
        for place in diagnostic.includedAt { text += "  included at \(place.label)\n" + excerpt(place) }
        if let advice = diagnostic.kind.advice { text += "  help: \(advice)\n" }
        return text
    }

    /// The most characters of a source line that are shown; of a longer line, those around the caret.
    private static let widestLine = 160

    /// The source line of a place with a caret under it; empty when the file has no such line.
    public func excerpt(_ place: SourcePlace) -> String {
        let range = place.range
        let line = Array(secrets.masked(line: range.start.line, of: place.file).unicodeScalars)
        guard !line.isEmpty else { return "" }
        let end = range.end.line == range.start.line ? range.end.column : line.count + 1
        let caret = min(range.start.column - 1, line.count)
        // A third of the width stands before the caret, so that what it points at is seen.
        let first =
            line.count <= Self.widestLine ? 0 : max(0, min(caret - Self.widestLine / 3, line.count - Self.widestLine))
        let last = min(line.count, first + Self.widestLine)
        let before = first > 0 ? "…" : ""
        let after = last < line.count ? "…" : ""
        let marked = line[caret..<max(caret, min(end - 1, last))]
        // Columns of the terminal and not characters; tabs keep their width when the caret line repeats them.
        let indent = (before + Self.text(line[first..<caret])).map {
            $0 == "\t" ? "\t" : String(repeating: " ", count: Terminal.width(of: String($0)))
        }
        let number = String(range.start.line)
        let gutter = String(repeating: " ", count: number.count)
        let marker = "^" + String(repeating: "~", count: max(1, Terminal.width(of: Self.text(marked))) - 1)
        return
            " \(number) | \(before)\(Self.text(line[first..<last]))\(after)\n \(gutter) | \(indent.joined())\(marker)\n"
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
