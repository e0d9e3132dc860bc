// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabSystem
import LabVocabulary

/// The locks of a stopped process that matter for its sleep, the most pressing ones.
enum HeldLocks: Equatable, Sendable {
    /// None that another process could wait for.
    case none
    /// One of the system's: the keychain, the preferences, the dialogs. It takes precedence over all others: the whole
    /// device would wait, including the agent.
    case system
    /// One in a container shared by an app group.
    case groupContainer

    /// Judges a list of locks.
    /// - Parameters:
    ///   - locks: Path and kind of each lock. Shared record locks are left out: SQLite keeps some on every open
    ///     database, and readers of a write-ahead log block no other process.
    ///   - groups: Directory of the group containers.
    ///   - device: Directory of the device; the system's own files lie in it, those of apps below it.
    init(_ locks: [(path: String, isExclusive: Bool)], groups: String, device: String) {
        let exclusive = locks.filter(\.isExclusive).map(\.path)
        if exclusive.contains(where: {
            $0.hasPrefix(device + "/") && !$0.dropFirst(device.count + 1).contains("/")
        }) {
            self = .system
        } else if exclusive.contains(where: { $0.hasPrefix(groups + "/") }) {
            self = .groupContainer
        } else {
            self = .none
        }
    }
}

/// Which processes of the device's apps hold file locks and wait for them, at one moment.
///
/// Holders and waiters are read from the kernel; the durations are only in the traces, which do not distinguish the
/// locks of several SDK objects of a process.
struct LockTable {
    private struct Entry {
        let host: AppHost
        let pid: Int32
        let held: [ProcessTable.HeldLock]
    }

    private let entries: [Entry]
    private let waiting: [ProcessTable.LockWaiter]
    private let traces: String
    private let now = MonotonicClock.nanoseconds()

    init(_ hosts: [AppHost], _ traces: String) throws {
        self.traces = traces
        waiting = try ProcessTable.lockWaiters()
        entries = try hosts.compactMap { host in
            guard let pid = host.process.pid else { return nil }
            return Entry(host: host, pid: pid, held: try ProcessTable.heldLocks(by: pid).filter { $0.kind == .flock })
        }
    }

    /// The state of a lock of the kind that traces name; `path` is nil without a file.
    func lock(_ kind: String, at path: String?) -> InspectSharing.Lock {
        let holders = entries.compactMap { entry in
            entry.held.first { $0.path != nil && $0.path == path }.map { (entry, file: $0.file) }
        }
        // No process waits for a lock that is not held.
        let files = Set(holders.map(\.file))
        return InspectSharing.Lock {
            $0.holders = holders.map { process($0.0, since: .lockTaken, of: kind) }
            $0.waiting = entries.filter { entry in
                waiting.contains { $0.pid == entry.pid && files.contains($0.file) }
            }.map { process($0, since: .lockRequested, of: kind) }
        }
    }

    private func process(_ entry: Entry, since begin: TraceEventName, of kind: String) -> InspectSharing.Process {
        let process = entry.host.process
        return InspectSharing.Process {
            $0.app = entry.host.spec.name
            $0.pid = entry.pid
            $0.state = process.phase.reported
            $0.duration = duration(since: begin, of: kind, in: "\($0.app)#\(process.incarnation).jsonl")
        }
    }

    /// Milliseconds since the last event about a lock, if it is the one that began the current state.
    private func duration(since begin: TraceEventName, of kind: String, in file: String) -> Int? {
        let last = try? TraceReader.lastEvent(in: "\(traces)/\(file)", mentioning: "lock.") { event in
            [.lockRequested, .lockTaken, .lockReleased].contains(event.name) && event.fields["lock"] == .string(kind)
        }
        guard let last, last.name == begin, last.time <= now else { return nil }
        return Int((now - last.time) / 1_000_000)
    }
}

/// The processes that were signalled to stop and are to be checked once they have stopped.
struct SuspensionChecks {
    private struct Inspection {
        var pid: Int32
        /// When to look, in monotonic nanoseconds.
        var due: UInt64
        /// The process runs for a moment and is to be stopped first.
        var stopsFirst: Bool
    }

    /// How long a process that holds a lock of the system runs before it is stopped again, in nanoseconds.
    private static let pause: UInt64 = 1_000_000
    /// How long to wait before looking again whether all threads have stopped, in nanoseconds. The kernel stops them
    /// one by one and notifies only the parent.
    private static let lookAgain: UInt64 = 500_000

    private var inspections: [String: Inspection] = [:]

    /// When ``due(stop:)`` has something to do; nil when nothing waits.
    var nextDue: UInt64? { inspections.values.map(\.due).min() }

    /// Looks at the process of an app as soon as it has stopped.
    mutating func add(_ app: String, pid: Int32) {
        inspections[app] = Inspection(pid: pid, due: 0, stopsFirst: false)
    }

    /// Lets the process of an app run for a moment, then stops it and looks.
    mutating func addAfterPause(_ app: String, pid: Int32) {
        inspections[app] = Inspection(pid: pid, due: MonotonicClock.nanoseconds() + Self.pause, stopsFirst: true)
    }

    mutating func remove(_ app: String) { inspections[app] = nil }

    /// The apps whose processes have stopped by now, with their process identifiers; they are forgotten.
    mutating func due(stop: (String) throws -> Void) throws -> [(String, Int32)] {
        let now = MonotonicClock.nanoseconds()
        var stopped: [(String, Int32)] = []
        for (app, inspection) in inspections.filter({ $0.value.due <= now }).sorted(by: { $0.key < $1.key }) {
            if inspection.stopsFirst {
                try stop(app)
                inspections[app]?.stopsFirst = false
            }
            if ProcessTable.isStopped(inspection.pid) {
                inspections[app] = nil
                stopped.append((app, inspection.pid))
            } else {
                inspections[app]?.due = now + Self.lookAgain
            }
        }
        return stopped
    }
}
