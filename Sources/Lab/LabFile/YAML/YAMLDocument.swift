// SPDX-License-Identifier: Apache-2.0

import Foundation
import Yams

/// Reads one YAML document into nodes that know their places.
///
/// Stricter than YAML where YAML surprises: tabs in the indentation, repeated keys, a second
/// document, explicit tags and aliases that blow up are mistakes.
public enum YAMLDocument {
    /// The most nodes a document may have after its aliases are written out.
    public static let mostNodes = 100_000
    /// The deepest nesting accepted.
    public static let deepestNesting = 64

    /// Parses a file.
    /// - Returns: The root, or nil when nothing could be read.
    public static func parse(_ file: SourceFile, reporting collector: DiagnosticCollector) -> YAMLNode? {
        let tabs = tabIndentations(of: file)
        for place in tabs { collector.report(.tabIndentation, at: SourcePlace(place, in: file)) }
        // libyaml would complain about the same tabs in its own words.
        guard tabs.isEmpty, tooDeepFlow(file, reporting: collector) == false else { return nil }
        var composition = Composition(file: file, collector: collector)
        return composition.compose()
    }

    private static func tabIndentations(of file: SourceFile) -> [SourceRange] {
        file.lines.enumerated().compactMap { index, line in
            let indentation = line.prefix { $0 == " " || $0 == "\t" }
            guard indentation.count < line.count, let tab = indentation.firstIndex(of: "\t") else { return nil }
            return SourceRange(line: index + 1, column: line.distance(from: line.startIndex, to: tab) + 1)
        }
    }

    /// The composer recurses, so absurd nesting is refused before it runs.
    private static func tooDeepFlow(_ file: SourceFile, reporting collector: DiagnosticCollector) -> Bool {
        var depth = 0
        for (index, line) in file.lines.enumerated() {
            let indentation = line.prefix { $0 == " " || $0 == "-" || $0 == "?" }.count
            if indentation > 8 * deepestNesting {
                collector.report(
                    .nestedTooDeeply(limit: deepestNesting),
                    at: SourcePlace(SourceRange(line: index + 1, column: 1), in: file))
                return true
            }
            for (column, character) in line.enumerated() {
                if character == "[" || character == "{" { depth += 1 }
                if character == "]" || character == "}" { depth = max(0, depth - 1) }
                if depth > 4 * deepestNesting {
                    collector.report(
                        .nestedTooDeeply(limit: deepestNesting),
                        at: SourcePlace(SourceRange(line: index + 1, column: column + 1), in: file))
                    return true
                }
            }
        }
        return false
    }
}

/// One parse: composes with Yams, then converts its nodes.
private struct Composition {
    let file: SourceFile
    let collector: DiagnosticCollector
    /// The text handed to the composer: the file's, with repeated keys made distinct so that one parse
    /// finds all of them.
    var lines: [[Unicode.Scalar]]
    /// The original first characters of keys that were made distinct.
    var substituted: [Unicode.Scalar: Unicode.Scalar] = [:]
    var nodeCount = 0
    /// Whether every node of the text is in the tree.
    var isComplete = true

    init(file: SourceFile, collector: DiagnosticCollector) {
        self.file = file
        self.collector = collector
        lines = file.lines.map { Array($0.unicodeScalars) }
    }

    mutating func compose() -> YAMLNode? {
        while true {
            do {
                let text = lines.map { line in
                    var view = String.UnicodeScalarView()
                    view.append(contentsOf: line)
                    return String(view)
                }.joined(separator: "\n")
                // Scalars are read by declared types; to guess their tags would take half of the time.
                guard let root = try Yams.Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else {
                    collector.report(.emptyFile, at: SourcePlace(.start, in: file))
                    return nil
                }
                let node = convert(root, depth: 0)
                // Parts are missing after these; what could be said about the rest would be misleading.
                return isComplete ? node : nil
            } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
                if substituteKey(at: context.mark) { continue }
                collector.report(
                    .duplicateKey(key: keys.first ?? ""),
                    at: SourcePlace(SourceRange(line: context.mark.line, column: context.mark.column), in: file))
                return nil
            } catch {
                report(error)
                return nil
            }
        }
    }

    /// Replaces the first character of the key at a mark by an unused private-use character: same
    /// length, so every place stays what it was.
    private mutating func substituteKey(at mark: Mark) -> Bool {
        guard substituted.count < 100, let placeholder = Unicode.Scalar(0xE000 + UInt32(substituted.count)),
            lines.indices.contains(mark.line - 1)
        else { return false }
        var column = mark.column - 1
        let line = lines[mark.line - 1]
        if line.indices.contains(column), line[column] == "\"" || line[column] == "'" { column += 1 }
        guard line.indices.contains(column), line[column] != "\\", line[column] != "\"", line[column] != "'" else {
            return false
        }
        substituted[placeholder] = line[column]
        lines[mark.line - 1][column] = placeholder
        return true
    }

    private func report(_ error: any Error) {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let found = YAMLProblem(problem, at: mark, within: context, of: file)
            collector.report(found.kind, at: SourcePlace(found.range, in: file))
        case .reader(let problem, let offset, _, _):
            collector.report(.malformedYAML(problem: problem), at: SourcePlace(place(offset: offset ?? 0), in: file))
        default: collector.report(.malformedYAML(problem: "it cannot be read"), at: SourcePlace(.start, in: file))
        }
    }

    private func place(offset: Int) -> SourceRange {
        let before = file.text.prefix(offset)
        let line = before.count { $0.isNewline }
        let lastLine = before.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).last ?? ""
        return SourceRange(line: line + 1, column: lastLine.unicodeScalars.count + 1)
    }

    private mutating func convert(_ node: Node, depth: Int) -> YAMLNode? {
        let start = SourcePosition(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
        nodeCount += 1
        guard nodeCount <= YAMLDocument.mostNodes else {
            isComplete = false
            if nodeCount == YAMLDocument.mostNodes + 1 {
                // The composer has written the aliases out, so only the text shows whether there were any.
                let usesAliases = file.text.contains(/[\s\[,:]\*[A-Za-z0-9_]/)
                collector.report(
                    .tooManyNodes(limit: YAMLDocument.mostNodes, usesAliases: usesAliases),
                    at: SourcePlace(.start, in: file))
            }
            return nil
        }
        guard depth <= YAMLDocument.deepestNesting else {
            isComplete = false
            collector.report(.nestedTooDeeply(limit: YAMLDocument.deepestNesting), at: here(start))
            return nil
        }
        switch node {
        case .scalar(let scalar):
            return YAMLNode(
                .scalar(YAMLScalar(text: scalar.string, isQuoted: scalar.style != .plain)),
                at: SourcePlace(
                    ScalarExtent(lines: lines).range(of: scalar.string, style: scalar.style, from: start), in: file))
        case .sequence(let sequence):
            let elements = sequence.compactMap { convert($0, depth: depth + 1) }
            return YAMLNode(.sequence(elements), at: extent(from: start, to: elements.last))
        case .mapping(let mapping):
            let entries = convert(mapping, depth: depth)
            return YAMLNode(.mapping(entries), at: extent(from: start, to: entries.last?.value))
        case .alias:
            // The composer writes aliases out before it returns; this case exists for its emitter.
            return nil
        }
    }

    private func here(_ position: SourcePosition) -> SourcePlace {
        SourcePlace(SourceRange(line: position.line, column: position.column), in: file)
    }

    private func extent(from start: SourcePosition, to last: YAMLNode?) -> SourcePlace {
        guard let last else { return here(start) }
        return SourcePlace(SourceRange(start: start, end: last.place.range.end), in: file)
    }

    private mutating func convert(_ mapping: Node.Mapping, depth: Int) -> [YAMLEntry] {
        var entries: [YAMLEntry] = []
        for (keyNode, valueNode) in mapping {
            guard let key = convert(keyNode, depth: depth + 1) else { continue }
            guard let scalar = key.scalar else {
                isComplete = false
                collector.report(.keyIsNotText, at: key.place)
                continue
            }
            guard let value = convert(valueNode, depth: depth + 1) else { continue }
            var text = scalar.text
            if let first = text.unicodeScalars.first, let original = substituted[first] {
                text = String(Character(original)) + String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
            }
            if let first = entries.first(where: { $0.key == text }) {
                collector.report(
                    .duplicateKey(key: text), at: key.place, related: RelatedPlace("set first at", first.keyPlace))
                continue
            }
            entries.append(YAMLEntry(key: text, keyPlace: key.place, value: value))
        }
        return entries
    }
}

/// Finds where a scalar ends; the composer keeps only its beginning.
struct ScalarExtent {
    let lines: [[Unicode.Scalar]]

    /// The range of a scalar, over all of its lines: what masks a secret relies on it.
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
