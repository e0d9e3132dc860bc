import Foundation
import LabFile
import LabSystem

/// Files that have changed, according to git or to a file watcher.
struct ChangedFiles {
    /// The files, each by its path without links.
    private let identities: Set<String>

    /// Files that are known to have changed.
    init(_ paths: Set<String>) {
        identities = Set(paths.map { IncludedFiles.identity(of: $0) })
    }

    /// Asks git.
    ///
    /// - Parameters:
    ///   - reference: The commit to compare with; uncommitted changes count as well.
    ///   - directory: A folder of the repository.
    /// - Throws: ``BadUsage`` if the repository or the commit does not exist.
    init(since reference: String, in directory: String) throws {
        guard let top = try Self.git(["rev-parse", "--show-toplevel"], in: directory)?.first else {
            throw BadUsage(sentence: "--changed compares with git, but \(directory) is in no repository")
        }
        // After this word git takes nothing as an option.
        let commit = try Self.git(
            ["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"], in: top)?.first
        guard let commit else {
            throw BadUsage(
                sentence:
                    "--changed \(reference): git knows no such commit; paths stand before --changed, or write --changed=HEAD"
            )
        }
        let changed = try Self.git(["diff", "--name-only", "--no-renames", "-z", commit, "--"], in: top) ?? []
        let added = try Self.git(["ls-files", "--others", "--exclude-standard", "-z"], in: top) ?? []
        identities = Set((changed + added).map { IncludedFiles.identity(of: "\(top)/\($0)") })
    }

    /// Whether a file has changed.
    func contains(_ path: String) -> Bool { identities.contains(IncludedFiles.identity(of: path)) }

    /// Whether any file of a scenario has changed.
    ///
    /// - Parameter labFile: The lab file with its topologies.
    func concern(_ scenario: Scenario, labFile: String) -> Bool {
        contains(labFile) || contains(scenario.file.path) || !scenario.includes.isDisjoint(with: identities)
    }

    /// The lines or names that git prints; nil if it has failed.
    private static func git(_ words: [String], in directory: String) throws -> [String]? {
        try ToolCall.output(of: ["git", "-C", directory] + words).map { data in
            String(decoding: data, as: UTF8.self).split { $0 == "\0" || $0 == "\n" }.map(String.init)
        }
    }
}
