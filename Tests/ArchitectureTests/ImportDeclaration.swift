import Foundation

/// One `import` of a source file.
struct ImportDeclaration: Equatable {
    /// The module: for `import struct LabKit.Quirk` and `import LabKit.Clock` this is `LabKit`.
    let module: String
    /// Whether those who import the file's module see the imported one too.
    var isReexported = false

    private static let kinds: Set<Substring> = [
        "typealias", "struct", "class", "enum", "actor", "protocol", "let", "var", "func", "macro",
    ]
    private static let access: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]

    init(module: String, isReexported: Bool = false) {
        self.module = module
        self.isReexported = isReexported
    }

    /// Reads a line of code; nil if it is not an import.
    init?(line: String) {
        var words = line.components(separatedBy: "//")[0].split { $0 == " " || $0 == "\t" || $0 == ";" }[...]
        while let word = words.first, word.hasPrefix("@") || Self.access.contains(word) {
            // Before Swift had a word for it, and still: what is exported is visible behind this module.
            if word == "@_exported" { isReexported = true }
            words = words.dropFirst()
        }
        guard words.popFirst() == "import" else { return nil }
        if let kind = words.first, Self.kinds.contains(kind) { words = words.dropFirst() }
        guard let path = words.first, let module = path.split(separator: ".").first else { return nil }
        self.module = module.filter { $0 != "`" }
    }
}
