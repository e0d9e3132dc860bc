import Foundation
import LabKit
import LabSystem

/// The logs of an instance's processes.
///
/// Thread rule: any thread; following blocks until the instance ends.
public struct InstanceLogs: Sendable {
    private let layout: InstanceLayout
    private let directory: String
    private let processes: Set<String>

    /// - Parameters:
    ///   - connection: the instance.
    ///   - processes: only these; empty means all.
    /// - Throws: ``BadUsage`` for an unknown process.
    public init(of connection: InstanceConnection, processes: [String]) throws {
        let topology = connection.manifest.topology
        let known = topology.devices.map(\.name) + topology.apps.map(\.name) + ["server"]
        for process in processes where !known.contains(process) {
            let advice = nearest(process, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw BadUsage(sentence: "the instance has no process `\(process)`\(advice)")
        }
        layout = connection.layout
        directory = "\(connection.manifest.runDirectory)/logs"
        self.processes = Set(processes)
    }

    /// Prints the lines written so far.
    public func tell(print: (String) -> Void) throws {
        var progress: [String: LogProgress] = [:]
        try advance(&progress, print: print)
        finish(progress, print: print)
    }

    /// Prints the lines written so far, and new ones until the instance ends.
    public func follow(print: (String) -> Void) throws {
        let parent = try DirectoryWatch(Files.directory(of: layout.root))
        let logs = try DirectoryWatch(directory)
        var progress: [String: LogProgress] = [:]
        try advance(&progress, print: print)
        while Files.exists(layout.root) {
            _ = try Polling.waitReadable([parent.rawDescriptor, logs.rawDescriptor])
            _ = try parent.changes()
            _ = try logs.changes()
            try advance(&progress, print: print)
        }
        finish(progress, print: print)
    }

    /// Prints the last lines without a line end: a process that dies may leave one.
    private func finish(_ progress: [String: LogProgress], print: (String) -> Void) {
        for (name, entry) in progress.sorted(by: { $0.key < $1.key }) where !entry.rest.isEmpty {
            print("\(Self.process(of: name).label)  \(String(decoding: entry.rest, as: UTF8.self))")
        }
    }

    /// The position up to which a log has been printed.
    private struct LogProgress {
        var offset = 0
        /// The beginning of a line that is still incomplete.
        var rest = Data()
    }

    private func advance(_ progress: inout [String: LogProgress], print: (String) -> Void) throws {
        for name in try Files.list(directory).sorted() {
            let process = Self.process(of: name)
            guard processes.isEmpty || processes.contains(process.name) else { continue }
            var entry = progress[name] ?? LogProgress()
            let file = try FileDescriptor.open("\(directory)/\(name)")
            while case let piece = try file.read(count: 65_536, at: entry.offset), !piece.isEmpty {
                entry.offset += piece.count
                entry.rest.append(piece)
                while let end = entry.rest.firstIndex(of: 0x0A) {
                    print("\(process.label)  \(String(decoding: entry.rest[..<end], as: UTF8.self))")
                    entry.rest = Data(entry.rest[entry.rest.index(after: end)...])
                }
            }
            progress[name] = entry
        }
    }

    /// The process of a log: `main#2.stderr` of an app, `a.phone.log` of a device's agent, `server.log`.
    static func process(of file: String) -> (name: String, label: String) {
        if file.hasPrefix("a."), file.hasSuffix(".log") {
            let name = String(file.dropFirst(2).dropLast(4))
            return (name, name)
        }
        let label = String(file.prefix { $0 != "." })
        return (String(label.prefix { $0 != "#" }), label)
    }
}
