/// A place of a file as reports write it, `file:line:column`, taken apart.
struct ReportedPlace: Equatable {
    var file: String
    let line: Int
    let column: Int

    init(file: String, line: Int, column: Int) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// The parts of a label; nil for the empty label of a whole scenario.
    init?(_ label: String) {
        // The file's name may contain colons, too.
        let parts = label.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count >= 3, let line = Int(parts[parts.count - 2]), let column = Int(parts[parts.count - 1]) else {
            return nil
        }
        self.init(file: parts.dropLast(2).joined(separator: ":"), line: line, column: column)
    }
}
