import Foundation

/// A copy of the package, in which the mutants are. Only files that changed are written, so that a build takes up where
/// the last one stopped.
struct SourceCopy {
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
            // A file that was deleted and not committed yet is still in git's list.
            guard let data = woven[path].map({ Data($0.utf8) }) ?? (try? Data(contentsOf: original)) else { continue }
            try write(data, to: directory.appending(path: path), likeFile: original)
        }
        try removeAll(except: Set(paths))
        try linkShared()
    }

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
        let link = workspace.appending(path: "shared")
        guard FileManager.default.fileExists(atPath: shared.path),
            (try? FileManager.default.destinationOfSymbolicLink(atPath: link.path)) != shared.path
        else { return }
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: shared.path)
    }
}
