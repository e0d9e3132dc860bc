// SPDX-License-Identifier: Apache-2.0

/// A terminal of a given width that shows written bytes: enough for the runner's output.
///
/// Not thread-safe.
struct Screen {
    /// The lines from the top, including those that a real terminal has scrolled away.
    var lines: [String] {
        cells.map { row in
            let text = row.map { $0 ?? "" }.joined()
            return String(text.reversed().drop { $0 == " " }.reversed())
        }
    }
    /// All control sequences other than moving back, clearing the rest of the line, and changing colours.
    private(set) var strangeSequences: [String] = []
    private let columns: Int
    /// The second half of a wide character is nil.
    private var cells: [[String?]] = [[]]
    private var row = 0
    private var column = 0

    init(columns: Int) { self.columns = columns }

    /// Shows a text of whole characters and whole sequences.
    mutating func show(_ text: String) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch character {
            case "\r\n":
                column = 0
                moveDown()
            case "\r": column = 0
            case "\n": moveDown()
            case "\u{1B}": command(&rest)
            default: put(character)
            }
        }
    }

    private mutating func command(_ rest: inout Substring) {
        guard rest.first == "[" else { return strangeSequences.append("\u{1B}\(rest.prefix(1))") }
        rest.removeFirst()
        let parameters = rest.prefix { $0.isNumber || $0 == ";" }
        rest = rest[parameters.endIndex...]
        switch (parameters, rest.popFirst()) {
        case (_, "m"): break
        case ("", "K"): cells[row].removeSubrange(min(column, cells[row].count)...)
        case (_, let end): strangeSequences.append("\u{1B}[\(parameters)\(end.map(String.init) ?? "")")
        }
    }

    private mutating func put(_ character: Character) {
        let width = character.unicodeScalars.contains { $0.properties.isIdeographic } ? 2 : 1
        if column + width > columns {
            column = 0
            moveDown()
        }
        while cells[row].count < column + width { cells[row].append(" ") }
        cells[row][column] = String(character)
        if width == 2 { cells[row][column + 1] = nil }
        column += width
    }

    private mutating func moveDown() {
        row += 1
        if row == cells.count { cells.append([]) }
    }
}
