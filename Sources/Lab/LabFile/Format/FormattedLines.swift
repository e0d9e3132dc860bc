/// The lines of a formatted text, the last of which is being written.
struct FormattedLines {
    private var lines: [(text: String, isText: Bool)] = []
    private var line: String?

    /// The column behind what was written to the line, and behind the space that the next token needs.
    var nextColumn: Int { line.map { $0.unicodeScalars.count + 1 } ?? 0 }

    /// Begins a line.
    mutating func begin(at indentation: Int) { line = String(repeating: " ", count: indentation) }

    /// Writes to the line.
    mutating func append(_ text: String) { line = (line ?? "") + text }

    /// Writes to the line, after a space unless it is the first of the line.
    mutating func appendToken(_ text: String) {
        let isFirst = line?.allSatisfy { $0 == " " } ?? true
        append(isFirst ? text : " \(text)")
    }

    /// Ends the line.
    mutating func end() {
        if let line { lines.append((line, false)) }
        line = nil
    }

    /// An empty line between two others: one is enough, and none at the beginning.
    mutating func addEmptyLine() {
        if let last = lines.last, !last.text.isEmpty { lines.append(("", false)) }
    }

    /// A line that is the text of a scalar and stays as it is.
    mutating func addText(_ text: String) { lines.append((text, true)) }

    /// The whole text, which ends in a line end.
    ///
    /// - Parameter endsOpen: Leaves out the last line end.
    func text(endsOpen: Bool) -> String {
        var lines = lines
        while let last = lines.last, last.text.isEmpty, !last.isText { lines.removeLast() }
        return lines.map(\.text).joined(separator: "\n") + (endsOpen ? "" : "\n")
    }
}
