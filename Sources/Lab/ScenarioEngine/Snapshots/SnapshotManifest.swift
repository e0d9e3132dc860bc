// SPDX-License-Identifier: Apache-2.0

import COpenSSL
import Foundation
package import LabCore
import LabSystem

/// What belongs to a snapshot and how the instance was when it was taken: the file `snapshot.json` in its directory.
package struct SnapshotManifest: Codable, Equatable, Sendable {
    /// The version of the format that this lab writes and reads.
    package static var currentVersion: Int { 1 }
    /// Name of the file in the directory of a snapshot.
    package static let fileName = "snapshot.json"

    /// A file of the snapshot.
    package struct File: Codable, Equatable, Sendable {
        package let bytes: Int
        /// SHA-256 of the content in hexadecimal digits.
        package let sha256: String

        init(_ content: Data) {
            bytes = content.count
            sha256 = SnapshotManifest.digest(content)
        }

        /// The facts in words, for an error.
        var text: String { "\(bytes) bytes with SHA-256 \(sha256)" }
    }

    /// How the lab's clock was set.
    package struct Clock: Codable, Equatable, Sendable {
        /// What it showed.
        package let time: LabTime
        /// Seconds of lab time in a second of real time.
        package let rate: Int
        package let isFrozen: Bool

        package init(time: LabTime, rate: Int, isFrozen: Bool) {
            self.time = time
            self.rate = rate
            self.isFrozen = isFrozen
        }
    }

    package let version: Int
    /// The version of the lab that has taken it.
    package let labVersion: String
    package let name: String
    /// When it was taken, in real time.
    package let taken: LabTime
    /// The topology of the instance.
    package let topology: Topology
    package let clock: Clock
    package let running: RunningProcesses
    /// All other files of the snapshot, by their paths below its directory.
    package let files: [String: File]

    package init(
        labVersion: String, name: SnapshotName, taken: LabTime, topology: Topology, clock: Clock,
        running: RunningProcesses, files: [String: File], version: Int = SnapshotManifest.currentVersion
    ) {
        self.version = version
        self.labVersion = labVersion
        self.name = name.text
        self.taken = taken
        self.topology = topology
        self.clock = clock
        self.running = running
        self.files = files
    }

    // MARK: The file

    private static let checksumKey = "sha256"
    private static let contentKey = "snapshot"

    /// Writes the description with a checksum over it.
    package func write(to directory: String) throws {
        let content = try JSONValue(encoding: self)
        let file = JSONValue.object([
            Self.checksumKey: .string(Self.digest(content.encoded())), Self.contentKey: content,
        ])
        try Files.write(file.encoded(), to: "\(directory)/\(Self.fileName)")
    }

    /// Reads the description of a snapshot.
    /// - Throws: ``SnapshotError`` for one that is missing, damaged, or of another version of the format.
    package static func read(from directory: String) throws(SnapshotError) -> SnapshotManifest {
        let path = "\(directory)/\(fileName)"
        guard let data = try? Files.read(path), let file = try? JSONValue.parse(data), let content = file[contentKey],
            file[checksumKey] == .string(digest(content.encoded()))
        else { throw .unreadable(path: path) }
        // Other versions may have other members.
        if let version = content["version"]?.integerValue, version != Int64(currentVersion) {
            throw .otherFormat(directory: directory, expected: currentVersion, actual: Int(version))
        }
        guard let manifest = try? JSONDecoder().decode(SnapshotManifest.self, from: content.encoded()) else {
            throw .unreadable(path: path)
        }
        return manifest
    }

    // MARK: Checks

    /// Checks that the snapshot fits an instance.
    /// - Parameter directory: where the snapshot is, for the error.
    /// - Throws: ``SnapshotError`` for one of another version of the lab or another topology.
    package func check(fits topology: Topology, labVersion: String, in directory: String) throws(SnapshotError) {
        guard self.labVersion == labVersion else {
            throw .otherLab(directory: directory, expected: labVersion, actual: self.labVersion)
        }
        guard self.topology == topology else {
            throw .otherTopology(directory: directory, expected: topology.title, actual: self.topology.title)
        }
    }

    /// Checks that a copy of the snapshot's files is complete and unchanged.
    /// - Parameters:
    ///   - copy: The directory of the copy, without the description.
    ///   - directory: Where the snapshot is, for the error.
    /// - Throws: ``SnapshotError/damaged(path:expected:actual:)`` for the first file that differs; errors of reading.
    package func verify(_ copy: String, of directory: String) throws {
        let found = try Self.files(below: copy)
        for path in Set(files.keys).union(found.keys).sorted() where files[path] != found[path] {
            throw SnapshotError.damaged(
                path: "\(directory)/\(path)", expected: files[path]?.text ?? "no file here",
                actual: found[path]?.text ?? "no file here")
        }
    }

    /// The files of a directory and of those below it, by their paths below it; the description is left out.
    package static func files(below directory: String) throws -> [String: File] {
        var files: [String: File] = [:]
        func add(_ folder: String) throws {
            for name in try Files.list("\(directory)/\(folder)") {
                let path = folder + name
                guard path != fileName else { continue }
                switch try Files.kind(of: "\(directory)/\(path)") {
                case .directory: try add("\(path)/")
                case .file: files[path] = File(try Files.read("\(directory)/\(path)"))
                case .link, .other: break
                }
            }
        }
        try add("")
        return files
    }

    /// SHA-256 in hexadecimal digits.
    fileprivate static func digest(_ message: Data) -> String {
        var digest = Data(count: 32)
        digest.withUnsafeMutableBytes { output in
            message.withUnsafeBytes { input in
                // A null input pointer is allowed for an empty message.
                _ = EVP_Digest(
                    input.baseAddress, input.count, output.bindMemory(to: UInt8.self).baseAddress, nil, EVP_sha256(),
                    nil)
            }
        }
        return digest.hexadecimal
    }
}

/// A directory of an instance that belongs to a snapshot.
package enum SnapshotPart: String, CaseIterable, Sendable {
    case server
    case devices
    case backups

    /// Where the instance has it.
    package func path(in layout: InstanceLayout) -> String {
        switch self {
        case .server: layout.serverDirectory
        case .devices: layout.devicesDirectory
        case .backups: layout.backupsDirectory
        }
    }

    /// Whether an entry of the directory stays out of snapshots: where the server listens, the log of its requests, and
    /// the names of shared memory, whose content is in the hibernation of its device.
    /// - Parameter path: The path of the entry below the directory.
    package func leavesOut(_ path: String) -> Bool {
        let names = path.split(separator: "/")
        return switch self {
        case .server: names.count == 1 && (path == "ready.json" || path.hasPrefix("requests#"))
        case .devices: names.count == 2 && names[1].hasPrefix("boot-")
        case .backups: false
        }
    }
}

extension Topology {
    /// Its name and actors, for an error.
    fileprivate var title: String {
        let devices = devices.map { device in
            device.apps.isEmpty ? device.name : "\(device.name): \(device.apps.map(\.name).joined(separator: ", "))"
        }
        return "topology `\(name)` (\(devices.joined(separator: "; ")))"
    }
}
