// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Saves the state of the server under names and restores it, so that a situation can be repeated.
struct SnapshotService: Sendable {
    let database: ServerDatabase
    /// Where snapshots live; made with the first one.
    let directory: String

    /// The names of all snapshots, sorted.
    func names() throws -> [String] {
        guard FileManager.default.fileExists(atPath: directory) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: directory)
            .filter { $0.hasSuffix(Self.suffix) }.map { String($0.dropLast(Self.suffix.count)) }.sorted()
    }

    /// Saves the present state; it replaces a snapshot with the same name.
    /// - Throws: `invalidRequest` for a name that is not a plain word.
    func take(_ name: String?) throws {
        let path = try path(of: name)
        try PrivateFiles.makeDirectory(directory)
        try PrivateFiles.makeFile(path)
        try database.copy(to: path)
    }

    /// Replaces the present state by a kept one.
    /// - Throws: `invalidRequest` for a name that is no plain word or not known.
    func restore(_ name: String?) throws { try database.replace(from: existing(name)) }

    /// Forgets a snapshot.
    /// - Throws: `invalidRequest` for a name that is no plain word or not known.
    func remove(_ name: String?) throws { try FileManager.default.removeItem(atPath: existing(name)) }

    private static let suffix = ".sqlite"

    private func existing(_ name: String?) throws -> String {
        let path = try path(of: name)
        guard FileManager.default.fileExists(atPath: path) else {
            let known = try names().joined(separator: ", ")
            throw ServiceError(
                .invalidRequest, "unknown snapshot \(name ?? ""); existing: \(known.isEmpty ? "none" : known)")
        }
        return path
    }

    private func path(of name: String?) throws -> String {
        guard let name, name.wholeMatch(of: /[A-Za-z0-9_\-]{1,64}/) != nil else {
            throw ServiceError(.invalidRequest, "a snapshot's name has 1 to 64 letters, digits, - or _")
        }
        return directory + "/" + name + Self.suffix
    }
}
