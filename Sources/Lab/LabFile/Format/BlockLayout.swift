/// Formats the lines of a YAML document: finds the levels of its lists and mappings by the columns of their first
/// characters, and gives each level its place.
///
/// The text has been parsed before, so that only what YAML allows is expected here.
struct BlockLayout {
    /// A list or mapping in block style.
    private struct Level {
        /// Where its elements or keys begin in the source.
        let column: Int
        let isSequence: Bool
        /// Where they begin in the result.
        let indentation: Int
    }

    var cursor: TextCursor
    var output = FormattedLines()
    private var levels: [Level] = []
    /// Comments and empty lines (nil) that wait for the line below them, which decides where they stand.
    private var waiting: [(column: Int, text: String)?] = []
    /// Whether the last line ended with a dash or a colon whose value is still to come.
    private var awaitsValue = false
    /// Whether the source ends in a line end.
    private let hasLastLineEnd: Bool
    /// Whether the last line is the text of a block scalar that keeps its line end, and so must not get one.
    var endsInText = false

    init(_ lines: [String]) {
        var lines = lines.map { Array($0.unicodeScalars) }
        if lines.first?.first == "\u{FEFF}" { lines[0].removeFirst() }
        hasLastLineEnd = lines.last?.isEmpty ?? false
        if hasLastLineEnd { lines.removeLast() }
        cursor = TextCursor(lines)
    }

    /// The column of the list or mapping that a value is in; -1 for the value of the whole document.
    var parentColumn: Int { levels.last?.column ?? -1 }
    /// The place of the list or mapping that a value is in.
    var parentIndentation: Int { levels.last?.indentation ?? 0 }
    /// The place of a value that stands below its key or dash.
    var valueIndentation: Int { levels.last.map { $0.indentation + 2 } ?? 0 }

    /// Formats everything.
    ///
    /// - Returns: nil when something was met that no document has.
    mutating func format() -> String? {
        while !cursor.isAtEnd {
            cursor.skipBlanks()
            switch cursor.character {
            case nil: waiting.append(nil)
            case "#": waiting.append((cursor.column, cursor.takeLine()))
            default: guard formatLine() else { return nil }
            }
            cursor.nextLine()
        }
        placeWaiting(above: 0, at: 0)
        return output.text(endsOpen: endsInText && !hasLastLineEnd)
    }

    // MARK: - Comments

    /// Writes the comments that waited: each stands above the next line, unless it was indented more than that, and so
    /// belongs to what is above it.
    private mutating func placeWaiting(above column: Int, at indentation: Int) {
        for comment in waiting {
            guard let comment else {
                output.addEmptyLine()
                continue
            }
            output.begin(at: comment.column > column ? indentationAbove(comment.column) : indentation)
            output.append(comment.text)
            output.end()
        }
        waiting = []
    }

    private func indentationAbove(_ column: Int) -> Int {
        guard let level = levels.last(where: { $0.column <= column }) else { return 0 }
        let isInValue = awaitsValue && level.column == levels.last?.column && column > level.column
        return level.indentation + (isInValue ? 2 : 0)
    }

    // MARK: - Lines

    /// Formats a line, and those in which the value at its end continues.
    private mutating func formatLine() -> Bool {
        var isFirst = true
        var dash: Int?
        if cursor.isDocumentMarker {
            begin(at: 0, above: 0)
            levels = []
            output.append(cursor.take(to: 3))
            isFirst = false
        } else if cursor.column == 0, cursor.character == "%" {
            begin(at: 0, above: 0)
            output.append(cursor.takeLine())
        }
        while true {
            cursor.skipBlanks()
            if cursor.isAtLineEnd, let dash, goOnBelow(dashAt: dash) { continue }
            if cursor.isAtLineEnd || cursor.character == "#" { return endLine(awaitsValue: true) }
            guard let indicator: Unicode.Scalar = ["-", "?", ":"].first(where: { cursor.isIndicator($0) }) else {
                break
            }
            dash = indicator == "-" ? cursor.column : nil
            open(at: cursor.column, isSequence: indicator == "-", isFirst: isFirst)
            output.appendToken(cursor.take(to: cursor.column + 1))
            isFirst = false
        }
        return formatKeyOrValue(isFirst: isFirst)
    }

    /// Goes to the next line when the element of a dash stands there, so that it comes beside the dash.
    private mutating func goOnBelow(dashAt column: Int) -> Bool {
        var next = cursor
        next.nextLine()
        next.skipBlanks()
        guard let first = next.character, first != "#", next.column > column else { return false }
        cursor = next
        return true
    }

    private mutating func begin(at indentation: Int, above column: Int) {
        placeWaiting(above: column, at: indentation)
        output.begin(at: indentation)
    }

    /// Finds or begins the list or mapping that the token at a column belongs to.
    private mutating func open(at column: Int, isSequence: Bool, isFirst: Bool) {
        guard isFirst else {
            levels.append(Level(column: column, isSequence: isSequence, indentation: output.nextColumn))
            return
        }
        var remaining = levels
        while let last = remaining.last, last.column > column { remaining.removeLast() }
        // A list may stand in the column of the key that it belongs to; the next key ends it.
        if !isSequence, let last = remaining.last, last.isSequence, last.column == column { remaining.removeLast() }
        if remaining.last.map({ $0.column != column || $0.isSequence != isSequence }) ?? true {
            let indentation = remaining.last.map { $0.indentation + 2 } ?? 0
            remaining.append(Level(column: column, isSequence: isSequence, indentation: indentation))
        }
        begin(at: remaining.last?.indentation ?? 0, above: column)
        levels = remaining
    }

    /// A key with its value, or a value without one.
    private mutating func formatKeyOrValue(isFirst: Bool) -> Bool {
        let start = cursor.column
        var tokens: [String] = []
        while let first = cursor.character, first == "&" || first == "!" {
            tokens.append(cursor.takeProperty(inFlow: false))
            cursor.skipBlanks()
        }
        if let key = takeKey() {
            open(at: start, isSequence: false, isFirst: isFirst)
            output.appendToken((tokens + [key]).joined(separator: " "))
            cursor.skipBlanks()
            tokens = []
            while let first = cursor.character, first == "&" || first == "!" {
                tokens.append(cursor.takeProperty(inFlow: false))
                cursor.skipBlanks()
            }
        } else if isFirst {
            let kept = levels.filter { $0.column <= start }
            begin(at: kept.last.map { $0.indentation + 2 } ?? 0, above: start)
            levels = kept
        }
        for token in tokens { output.appendToken(token) }
        return formatValue()
    }

    /// The key at the cursor with its colon; nil, with the cursor unmoved, if there is no key.
    private mutating func takeKey() -> String? {
        let before = cursor
        var key: String?
        switch cursor.character {
        case "\"", "'":
            if let parts = cursor.takeQuoted(), parts.count == 1 { key = parts[0] }
        case "*": key = cursor.takeProperty(inFlow: false)
        case "{", "[", "|", ">", nil: break
        default: key = cursor.takePlain(inFlow: false)
        }
        cursor.skipBlanks()
        guard let key, cursor.isIndicator(":") else {
            cursor = before
            return nil
        }
        cursor.advance()
        return key.hasPrefix("*") ? "\(key) :" : "\(key):"
    }

    private mutating func formatValue() -> Bool {
        switch cursor.character {
        case nil, "#": return endLine(awaitsValue: true)
        case "|", ">": return formatBlockScalar()
        case "{", "[":
            guard formatFlow(at: valueIndentation) else { return false }
        case "\"", "'":
            guard let parts = cursor.takeQuoted() else { return false }
            formatQuoted(parts, at: valueIndentation)
        case "*": output.appendToken(cursor.takeProperty(inFlow: false))
        default: return formatPlain()
        }
        return endLine(awaitsValue: false)
    }

    /// Ends the line with the comment that may be there.
    mutating func endLine(awaitsValue: Bool) -> Bool {
        cursor.skipBlanks()
        if cursor.character == "#" { output.appendToken(cursor.takeLine()) }
        output.end()
        self.awaitsValue = awaitsValue
        return cursor.isAtLineEnd
    }
}
