import Foundation

/// The files of the package, read in place.
enum Repository {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All Swift files below a directory of the package.
    static func swiftFiles(below directory: String) throws -> [SourceText] {
        let base = root.appending(path: directory)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            SourceText(
                path: "\(directory)/\(path)",
                text: try String(contentsOf: base.appending(path: path), encoding: .utf8))
        }
    }

    /// Every text that people wrote: sources, scenarios, pages, scripts; not what was built, recorded or licensed.
    static func textFiles() throws -> [SourceText] {
        var files: [SourceText] = []
        let walk = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)
        while let url = walk?.nextObject() as? URL {
            let isDirectory = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
            guard !isDirectory, !["LICENSE", "Package.resolved"].contains(url.lastPathComponent),
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            files.append(SourceText(path: String(url.path.dropFirst(root.path.count + 1)), text: text))
        }
        return files
    }

    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}

/// One file of source text.
struct SourceText {
    let path: String
    let text: String

    /// The module that the file belongs to: the folder below `Sources`.
    var module: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    /// The imports of the file.
    var imports: [ImportDeclaration] {
        text.split(separator: "\n").compactMap { ImportDeclaration(line: String($0)) }
    }

    /// The lines with their numbers, without comments.
    var codeLines: [(number: Int, text: String)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            (index + 1, line.components(separatedBy: "//")[0])
        }
    }
}
