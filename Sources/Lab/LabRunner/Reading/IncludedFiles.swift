import Foundation
import LabFile
import LabKit
import LabSystem

/// The files that a scenario includes, each read once, so that a mistake in a file included twice is reported once.
///
/// Not thread-safe: used by the one thread that reads the scenario.
final class IncludedFiles {
    /// A file that was found.
    struct Included {
        let file: SourceFile
        /// The path without links and `..`: equal for all spellings of the same file.
        let identity: String
    }

    /// Why a file is not included.
    enum Refusal: Error {
        /// It lies outside of the folders that a scenario may read, after resolving links and `..`.
        case outside
        case unreadable(Diagnostic)

        /// The reason in a sentence.
        var sentence: String {
            switch self {
            case .outside: "the file lies outside of the folder of `lab.yaml`, and a scenario reads no others"
            case .unreadable(let diagnostic): diagnostic.kind.sentence
            }
        }
    }

    /// Readable folders, without links.
    private let folders: [String]
    private var known: [String: SourceFile] = [:]

    /// - Parameters:
    ///   - labFile: the project's `lab.yaml`, whose folder may be read.
    ///   - scenario: the scenario; its folder may be read as well, if it lies elsewhere.
    init(labFile: String, scenario: String) {
        folders = [labFile, scenario].map { Self.identity(of: Files.directory(of: $0)) }
    }

    /// The files read so far, each by its path without links.
    var identities: Set<String> { Set(known.keys) }

    /// Reads a file, or returns the one read before.
    func read(_ path: String) -> Result<Included, Refusal> {
        let identity = Self.identity(of: path)
        guard folders.contains(where: { identity.hasPrefix($0 == "/" ? $0 : $0 + "/") }) else {
            return .failure(.outside)
        }
        if let file = known[identity] { return .success(Included(file: file, identity: identity)) }
        return SourceFile.read(path).map { file in
            known[identity] = file
            return Included(file: file, identity: identity)
        }.mapError(Refusal.unreadable)
    }

    /// The path of a file that a file in some directory names.
    static func location(of name: String, in directory: String) -> String {
        directory == "." || name.hasPrefix("/") ? name : "\(directory)/\(name)"
    }

    /// The path without links and `..`.
    static func identity(of path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }
}
