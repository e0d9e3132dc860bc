import LabSystem

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

    /// The process of an app has ended.
    mutating func remove(_ app: String) {
        inspections[app] = nil
    }

    /// The apps whose processes have stopped by now, with their process identifiers; they are forgotten.
    ///
    /// - Parameter stop: Stops the process of an app.
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
