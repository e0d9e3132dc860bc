/// Scalars of several lines.
extension BlockLayout {
    /// A quoted scalar; an empty line in it is a line end of its text.
    mutating func formatQuoted(_ parts: [String], at indentation: Int) {
        output.appendToken(parts[0])
        for part in parts.dropFirst() { goOn(with: part, at: indentation) }
    }

    /// A plain scalar, with the lines below that are indented more than the list or mapping that it is in.
    mutating func formatPlain() -> Bool {
        output.appendToken(cursor.takePlain(inFlow: false))
        cursor.skipBlanks()
        while cursor.isAtLineEnd {
            var next = cursor
            var emptyLines = 0
            next.nextLine()
            while !next.isAtEnd, TextCursor.margin(of: next.current) == nil {
                next.nextLine()
                emptyLines += 1
            }
            guard let margin = TextCursor.margin(of: next.current), margin > parentColumn, !next.isDocumentMarker else {
                break
            }
            next.advance(margin)
            guard next.character != "#" else { break }
            for _ in 0..<emptyLines { goOn(with: "", at: 0) }
            let text = next.takePlain(inFlow: false)
            goOn(with: text, at: valueIndentation)
            next.skipBlanks()
            cursor = next
        }
        return endLine(awaitsValue: false)
    }

    /// Ends the line and writes the next one of the same scalar.
    mutating func goOn(with text: String, at indentation: Int) {
        output.end()
        guard !text.isEmpty else { return output.addText("") }
        output.begin(at: indentation)
        output.append(text)
    }

    /// A scalar with `|` or `>`: its lines move together, and keep every space that belongs to its text.
    mutating func formatBlockScalar() -> Bool {
        let header = cursor.takeProperty(inFlow: false)
        output.appendToken(header)
        guard endLine(awaitsValue: false) else { return false }
        let step = header.unicodeScalars.compactMap { ("1"..."9").contains($0) ? Int($0.value) - 0x30 : nil }.first
        let lines = cursor.lines[(cursor.line + 1)...]
        let column = step.map { max(parentColumn, 0) + $0 } ?? textColumn(of: lines)
        let text = lines.prefix { line in Self.margin(of: line).map { $0 >= column } ?? true }
        // Spaces beyond the margin are text; empty lines at the end are so only with `+`.
        let lastText = text.lastIndex { Self.margin(of: $0) != nil || $0.count > column }
        let last = header.contains("+") ? text.endIndex : lastText.map { $0 + 1 } ?? text.startIndex
        let indentation = String(repeating: " ", count: step.map { parentIndentation + $0 } ?? valueIndentation)
        for line in text[..<last] {
            let rest = TextCursor.text(line.dropFirst(column))
            output.addText(rest.isEmpty ? "" : indentation + rest)
        }
        while cursor.line + 1 < last { cursor.nextLine() }
        endsInText = last == cursor.lines.count && last > text.startIndex && !header.contains("-")
        return true
    }

    /// The margin of a block scalar that does not say it: that of its first line which is not empty. A scalar without such a
    /// line has none.
    private func textColumn(of lines: ArraySlice<[Unicode.Scalar]>) -> Int {
        let first = lines.lazy.compactMap(Self.margin).first ?? 0
        return first > parentColumn ? first : .max
    }

    private static func margin(of line: [Unicode.Scalar]) -> Int? { line.firstIndex { $0 != " " } }
}
