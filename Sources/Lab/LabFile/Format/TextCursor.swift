// SPDX-License-Identifier: Apache-2.0

/// A place in a text that is read from its beginning to its end, and what YAML has there.
///
/// Lines and columns are counted from 0 here. A cursor may stand behind the last character of a line.
struct TextCursor {
    let lines: [[Unicode.Scalar]]
    private(set) var line = 0
    private(set) var column = 0

    init(_ lines: [[Unicode.Scalar]]) { self.lines = lines }

    var isAtEnd: Bool { line >= lines.count }
    var current: [Unicode.Scalar] { isAtEnd ? [] : lines[line] }
    /// The character at the cursor; nil at the end of the line.
    var character: Unicode.Scalar? { character(after: 0) }
    var isAtLineEnd: Bool { character == nil }

    /// The column of the first non-blank character of a line; nil for an empty line.
    static func margin(of line: [Unicode.Scalar]) -> Int? { line.firstIndex { !isBlank($0) } }

    static func isBlank(_ character: Unicode.Scalar?) -> Bool { character == " " || character == "\t" }

    /// Whether a character separates tokens, as the end of a line does.
    static func isSpace(_ character: Unicode.Scalar?) -> Bool { character == nil || isBlank(character) }

    static func isFlowIndicator(_ character: Unicode.Scalar?) -> Bool {
        character.map { [",", "[", "]", "{", "}"].contains($0) } ?? false
    }

    func character(after offset: Int) -> Unicode.Scalar? {
        let position = column + offset
        return current.indices.contains(position) ? current[position] : nil
    }

    mutating func advance(_ count: Int = 1) { column = min(column + count, current.count) }

    mutating func skipBlanks() {
        while Self.isBlank(character) { column += 1 }
    }

    mutating func nextLine() {
        line += 1
        column = 0
    }

    /// The rest of the line, without blanks at its end.
    mutating func takeLine() -> String {
        defer { column = current.count }
        return Self.text(Self.trimmed(current[min(column, current.count)...]))
    }

    /// The characters up to a column of this line.
    mutating func take(to end: Int) -> String {
        defer { column = end }
        return Self.text(current[column..<end])
    }

    static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    static func trimmed(_ scalars: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        scalars[..<((scalars.lastIndex { !isBlank($0) } ?? scalars.startIndex - 1) + 1)]
    }

    // MARK: - Tokens

    /// Whether the cursor stands before an indicator such as `-` with space behind it.
    func isIndicator(_ indicator: Unicode.Scalar) -> Bool {
        character == indicator && Self.isSpace(character(after: 1))
    }

    /// Whether the line is `---` or `...`, with or without something behind it.
    var isDocumentMarker: Bool {
        guard column == 0, let first = character, first == "-" || first == "." else { return false }
        return character(after: 1) == first && character(after: 2) == first && Self.isSpace(character(after: 3))
    }

    /// An anchor, a tag or an alias; `*` and its name stand for a value.
    mutating func takeProperty(inFlow: Bool) -> String {
        var end = column
        while end < current.count, !Self.isBlank(current[end]), !(inFlow && Self.isFlowIndicator(current[end])) {
            end += 1
        }
        // The colon of a key may follow the name of an alias without a space.
        if character == "*", end > column + 1, current[end - 1] == ":" { end -= 1 }
        return take(to: end)
    }

    /// The part of a plain scalar that is on this line, without blanks at its end.
    mutating func takePlain(inFlow: Bool) -> String {
        var end = column
        while end < current.count {
            let next = end + 1 < current.count ? current[end + 1] : nil
            if current[end] == ":", Self.isSpace(next) || (inFlow && Self.isFlowIndicator(next)) { break }
            if current[end] == "#", end > column, Self.isBlank(current[end - 1]) { break }
            if inFlow, Self.isFlowIndicator(current[end]) { break }
            end += 1
        }
        return take(to: Self.trimmed(current[column..<end]).endIndex)
    }

    /// A quoted scalar: the text of each of its lines, without the blanks around that YAML does not read.
    /// - Returns: nil when it has no end.
    mutating func takeQuoted() -> [String]? {
        guard let quote = character else { return nil }
        var parts: [String] = []
        var end = column + 1
        while !isAtEnd {
            while end < current.count {
                if quote == "\"", current[end] == "\\" {
                    end += 2
                } else if current[end] != quote {
                    end += 1
                } else if quote == "'", end + 1 < current.count, current[end + 1] == quote {
                    end += 2
                } else {
                    parts.append(take(to: end + 1))
                    return parts
                }
            }
            var text = Self.trimmed(current[column...])
            // A blank behind a backslash is text.
            let backslashes = text.reversed().prefix { $0 == "\\" }.count
            if quote == "\"", backslashes % 2 == 1, text.endIndex < current.count {
                text = current[column...text.endIndex]
            }
            parts.append(Self.text(text))
            nextLine()
            skipBlanks()
            end = column
        }
        return nil
    }
}
