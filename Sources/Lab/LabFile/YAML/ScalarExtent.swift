import Yams

/// Finds where a scalar ends; the composer keeps only its beginning.
struct ScalarExtent {
    let lines: [[Unicode.Scalar]]

    /// The range of a scalar, over all of its lines: what masks a secret relies on it.
    ///
    /// - Parameters:
    ///   - text: The scalar after YAML's own unescaping.
    ///   - style: How it is written.
    ///   - start: Where it begins, with its anchor and tag.
    func range(of text: String, style: Node.Scalar.Style, from start: SourcePosition) -> SourceRange {
        let value = behindProperties(from: start)
        let end: SourcePosition? =
            switch style {
            case .doubleQuoted: behindQuotes("\"", from: value)
            case .singleQuoted: behindQuotes("'", from: value)
            case .literal, .folded: behindLast(of: text, from: SourcePosition(line: value.line + 1, column: 1))
            case .plain, .any: behindLast(of: text, from: value)
            }
        return end.map { SourceRange(start: start, end: $0) } ?? SourceRange(line: start.line, column: start.column)
    }

    private func line(_ number: Int) -> [Unicode.Scalar] {
        lines.indices.contains(number - 1) ? lines[number - 1] : []
    }

    /// The place of the value itself; an anchor, a tag and comments may precede it.
    private func behindProperties(from start: SourcePosition) -> SourcePosition {
        var (number, column) = (start.line, start.column - 1)
        var isBehindProperty = false
        while number <= lines.count {
            let line = line(number)
            while column < line.count, Self.isBlank(line[column]) { column += 1 }
            if column < line.count, line[column] == "&" || line[column] == "!" {
                while column < line.count, !Self.isBlank(line[column]) { column += 1 }
                isBehindProperty = true
            } else if isBehindProperty, column >= line.count || line[column] == "#" {
                (number, column) = (number + 1, 0)
            } else {
                return SourcePosition(line: number, column: column + 1)
            }
        }
        return start
    }

    /// The place behind the last character of a text that is written without quotes.
    ///
    /// YAML folds line ends and removes indentation, but keeps every other character and their order.
    ///
    /// - Returns: Nil if nothing of the text is written there.
    private func behindLast(of text: String, from start: SourcePosition) -> SourcePosition? {
        var (number, column) = (start.line, start.column - 1)
        var end: SourcePosition?
        for scalar in text.unicodeScalars where !Self.isBlank(scalar) {
            while number <= lines.count, column >= line(number).count || Self.isBlank(line(number)[column]) {
                (number, column) = column < line(number).count ? (number, column + 1) : (number + 1, 0)
            }
            guard number <= lines.count, line(number)[column] == scalar else { return end }
            column += 1
            end = SourcePosition(line: number, column: column + 1)
        }
        return end
    }

    /// The place behind the quote that closes a text.
    private func behindQuotes(_ quote: Unicode.Scalar, from start: SourcePosition) -> SourcePosition? {
        var (number, column) = (start.line, start.column)
        while number <= lines.count {
            let line = line(number)
            while column < line.count {
                if quote == "\"", line[column] == "\\" {
                    column += 2
                } else if line[column] == quote {
                    if quote == "'", column + 1 < line.count, line[column + 1] == quote {
                        column += 2
                    } else {
                        return SourcePosition(line: number, column: column + 2)
                    }
                } else {
                    column += 1
                }
            }
            (number, column) = (number + 1, 0)
        }
        return nil
    }

    /// Whether YAML sees a space, a tab or a line end.
    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}
