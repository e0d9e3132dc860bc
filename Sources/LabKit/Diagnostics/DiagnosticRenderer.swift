/// Prints diagnostics: `file:line:column: error: sentence`, the source line, a caret, and advice.
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
        var text = "\(diagnostic.place.label): error: \(diagnostic.kind.sentence)\n"
        text += excerpt(diagnostic.place)
        if let advice = diagnostic.kind.advice { text += "  help: \(advice)\n" }
        return text
    }

    /// The source line of a place with a caret under it; empty when the file has no such line.
    public func excerpt(_ place: SourcePlace) -> String {
        let range = place.range
        let line = secrets.masked(line: range.start.line, of: place.file)
        guard !line.isEmpty else { return "" }
        let lineLength = line.unicodeScalars.count
        let end = range.end.line == range.start.line ? range.end.column : lineLength + 1
        let length = max(1, min(end, lineLength + 1) - range.start.column)
        // Tabs keep their width when the caret line repeats them.
        let indent = line.unicodeScalars.prefix(range.start.column - 1).map { $0 == "\t" ? "\t" : " " }.joined()
        let number = String(range.start.line)
        let gutter = String(repeating: " ", count: number.count)
        let marker = "^" + String(repeating: "~", count: length - 1)
        return " \(number) | \(line)\n \(gutter) | \(indent)\(marker)\n"
    }

    /// The GitHub-style annotation of one diagnostic, a single line.
    public func annotation(_ diagnostic: Diagnostic) -> String {
        let message = [diagnostic.kind.sentence, diagnostic.kind.advice].compactMap(\.self).joined(separator: " — ")
        let escaped = message.replacing("%", with: "%25").replacing("\n", with: "%0A")
        let start = diagnostic.place.range.start
        return "::error file=\(diagnostic.place.file.path),line=\(start.line),col=\(start.column)::\(escaped)"
    }
}
