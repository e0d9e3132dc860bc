// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem
import TestSupport
import Testing

/// A directory for one test: scenario files, run records, and the runtime directory of instances.
///
/// Any thread; immutable.
final class Workspace: Sendable {
    private let temporary: TemporaryDirectory
    /// The working directory of commands.
    var directory: String { temporary.path }
    /// The runtime directory of its instances; nothing may be left here.
    let runtimeDirectory: String

    init() throws {
        temporary = try TemporaryDirectory()
        runtimeDirectory = temporary.file("r")
        try FileManager.default.createDirectory(atPath: runtimeDirectory, withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: runtimeDirectory)
    }

    /// Writes a file of the workspace and returns its name.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: directory).appending(path: name))
        return name
    }

    /// A workspace with the project's `lab.yaml`.
    static func ofProject() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.useProjectTopology()
        return workspace
    }

    /// Copies a file or folder of the project into the workspace.
    func copy(_ path: String, to name: String) throws {
        try FileManager.default.copyItem(atPath: Project.path(path), toPath: "\(directory)/\(name)")
    }

    /// Copies the project's `lab.yaml` into the workspace.
    func useProjectTopology() throws {
        try write(try Project.text(of: "lab.yaml"), to: "lab.yaml")
    }

    /// Writes a lab file whose phone has some apps, run by a user's own program.
    ///
    /// - Parameter more: Another line about each app.
    func writeTopology(of apps: String..., playedBy program: String, _ more: String = "") throws {
        let entries = apps.map { app in
            """
                      \(app):
                        bundleIdentifier: com.example.\(app)
                        executable: \(program)
                        \(more)

            """
        }
        try write(
            """
            topologies:
              default:
                devices:
                  phone:
                    kind: phone
                    apps:

            """ + entries.joined(), to: "lab.yaml")
    }

    /// The remains of the workspace's instances: directories, processes and shared-memory objects.
    func leftovers() throws -> [String] {
        var leftovers = files().map { "file \($0)" }
        leftovers += processes().map { "process \($0.pid) \($0.commandLine)" }
        return leftovers
    }

    /// Expects no remains of the workspace's instances, and names those that exist.
    func expectNothingLeft(at location: SourceLocation = #_sourceLocation) throws {
        let left = try leftovers()
        #expect(left == [], sourceLocation: location)
    }

    /// Active remains: processes, and sockets that accept connections.
    func liveLeftovers() throws -> [String] {
        let sockets = files().filter { file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(runtimeDirectory)/\(file)")
            return attributes?[.type] as? FileAttributeType == .typeSocket
        }
        return sockets.map { "socket \($0)" } + processes().map { "process \($0.pid) \($0.commandLine)" }
    }

    /// Everything in the runtime directory, except what vanishes while it is read.
    private func files() -> [String] {
        FileManager.default.enumerator(atPath: runtimeDirectory)?.compactMap { $0 as? String } ?? []
    }

    /// The running processes started for an instance of this workspace.
    /// - Parameter path: What their command lines contain; nil means the runtime directory of its instances.
    func processes(naming path: String? = nil) -> [(pid: Int32, commandLine: String)] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap(Int32.init).compactMap { pid in
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline"), !bytes.isEmpty
            else { return nil }
            let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            let line = words.joined(separator: " ")
            return line.contains(path ?? runtimeDirectory) ? (pid, line) : nil
        }
    }
}
