internal import Foundation
internal import LabSystem

/// What a command line names: a file, a directory, or one row of a table as reports print it, `login.yaml[wrong-pin]`.
struct ScenarioPath {
    /// The file or the directory.
    let file: String
    /// The name of the row; nil means all.
    let row: String?

    /// What follows the file.
    var suffix: String { row.map { "[\($0)]" } ?? "" }

    init(_ text: String) {
        // A file may have brackets in its name.
        guard !Files.exists(text), text.hasSuffix("]"), let open = text.lastIndex(of: "[") else {
            (file, row) = (text, nil)
            return
        }
        file = String(text[..<open])
        row = String(text[text.index(after: open)...].dropLast())
    }
}
