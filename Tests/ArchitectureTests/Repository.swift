import Foundation
import TestSupport

/// The files of the package, read in place.
enum Repository {
    /// The folders that group modules: those below `Sources`, which `Tests` has as well, and what tests share.
    static let buildings: Set<String> = {
        let folders = try? FileManager.default.contentsOfDirectory(atPath: Project.path("Sources"))
        return Set(folders ?? []).union(["Support"])
    }()

    /// The folder of each module of `Sources`, from the root, by its name.
    static func modules() throws -> [String: String] {
        var folders: [String: String] = [:]
        for building in try FileManager.default.contentsOfDirectory(atPath: Project.path("Sources")) {
            for name in try FileManager.default.contentsOfDirectory(atPath: Project.path("Sources/\(building)")) {
                folders[name] = "Sources/\(building)/\(name)"
            }
        }
        return folders
    }

    /// A file or folder that a page names by its module, such as `LabRunner/Running`; nil if not found.
    static func place(named path: String) throws -> URL? {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        guard let folder = try modules()[parts[0]] else { return nil }
        let url = Project.file(([folder] + parts.dropFirst()).joined(separator: "/"))
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// All Swift files below a directory of the package.
    static func swiftFiles(below directory: String) throws -> [SourceText] {
        let base = Project.file(directory)
        let paths = FileManager.default.enumerator(atPath: base.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }.sorted().map { path in
            SourceText(
                path: "\(directory)/\(path)",
                text: try String(contentsOf: base.appending(path: path), encoding: .utf8))
        }
    }

    /// Every text that people wrote: sources, scenarios, pages, scripts; not what was built, recorded or licensed.
    static func textFiles() throws -> [SourceText] {
        var files: [SourceText] = []
        let walk = FileManager.default.enumerator(
            at: Project.root, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)
        while let url = walk?.nextObject() as? URL {
            let isDirectory = try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false
            guard !isDirectory, !["LICENSE", "Package.resolved"].contains(url.lastPathComponent),
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            files.append(SourceText(path: String(url.path.dropFirst(Project.root.path.count + 1)), text: text))
        }
        return files
    }
}

/// One file of source text.
struct SourceText {
    let path: String
    let text: String

    /// The module that the file belongs to: the first folder below the top that is not a building.
    var module: String {
        path.split(separator: "/").dropFirst().map(String.init).first { !Repository.buildings.contains($0) } ?? ""
    }

    /// The lines with their numbers, without comments.
    var codeLines: [(number: Int, text: String)] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
            (index + 1, line.components(separatedBy: "//")[0])
        }
    }
}
