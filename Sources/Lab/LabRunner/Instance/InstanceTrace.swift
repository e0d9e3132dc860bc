import Foundation
import LabKit
import LabSystem

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
        let families = Set(TraceEventName.all.map { String($0.rawValue.prefix { $0 != "." }) })
        try Self.check(events, among: TraceEventName.all.map(\.rawValue) + families, called: "event")
        layout = connection.layout
        directory = connection.manifest.tracesDirectory
        begin = (try? TraceReader.readAll(directory).first?.time) ?? MonotonicClock.nanoseconds()
        self.processes = Set(processes)
        names = Set(events)
    }

    private static func check(_ words: [String], among known: [String], called what: String) throws {
        for word in words where !known.contains(word) {
            let advice = nearest(word, among: known).map { "; did you mean `\($0)`?" } ?? ""
            throw BadUsage(sentence: "there is no \(what) called `\(word)`\(advice)")
        }
    }

    /// The events so far, in the order of time.
    public func lines() throws -> [String] {
        try TraceReader.readAll(directory).filter(covers).map(line)
    }

    /// Prints the events so far and the following ones, until the instance ends.
    ///
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
