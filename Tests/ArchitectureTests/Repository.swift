// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// The files of the package, read in place.
enum Repository {
    /// The folder of each module of `Sources`, from the root, by its name.
    static let modules: [String: String] = {
        var folders: [String: String] = [:]
        for building in names(in: "Sources") {
            for name in names(in: "Sources/\(building)") { folders[name] = "Sources/\(building)/\(name)" }
        }
        return folders
    }()

    /// The folders that group modules: those below `Sources`, which `Tests` has as well, and what tests share.
    static let buildings = Set(names(in: "Sources") + ["Support"])

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: Project.path(folder))) ?? []
    }

    /// A file or folder that a page names by its module, such as `ScenarioEngine/Running`; nil if not found.
    static func place(named path: String) -> URL? {
        let parts = path.split(separator: "/", maxSplits: 1).map(String.init)
        guard let folder = modules[parts[0]] else { return nil }
        let url = Project.file(([folder] + parts.dropFirst()).joined(separator: "/"))
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }

    /// All Swift files below a directory of the package, in the order of their paths.
    static func swiftFiles(below directory: String) throws -> [SourceText] {
        try files(below: directory).filter { $0.hasSuffix(".swift") }.sorted().map {
            SourceText(path: $0, text: try Project.text(of: $0))
        }
    }

    /// Every text that people wrote: sources, scenarios, pages, scripts; not what was built, recorded or licensed.
    static func textFiles() throws -> [SourceText] {
        try files(below: nil).filter { !$0.hasSuffix("LICENSE") && !$0.hasSuffix("Package.resolved") }
            .compactMap { path in (try? Project.text(of: path)).map { SourceText(path: path, text: $0) } }
    }

    /// The paths of all files below a directory, or of the package, from the root. Builds and records are in hidden
    /// folders, which are not entered.
    private static func files(below directory: String?) throws -> [String] {
        let base = directory.map(Project.file) ?? Project.root
        var paths: [String] = []
        let walk = FileManager.default.enumerator(
            at: base, includingPropertiesForKeys: [.isDirectoryKey], options: .skipsHiddenFiles)
        while let url = walk?.nextObject() as? URL {
            if try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true { continue }
            paths.append(String(url.path.dropFirst(Project.root.path.count + 1)))
        }
        return paths
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
