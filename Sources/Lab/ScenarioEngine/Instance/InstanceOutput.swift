// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import ScenarioLanguage

/// The trace events of an instance's processes, for people who observe it.
///
/// Thread rule: any thread; following blocks until the instance ends.
public struct InstanceTrace: Sendable {
    private let layout: InstanceLayout
    private let directory: String
    private let begin: UInt64
    private let processes: Set<String>
    private let names: Set<String>

    /// - Parameters:
    ///   - connection: the instance.
    ///   - processes: only these; empty means all.
    ///   - events: only events with these names, or families such as `lock`; empty means all.
    /// - Throws: ``BadUsage`` for an unknown process or event.
    public init(of connection: InstanceConnection, processes: [String], events: [String]) throws {
        let topology = connection.manifest.topology
        let known = topology.devices.map(\.name) + topology.apps.map(\.name) + ["server", "clock"]
        try Self.check(processes, among: known, called: "process of this instance")
        let families = Set(TraceEventName.allCases.map { String($0.rawValue.prefix { $0 != "." }) })
        try Self.check(events, among: TraceEventName.allCases.map(\.rawValue) + families, called: "event")
        layout = connection.layout
        directory = connection.manifest.tracesDirectory
        begin = (try? TraceReader.readAll(directory).first?.time) ?? MonotonicClock.nanoseconds()
        self.processes = Set(processes)
        names = Set(events)
    }

    private static func check(_ words: [String], among known: [String], called what: String) throws {
        for word in words where !known.contains(word) {
            throw BadUsage(sentence: "there is no \(what) called `\(word)`\(suggestion(for: word, among: known))")
        }
    }

    /// The events so far, in the order of time.
    public func lines() throws -> [String] { try TraceReader.readAll(directory).filter(covers).map(line) }

    /// Prints the events so far and the following ones, until the instance ends.
    /// - Parameter print: takes a line; called on a thread of its own.
    public func follow(print: @escaping @Sendable (String) -> Void) throws {
        let parent = try DirectoryWatch(Files.directory(of: layout.root))
        let follower = try TraceFollower(directory: directory) { event in
            if covers(event) { print(line(event)) }
        }
        while Files.exists(layout.root) {
            _ = try Polling.waitReadable([parent.rawDescriptor])
            _ = try parent.changes()
        }
        follower.stop()
    }

    private func covers(_ event: TraceEvent) -> Bool {
        let family = String(event.name.rawValue.prefix { $0 != "." })
        return (processes.isEmpty || processes.contains(event.process))
            && (names.isEmpty || names.contains(event.name.rawValue) || names.contains(family))
    }

    private func line(_ event: TraceEvent) -> String {
        let seconds = Double(Int64(event.time) - Int64(begin)) / 1e9
        let step = event.operation.map { "  (step \($0))" } ?? ""
        return String(format: "%10.4f s  ", seconds) + event.line + step
    }
}

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
            throw BadUsage(
                sentence: "the instance has no process `\(process)`\(suggestion(for: process, among: known))")
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
        for (name, entry) in progress.sorted(by: { $0.key < $1.key }) where !entry.lines.rest.isEmpty {
            print("\(Self.process(of: name).label)  \(String(decoding: entry.lines.rest, as: UTF8.self))")
        }
    }

    /// The position up to which a log has been printed.
    private struct LogProgress {
        var offset = 0
        var lines = LineSplitter()
    }

    private func advance(_ progress: inout [String: LogProgress], print: (String) -> Void) throws {
        for name in try Files.list(directory).sorted() {
            let process = Self.process(of: name)
            guard processes.isEmpty || processes.contains(process.name) else { continue }
            var entry = progress[name] ?? LogProgress()
            let file = try FileDescriptor.open("\(directory)/\(name)")
            while case let piece = try file.read(count: 65_536, at: entry.offset), !piece.isEmpty {
                entry.offset += piece.count
                for line in entry.lines.add(piece) {
                    print("\(process.label)  \(String(decoding: line, as: UTF8.self))")
                }
            }
            progress[name] = entry
        }
    }

    /// The process of a log: `main#2.stderr` of an app, `a.phone.log` of a device's agent, `server.log`.
    package static func process(of file: String) -> (name: String, label: String) {
        if file.hasPrefix("a."), file.hasSuffix(".log") {
            let name = String(file.dropFirst(2).dropLast(4))
            return (name, name)
        }
        let label = String(file.prefix { $0 != "." })
        return (String(label.prefix { $0 != "#" }), label)
    }
}
