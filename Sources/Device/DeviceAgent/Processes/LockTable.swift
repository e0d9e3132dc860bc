import LabKit
import LabSystem

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

    /// Takes the picture.
    ///
    /// - Parameters:
    ///   - hosts: the apps.
    ///   - traces: the directory of the traces.
    init(_ hosts: [AppHost], _ traces: String) throws {
        self.traces = traces
        waiting = try ProcessTable.lockWaiters()
        entries = try hosts.compactMap { host in
            guard let pid = host.process.pid else { return nil }
            return Entry(host: host, pid: pid, held: try ProcessTable.heldLocks(by: pid).filter { $0.kind == .flock })
        }
    }

    /// The state of a lock.
    ///
    /// - Parameters:
    ///   - kind: what traces call it.
    ///   - path: its file; nil without one.
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
