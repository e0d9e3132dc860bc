/// A table in the form of RFC 4180: values between commas, in double quotes where they hold commas, quotes or line ends.
enum CSVTable {
    /// One row.
    struct Record: Equatable {
        /// The line that it begins in, from 1.
        let line: Int
        let cells: [String]
    }

    /// Why a text is no table.
    struct Malformed: Error {
        let line: Int
        let problem: String
    }

    /// Reads all rows, the first with the names among them. Empty lines are passed over.
    static func records(of text: String) throws(Malformed) -> [Record] {
        var records: [Record] = []
        var cells: [String] = []
        var cell = ""
        var wasQuoted = false
        var (line, start) = (1, 1)
        func finishRecord() {
            if !(cells.isEmpty && cell.isEmpty && !wasQuoted) {
                records.append(Record(line: start, cells: cells + [cell]))
            }
            (cells, cell, wasQuoted, start) = ([], "", false, line)
        }
        var rest = Substring(text)
        while let character = rest.popFirst() {
            switch character {
            case "\"" where cell.isEmpty && !wasQuoted:
                wasQuoted = true
                let opening = line
                quoted: while true {
                    guard let inner = rest.popFirst() else {
                        throw Malformed(line: opening, problem: "a quote opens here and is never closed")
                    }
                    if inner == "\"" {
                        guard rest.first == "\"" else { break quoted }
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
                (cell, wasQuoted) = ("", false)
            case _ where character.isNewline:
                line += 1
                finishRecord()
            default:
                guard !wasQuoted else { throw Malformed(line: line, problem: "text follows a closing quote") }
                cell.append(character)
            }
        }
        finishRecord()
        return records
    }
}
