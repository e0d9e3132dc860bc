internal import Foundation
internal import LabFile
internal import LabKit

/// The files that a scenario includes, each read once: a mistake in a file that is included twice is one mistake.
///
/// Not thread-safe: used by the one thread that reads the scenario.
final class IncludedFiles {
    /// A file that was found.
    struct Included {
        let file: SourceFile
        /// The path without links and `..`: equal for the same file however it is spelled.
        let identity: String
    }

    private var known: [String: SourceFile] = [:]

    /// Reads a file, or gives the one that was read before.
    func read(_ path: String) -> Result<Included, Diagnostic> {
        let identity = Self.identity(of: path)
        if let file = known[identity] { return .success(Included(file: file, identity: identity)) }
        return SourceFile.read(path).map { file in
            known[identity] = file
            return Included(file: file, identity: identity)
        }
    }

    /// The path without links and `..`.
    static func identity(of path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
}
