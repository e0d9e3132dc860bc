import Foundation
import LabKit
import LabSystem

/// Searches for scenario files, and records what it skipped.
struct ScenarioFiles {
    /// Whether to include the lab file of a directory.
    private let takesLabFiles: Bool
    /// Hints for a person who misses a scenario, one sentence each.
    private(set) var notes: [String] = []

    init(takesLabFiles: Bool = false) { self.takesLabFiles = takesLabFiles }

    /// The files at a path; for a directory all of its YAML files, `lab.yaml` only if lab files are included.
    mutating func files(at path: String) -> [String] {
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
