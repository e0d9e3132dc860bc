// SPDX-License-Identifier: Apache-2.0

/// Puts the text of a YAML file into the shape that the lab's own files have, without changing what it says.
///
/// Line ends inside of lists and mappings stay where the writer put them, and so do the order of keys, quotes, comments and
/// the text of block scalars. What changes is the space around them: two spaces a level, `{ a: 1 }` and `[a, b]`, at most
/// one empty line in a row.
public enum YAMLFormatter {
    /// Formats a file.
    /// - Returns: The text as it should be; nil after a complaint.
    /// - Throws: ``FormatterDefect`` when the formatter itself is wrong: the result would say something else.
    public static func format(
        _ file: SourceFile, reporting collector: DiagnosticCollector
    ) throws(FormatterDefect) -> String? {
        guard let tree = YAMLDocument.parse(file, reporting: collector) else { return nil }
        var layout = BlockLayout(file.lines)
        guard let text = layout.format() else {
            throw FormatterDefect(path: file.path, what: "it does not know a part of it")
        }
        let result = SourceFile(path: file.path, text: text)
        guard ink(of: text) == ink(of: file.text) else {
            throw FormatterDefect(path: file.path, what: "characters would be lost or added")
        }
        guard let formatted = YAMLDocument.parse(result, reporting: DiagnosticCollector()),
            formatted.saysTheSame(as: tree)
        else { throw FormatterDefect(path: file.path, what: "a value would change") }
        return text
    }

    /// Everything but space and line ends. When it is the same and the values are, the comments are the same too.
    private static func ink(of text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { ![" ", "\t", "\n", "\r", "\u{FEFF}"].contains($0) }
    }
}

/// A mistake of the formatter, found before anything was written.
public struct FormatterDefect: Error, CustomStringConvertible {
    /// The file, as the user named it.
    public let path: String
    /// What would have gone wrong, as the end of a sentence.
    public let what: String

    public var description: String {
        """
        the formatter cannot keep the meaning of \(path), which stays as it is: \(what). This is a defect of the lab; \
        please report it with the file
        """
    }
}

extension YAMLNode {
    /// Whether two trees hold the same keys and values in the same order, wherever they were written.
    fileprivate func saysTheSame(as other: YAMLNode) -> Bool {
        switch (content, other.content) {
        case (.scalar(let left), .scalar(let right)): left == right
        case (.sequence(let left), .sequence(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.saysTheSame(as: $1) }
        case (.mapping(let left), .mapping(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.key == $1.key && $0.value.saysTheSame(as: $1.value) }
        default: false
        }
    }
}

/// The lines of a formatted text, the last of which is being written.
struct FormattedLines {
    private var lines: [(text: String, isText: Bool)] = []
    private var line: String?

    /// The column behind what was written to the line, and behind the space that the next token needs.
    var nextColumn: Int { line.map { $0.unicodeScalars.count + 1 } ?? 0 }

    mutating func begin(at indentation: Int) { line = String(repeating: " ", count: indentation) }

    mutating func append(_ text: String) { line = (line ?? "") + text }

    /// Writes to the line, after a space unless it is the first of the line.
    mutating func appendToken(_ text: String) {
        let isFirst = line?.allSatisfy { $0 == " " } ?? true
        append(isFirst ? text : " \(text)")
    }

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
    /// - Parameter endsOpen: Leaves out the last line end.
    func text(endsOpen: Bool) -> String {
        var lines = lines
        while let last = lines.last, last.text.isEmpty, !last.isText { lines.removeLast() }
        return lines.map(\.text).joined(separator: "\n") + (endsOpen ? "" : "\n")
    }
}
