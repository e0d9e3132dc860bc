/// Lists and mappings in flow style: `{ a: 1 }` and `[a, b]`.
extension BlockLayout {
    /// What a token of a flow collection is, as far as the space beside it depends on that.
    private enum FlowToken {
        case openBrace, openBracket, closeBrace, closeBracket, comma, colon, property, alias, quoted, plain
    }

    /// Formats a collection up to its end, over several lines when it was written so.
    ///
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
    ///
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
