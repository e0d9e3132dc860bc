// SPDX-License-Identifier: Apache-2.0

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

    /// Formats everything; nil when something was met that no document has.
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

    // MARK: Scalars of several lines

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

    // MARK: Lists and mappings in flow style: `{ a: 1 }` and `[a, b]`

    /// What a token of a flow collection is, as far as the space beside it depends on that.
    private enum FlowToken {
        case openBrace, openBracket, closeBrace, closeBracket, comma, colon, property, alias, quoted, plain
    }

    /// Formats a collection up to its end, over several lines when it was written so.
    /// - Parameter indentation: Where its closing bracket stands when it begins a line.
    mutating func formatFlow(at indentation: Int) -> Bool {
        var depth = 0
        var previous: FlowToken?
        var beginsLine = false
        repeat {
            cursor.skipBlanks()
            if cursor.isAtLineEnd {
                guard nextFlowLine(keepsEmptyLines: previous == .plain) else { return false }
                beginsLine = true
                continue
            }
            if cursor.character == "#" {
                if beginsLine { output.begin(at: indentation + 2 * depth) }
                output.appendToken(cursor.takeLine())
                continue
            }
            let (token, parts) = takeFlowToken(after: previous)
            guard let text = parts.first, !text.isEmpty else { return false }
            if token == .closeBrace || token == .closeBracket { depth -= 1 }
            if beginsLine { output.begin(at: indentation + 2 * depth) }
            if let previous, !beginsLine, !Self.isSpaced(previous, token) {
                output.append(text)
            } else {
                output.appendToken(text)
            }
            for part in parts.dropFirst() { goOn(with: part, at: indentation + 2 * depth) }
            if token == .openBrace || token == .openBracket { depth += 1 }
            previous = token
            beginsLine = false
        } while depth > 0
        return true
    }

    /// Goes to the next line that is not empty.
    /// - Parameter keepsEmptyLines: Whether each may be a line end in the text of a plain scalar.
    private mutating func nextFlowLine(keepsEmptyLines: Bool) -> Bool {
        output.end()
        cursor.nextLine()
        while !cursor.isAtEnd, TextCursor.margin(of: cursor.current) == nil {
            if keepsEmptyLines { output.addText("") } else { output.addEmptyLine() }
            cursor.nextLine()
        }
        return !cursor.isAtEnd
    }

    private mutating func takeFlowToken(after previous: FlowToken?) -> (FlowToken, [String]) {
        func indicator(_ token: FlowToken) -> (FlowToken, [String]) { (token, [cursor.take(to: cursor.column + 1)]) }
        switch cursor.character {
        case "{": return indicator(.openBrace)
        case "[": return indicator(.openBracket)
        case "}": return indicator(.closeBrace)
        case "]": return indicator(.closeBracket)
        case ",": return indicator(.comma)
        case "?" where cursor.isIndicator("?"): return indicator(.property)
        case ":" where endsKey(after: previous): return indicator(.colon)
        case "\"", "'": return (.quoted, cursor.takeQuoted() ?? [])
        case "*": return (.alias, [cursor.takeProperty(inFlow: true)])
        case "&", "!": return (.property, [cursor.takeProperty(inFlow: true)])
        default: return (.plain, [cursor.takePlain(inFlow: true)])
        }
    }

    /// Whether the colon at the cursor stands between a key and its value; behind a quoted key the value may follow at once.
    private func endsKey(after previous: FlowToken?) -> Bool {
        let next = cursor.character(after: 1)
        return previous == .quoted || TextCursor.isSpace(next) || TextCursor.isFlowIndicator(next)
    }

    private static func isSpaced(_ left: FlowToken, _ right: FlowToken) -> Bool {
        switch (left, right) {
        // A colon and an alias would swallow what follows them.
        case (.colon, _): true
        case (.alias, .colon): true
        case (.openBracket, _), (_, .closeBracket), (_, .comma), (.openBrace, .closeBrace): false
        case (.plain, .colon), (.quoted, .colon), (.closeBrace, .colon), (.closeBracket, .colon): false
        default: true
        }
    }
}
