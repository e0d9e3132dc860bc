/// A table in the form of RFC 4180: comma-separated values, in double quotes if they contain commas, quotes or line
/// ends.
enum CSVTable {
    /// One row.
    struct Record: Equatable {
        /// The line in which it begins, from 1.
        let line: Int
        let cells: [String]
    }

    /// Why a text is not a table.
    struct Malformed: Error {
        let line: Int
        let problem: String
    }

    /// Reads all rows, including the first with the names. Empty lines are skipped.
    static func records(of text: String) throws(Malformed) -> [Record] {
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
