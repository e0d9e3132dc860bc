import Foundation
import LabSystem
import TestSupport
import Testing

/// A directory of its own for one test: scenario files, run records, and the place where instances live.
///
/// Any thread; immutable.
final class Workspace: Sendable {
    private let temporary: TemporaryDirectory
    /// Where the command runs.
    var directory: String { temporary.path }
    /// Where its instances live; nothing may be left here.
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

    /// Copies the project's `lab.yaml` into the workspace.
    ///
    /// - Parameter more: Topologies that stand below those of the project.
    func useProjectTopology(and more: String = "") throws {
        try write(try Project.text(of: "lab.yaml") + more, to: "lab.yaml")
    }

    /// Writes a lab file whose phone has one app, played by a user's own program.
    ///
    /// - Parameter more: Another line about the app.
    func writeTopology(of app: String, playedBy program: String, _ more: String = "") throws {
        try write(
            """
            topologies:
              default:
                devices:
                  phone:
                    kind: phone
                    apps:
                      \(app):
                        bundleIdentifier: com.example.\(app)
                        executable: \(program)
                        \(more)

            """, to: "lab.yaml")
    }

    /// What is still there of the workspace's instances: directories, processes and shared-memory objects.
    func leftovers() throws -> [String] {
        var leftovers = files().map { "file \($0)" }
        leftovers += processes().map { "process \($0.pid) \($0.commandLine)" }
        return leftovers
    }

    /// Expects that nothing is left of the workspace's instances, and names what is.
    func expectNothingLeft(at location: SourceLocation = #_sourceLocation) throws {
        let left = try leftovers()
        #expect(left == [], sourceLocation: location)
    }

    /// What would still do something: processes, and sockets that could be connected to.
    func liveLeftovers() throws -> [String] {
        let sockets = files().filter { file in
            let attributes = try? FileManager.default.attributesOfItem(atPath: "\(runtimeDirectory)/\(file)")
            return attributes?[.type] as? FileAttributeType == .typeSocket
        }
        return sockets.map { "socket \($0)" } + processes().map { "process \($0.pid) \($0.commandLine)" }
    }

    /// Everything in the runtime directory; what vanishes during the look is not there.
    private func files() -> [String] {
        FileManager.default.enumerator(atPath: runtimeDirectory)?.compactMap { $0 as? String } ?? []
    }

    /// The running processes that were started for an instance of this workspace.
    func processes() -> [(pid: Int32, commandLine: String)] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap(Int32.init).compactMap { pid in
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline"), !bytes.isEmpty
            else { return nil }
            let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            let line = words.joined(separator: " ")
            return line.contains(runtimeDirectory) ? (pid, line) : nil
        }
    }
}
