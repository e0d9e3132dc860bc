// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabFile
import LabSystem

/// Searches for scenario files, and records what it skipped.
package struct ScenarioFiles {
    /// Whether to include the lab file of a directory.
    private let takesLabFiles: Bool
    /// Hints for a person who misses a scenario, one sentence each.
    package private(set) var notes: [String] = []

    package init(takesLabFiles: Bool = false) { self.takesLabFiles = takesLabFiles }

    /// The files at a path; for a directory all of its YAML files, `lab.yaml` only if lab files are included.
    package mutating func files(at path: String) -> [String] {
        Files.isDirectory(path) ? files(in: path, below: []) : [path]
    }

    /// - Parameter ancestors: The parent folders, without links: following a link that leads back to one of them would
    ///   never end.
    private mutating func files(in directory: String, below ancestors: Set<String>) -> [String] {
        let identity = IncludedFiles.identity(of: directory)
        guard !ancestors.contains(identity) else { return [] }
        let names: [String]
        do {
            names = try Files.list(directory)
        } catch {
            let reason = (error as? SystemError)?.sentence ?? "\(error)"
            notes.append("the folder \(directory) cannot be read, and no scenario in it was: \(reason)")
            return []
        }
        var found: [String] = []
        for name in names {
            let inner = directory.hasSuffix("/") ? directory + name : "\(directory)/\(name)"
            if Files.isDirectory(inner) {
                // A folder with a lab file of its own is a separate project.
                let isOther = name.hasPrefix(".") || Files.exists("\(inner)/lab.yaml")
                if !isOther { found += files(in: inner, below: ancestors.union([identity])) }
            } else if name.hasSuffix(".yaml") {
                if takesLabFiles || name != "lab.yaml" { found.append(inner) }
            } else if name.hasSuffix(".yml") {
                notes.append("\(inner) was passed over: the names of scenarios end in .yaml")
            }
        }
        return found
    }
}

/// Files that have changed, according to git or to a file watcher.
package struct ChangedFiles {
    /// The files, each by its path without links.
    private let identities: Set<String>

    /// Files that are known to have changed.
    package init(_ paths: Set<String>) { identities = Set(paths.map { IncludedFiles.identity(of: $0) }) }

    /// Asks git.
    /// - Parameters:
    ///   - reference: The commit to compare with; uncommitted changes count as well.
    ///   - directory: A folder of the repository.
    /// - Throws: ``BadUsage`` if the repository or the commit does not exist.
    package init(since reference: String, in directory: String) throws {
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

    package func contains(_ path: String) -> Bool { identities.contains(IncludedFiles.identity(of: path)) }

    /// Whether any file of a scenario has changed, or the lab file with its topologies.
    package func concern(_ scenario: Scenario, labFile: String) -> Bool {
        contains(labFile) || contains(scenario.file.path) || !scenario.includes.isDisjoint(with: identities)
    }

    /// The lines or names that git prints; nil if it has failed.
    private static func git(_ words: [String], in directory: String) throws -> [String]? {
        try ToolCall.output(of: ["git", "-C", directory] + words).map { data in
            String(decoding: data, as: UTF8.self).split { $0 == "\0" || $0 == "\n" }.map(String.init)
        }
    }
}
