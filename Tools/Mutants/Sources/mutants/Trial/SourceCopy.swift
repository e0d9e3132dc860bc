// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A tree of the lab's sources that mistakes are woven into.
protocol MutantSources: Sendable {
    /// The root of the package in this tree.
    var directory: URL { get }

    /// Brings the tree up to date, with these texts in place of the files at these paths.
    func refresh(with woven: [String: String]) throws

    /// Takes all mistakes out again, where others use the tree, too.
    func restore() throws
}

/// A copy of the package, in which the mutants are. Only files that changed are written, so that a build takes up where
/// the last one stopped.
struct SourceCopy: MutantSources {
    /// The package.
    let root: URL
    /// Where the copy and everything built from it lives.
    let workspace: URL

    /// The copied package.
    var directory: URL { workspace.appending(path: "source") }

    /// Brings the copy up to date with the files that git knows, or would take, and with the woven texts.
    ///
    /// - Parameter woven: the content of mutated files, by path.
    func refresh(with woven: [String: String]) throws {
        let paths = try sourcePaths()
        for path in paths {
            let original = root.appending(path: path)
            if let goal = try? FileManager.default.destinationOfSymbolicLink(atPath: original.path) {
                try link(directory.appending(path: path), to: goal)
                continue
            }
            // A file that was deleted and not committed yet is still in git's list.
            guard let data = woven[path].map({ Data($0.utf8) }) ?? (try? Data(contentsOf: original)) else { continue }
            try write(data, to: directory.appending(path: path), likeFile: original)
        }
        try removeAll(except: Set(paths))
        try linkShared()
    }

    /// Only mutants use the copy.
    func restore() {}

    private func sourcePaths() throws -> [String] {
        let list = workspace.appending(path: "files")
        let outcome = try Program.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], in: root, output: list)
        guard outcome == .ended(status: 0) else {
            throw Failure("git cannot list the files of \(root.path) (\(outcome)); the copy is made from its list.")
        }
        let names = try Data(contentsOf: list).split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        // Ignored by git, but it makes the copy use the same versions of the libraries.
        return names + ["Package.resolved"]
    }

    private func write(_ data: Data, to target: URL, likeFile original: URL) throws {
        if (try? Data(contentsOf: target)) == data { return }
        let files = FileManager.default
        try files.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: target)
        let mode = try files.attributesOfItem(atPath: original.path)[.posixPermissions]
        if let mode { try files.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path) }
    }

    private func removeAll(except paths: Set<String>) throws {
        let walk = FileManager.default.enumerator(atPath: directory.path)
        let files = walk?.compactMap { $0 as? String } ?? []
        for path in files where !paths.contains(path) {
            let file = directory.appending(path: path)
            var isDirectory: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isDirectory), !isDirectory.boolValue
            else { continue }
            try FileManager.default.removeItem(at: file)
        }
    }

    /// Tests read known-answer vectors beside the package.
    private func linkShared() throws {
        let shared = root.deletingLastPathComponent().appending(path: "shared")
        guard FileManager.default.fileExists(atPath: shared.path) else { return }
        try link(workspace.appending(path: "shared"), to: shared.path)
    }

    private func link(_ link: URL, to goal: String) throws {
        let files = FileManager.default
        guard (try? files.destinationOfSymbolicLink(atPath: link.path)) != goal else { return }
        try files.createDirectory(at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
        try? files.removeItem(at: link)
        try files.createSymbolicLink(atPath: link.path, withDestinationPath: goal)
    }
}
