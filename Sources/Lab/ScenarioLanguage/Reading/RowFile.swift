// SPDX-License-Identifier: Apache-2.0

import LabFile
import LabSystem

/// The rows of a table in a file of its own, beside the scenario.
///
/// Not thread-safe: used by the one thread that reads the scenario.
struct RowFile {
    package let files: IncludedFiles
    package let collector: DiagnosticCollector

    /// Reads the rows.
    /// - Parameters:
    ///   - node: The name of the file, relative to the scenario's directory: `*.csv` with the names in its first line,
    ///     or `*.yaml` with a list.
    ///   - directory: The scenario's directory.
    /// - Returns: Nil after a diagnostic if the file is not a table.
    package func read(_ node: YAMLNode, in directory: String) -> [YAMLNode]? {
        let name = node.scalar?.text ?? ""
        func refuse(_ reason: String) -> [YAMLNode]? {
            return collector.refuse(.misfit(what: "`rows: \(name)`", reason: reason), at: node.place)
        }
        let isCSV = name.hasSuffix(".csv")
        guard isCSV || name.hasSuffix(".yaml") else {
            return refuse("a table is a list, or a file `*.csv` or `*.yaml`")
        }
        let file: SourceFile
        switch files.read(IncludedFiles.location(of: name, in: directory)) {
        case .success(let included): file = included.file
        case .failure(let refusal): return refuse(refusal.sentence)
        }
        return collector.reading(file, includedAt: node.place) { isCSV ? table(file) : list(file) }
    }

    private func list(_ file: SourceFile) -> [YAMLNode]? {
        guard let root = YAMLDocument.parse(file, reporting: collector) else { return nil }
        guard let elements = root.elements else {
            return collector.refuse(.wrongShape(what: "a table", expected: .list, actual: root.shape), at: root.place)
        }
        return elements
    }

    private func table(_ file: SourceFile) -> [YAMLNode]? {
        let records: [CSVTable.Record]
        do {
            records = try CSVTable.records(of: file.text)
        } catch {
            return collector.refuse(.malformedTable(problem: error.problem), at: place(error.line, in: file))
        }
        guard let header = records.first else {
            return collector.refuse(.malformedTable(problem: "the file is empty"), at: SourcePlace(.start, in: file))
        }
        if let problem = problem(ofNames: header.cells) ?? (records.count == 1 ? "no row follows the names" : nil) {
            return collector.refuse(.malformedTable(problem: problem), at: place(header.line, in: file))
        }
        let rows = records.dropFirst().compactMap { record -> YAMLNode? in
            guard record.cells.count == header.cells.count else {
                let problem = "this row has \(record.cells.count) values, but there are \(header.cells.count) names"
                return collector.refuse(.malformedTable(problem: problem), at: place(record.line, in: file))
            }
            let place = place(record.line, in: file)
            let entries = zip(header.cells, record.cells).map { name, cell in
                YAMLEntry(key: name, keyPlace: place, value: YAMLNode(fromOutside: cell, at: place))
            }
            return YAMLNode(.mapping(entries), at: place)
        }
        return rows.count == records.count - 1 ? rows : nil
    }

    /// The problem with the names of a table; nil if they are usable and unique.
    private func problem(ofNames names: [String]) -> String? {
        if names.count == 1, let separator = [";", "\t", "|"].first(where: names[0].contains) {
            return "\(separator == "\t" ? "a tab" : "`\(separator)`") stands between the names, and commas must"
        }
        if let empty = names.firstIndex(where: \.trimmed.isEmpty) {
            return "the name of column \(empty + 1) is missing"
        }
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }.map { "`\($0)` is the name of two columns" }
    }

    private func place(_ line: Int, in file: SourceFile) -> SourcePlace {
        let start = SourcePosition(line: line, column: 1)
        let end = SourcePosition(line: line, column: max(2, file.line(line).unicodeScalars.count + 1))
        return SourcePlace(SourceRange(start: start, end: end), in: file)
    }
}

/// A table in the form of RFC 4180: comma-separated values, in double quotes if they contain commas, quotes or line
/// ends.
enum CSVTable {
    package struct Record: Equatable {
        /// The line in which it begins, from 1.
        package let line: Int
        package let cells: [String]

        package init(line: Int, cells: [String]) {
            self.line = line
            self.cells = cells
        }
    }

    /// Why a text is not a table.
    struct Malformed: Error {
        package let line: Int
        package let problem: String
    }

    /// Reads all rows, including the first with the names. Empty lines are skipped.
    package static func records(of text: String) throws(Malformed) -> [Record] {
        var records: [Record] = []
        var cells: [String] = []
        var cell = ""
        /// The line of the value's opening quote; nil for a value without quotes.
        var quoted: Int?
        var (line, start) = (1, 1)
        func finishRecord() {
            if !(cells.isEmpty && cell.isEmpty && quoted == nil) {
                records.append(Record(line: start, cells: cells + [cell]))
            }
            (cells, cell, quoted, start) = ([], "", nil, line)
        }
        // Some programs begin a file with a byte order mark.
        var rest = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\"" where cell.isEmpty && quoted == nil:
                let opening = line
                quoted = opening
                inside: while true {
                    guard let inner = rest.popFirst() else {
                        throw Malformed(line: opening, problem: "a quote opens here and is never closed")
                    }
                    if inner == "\"" {
                        guard rest.first == "\"" else { break inside }
                        rest.removeFirst()
                    }
                    if inner.isNewline { line += 1 }
                    cell.append(inner)
                }
            case "\"":
                throw Malformed(
                    line: line, problem: "a quote stands inside a value; quote the value and double the quote")
            case ",":
                cells.append(cell)
                (cell, quoted) = ("", nil)
            case _ where character.isNewline:
                line += 1
                finishRecord()
            default:
                if let opening = quoted {
                    // If the closing quote is missing, the value ends at the next quote, maybe lines below.
                    throw Malformed(
                        line: opening,
                        problem: opening == line
                            ? "text follows a closing quote"
                            : "the quote that opens here is closed only in line \(line), where other text follows")
                }
                cell.append(character)
            }
        }
        finishRecord()
        return records
    }
}
