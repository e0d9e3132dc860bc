// SPDX-License-Identifier: Apache-2.0

import Yams

/// What the parser's complaint means in words of the file: libyaml reports where it could not continue, which is often far behind
/// the mistake.
struct YAMLProblem {
    let kind: DiagnosticKind
    let range: SourceRange

    /// - Parameters:
    ///   - problem: The parser's words.
    ///   - mark: Where parsing stopped.
    ///   - context: What it was in the middle of, and where that began.
    init(_ problem: String, at mark: Mark, within context: YamlError.Context?, of file: SourceFile) {
        let place = SourcePosition(line: mark.line, column: mark.column)
        if problem.contains("another document") {
            (kind, range) = (.severalDocuments, SourceRange(line: mark.line, column: mark.column))
        } else if let context, context.text.contains("quoted scalar"), problem.contains("end of stream") {
            (kind, range) = (
                .unclosedQuote(closedIn: nil), SourceRange(line: context.mark.line, column: context.mark.column)
            )
        } else if let reference = Self.unquotedReference(at: place, of: file) {
            let length = reference.unicodeScalars.count
            (kind, range) = (
                .unquotedReference(text: reference),
                SourceRange(line: mark.line, column: mark.column - 1, length: length)
            )
        } else if let quoted = QuotedText(before: place, in: file) {
            let isOnOneLine = quoted.start.line == place.line
            kind = isOnOneLine ? .textAfterQuote : .unclosedQuote(closedIn: place.line)
            range =
                isOnOneLine
                ? SourceRange(line: place.line, column: place.column)
                : SourceRange(line: quoted.start.line, column: quoted.start.column)
        } else {
            (kind, range) = (.malformedYAML(problem: problem), SourceRange(line: mark.line, column: mark.column))
        }
    }

    /// A reference whose brace, which begins a mapping between `{ }` and `[ ]`, is at a place.
    private static func unquotedReference(at place: SourcePosition, of file: SourceFile) -> String? {
        let line = Array(file.line(place.line).unicodeScalars)
        let brace = place.column - 1
        guard brace > 0, line.indices.contains(brace), line[brace] == "{", line[brace - 1] == "$" else { return nil }
        let end = line[brace...].firstIndex(of: "}") ?? line.endIndex - 1
        var text = String.UnicodeScalarView()
        text.append(contentsOf: line[(brace - 1)...end])
        return String(text)
    }
}

/// A text in quotes.
struct QuotedText {
    /// Where its first quote is.
    let start: SourcePosition

    /// Finds the text in quotes that ends right before a place, but for blanks; nil if there is no such text.
    init?(before place: SourcePosition, in file: SourceFile) {
        var opening: (place: SourcePosition, quote: Unicode.Scalar)?
        var last: (start: SourcePosition, end: SourcePosition)?
        for (index, text) in file.lines.prefix(place.line).enumerated() {
            let line = Array(text.unicodeScalars)
            var column = 0
            while column < line.count, index + 1 < place.line || column + 1 < place.column {
                let position = SourcePosition(line: index + 1, column: column + 1)
                if let open = opening {
                    if open.quote == "\"", line[column] == "\\" {
                        column += 1
                    } else if line[column] == open.quote {
                        if open.quote == "'", line.indices.contains(column + 1), line[column + 1] == "'" {
                            column += 1
                        } else {
                            last = (open.place, position)
                            opening = nil
                        }
                    }
                } else if line[column] == "#", column == 0 || line[column - 1] == " " {
                    break
                } else if line[column] == "\"" || line[column] == "'", Self.mayOpen(at: column, of: line) {
                    opening = (position, line[column])
                }
                column += 1
            }
        }
        guard opening == nil, let last, last.end.line == place.line,
            Array(file.line(place.line).unicodeScalars)[last.end.column..<(place.column - 1)].allSatisfy({ $0 == " " })
        else { return nil }
        start = last.start
    }

    /// Whether a value may begin at a column; elsewhere a quote is a character like others.
    private static func mayOpen(at column: Int, of line: [Unicode.Scalar]) -> Bool {
        guard let before = line[..<column].last(where: { $0 != " " }) else { return true }
        if "[{,".unicodeScalars.contains(before) { return true }
        return line[column - 1] == " " && "-:?".unicodeScalars.contains(before)
    }
}
