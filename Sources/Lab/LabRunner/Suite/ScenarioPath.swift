import Foundation
import LabSystem

/// A path on a command line: a file, a directory, or one row of a table as reports print it, `login.yaml[wrong-pin]`.
struct ScenarioPath {
    /// The file or the directory.
    let file: String
    /// The name of the row; nil means all.
    let row: String?

    /// The text after the file.
    var suffix: String { row.map { "[\($0)]" } ?? "" }

    init(_ text: String) {
        // A file may have brackets in its name.
        (file, row) = Files.exists(text) ? (text, nil) : Self.parts(of: text)
    }

    /// The path of a scenario, relative to the current directory if inside it. A scenario outside of the project has
    /// the given path as its identifier.
    static func path(ofScenario id: String, inProject root: String) -> String {
        Files.exists(ScenarioPath("\(root)/\(id)").file) ? shortened("\(root)/\(id)") : id
    }

    /// An absolute path, made relative to the current directory if inside it.
    static func shortened(_ path: String) -> String {
        let current = FileManager.default.currentDirectoryPath + "/"
        return path.hasPrefix(current) ? String(path.dropFirst(current.count)) : path
    }

    /// The file and the row of a scenario's identifier. Both may have brackets in their names.
    static func parts(of id: String) -> (file: String, row: String?) {
        guard id.hasSuffix("]"),
            let open = id.firstRange(of: ".yaml[").map({ id.index(before: $0.upperBound) })
                ?? id.lastIndex(of: "[")
        else { return (id, nil) }
        return (String(id[..<open]), String(id[id.index(after: open)...].dropLast()))
    }
}
