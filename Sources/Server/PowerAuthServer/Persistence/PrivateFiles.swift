// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes directories and files readable only for the server's own user, independently of their previous modes: they
/// contain private keys, secrets of applications and data that users have signed.
enum PrivateFiles {
    /// The directory of a server is writable for all users.
    struct SharedDirectory: Error, CustomStringConvertible {
        let path: String

        var description: String {
            "\(path) is a directory for the files of all users. Choose one for the server alone."
        }
    }

    /// The content of a server's directory; current servers create it private.
    private static let database = "server.sqlite"
    private static let folders = ["tls", "snapshots"]

    /// Creates the directory of a server, or makes it private with all files of the server in it. Other files in it are
    /// not changed.
    /// - Throws: ``SharedDirectory``; `CocoaError` for files of another user.
    static func prepare(_ directory: String) throws {
        try makeDirectory(directory)
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: directory) where name.hasPrefix(database) {
            do {
                try setMode(0o600, of: "\(directory)/\(name)")
            } catch let error as CocoaError where error.code == .fileNoSuchFile || error.code == .fileReadNoSuchFile {
                // SQLite takes its other files away when the last connection of another process ends.
            }
        }
        for folder in folders.map({ "\(directory)/\($0)" }) where files.fileExists(atPath: folder) {
            try makeDirectory(folder)
            for name in try files.contentsOfDirectory(atPath: folder) { try setMode(0o600, of: "\(folder)/\(name)") }
        }
    }

    /// Makes a directory with its parents, for the user alone; one that exists becomes so.
    static func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        // Otherwise other users could not use /tmp.
        guard mode & 0o1000 == 0 else { throw SharedDirectory(path: path) }
        if mode != 0o700 { try setMode(0o700, of: path) }
    }

    /// Makes an empty file for the user alone; one that exists keeps its content.
    static func makeFile(_ path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            guard FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: path]) }
        }
        try setMode(0o600, of: path)
    }

    private static func setMode(_ mode: Int, of path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}
