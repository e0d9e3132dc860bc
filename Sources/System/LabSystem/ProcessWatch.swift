import CLabSystem
import Glibc

/// Watches a process, child or not, through a descriptor of its own: immune to reuse of the pid.
///
/// Thread rule: any thread.
public final class ProcessWatch: Sendable {
    /// The process id.
    public let pid: Int32
    private let file: FileDescriptor

    /// Starts watching; fails with `ESRCH` when there is no such process.
    public init(pid: Int32) throws {
        self.pid = pid
        file = try ProcessWatch.open(pid)
    }

    /// A descriptor that becomes readable when the process has ended.
    public var rawDescriptor: Int32 { file.rawValue }

    /// Whether the process has ended.
    public var hasEnded: Bool { (try? waitForExit(timeoutNanoseconds: 0)) ?? true }

    /// Waits until the process has ended.
    ///
    /// - Parameter timeoutNanoseconds: how long at most; nil waits without end.
    /// - Returns: whether it has ended.
    public func waitForExit(timeoutNanoseconds: Int64? = nil) throws -> Bool {
        try Polling.waitReadable([file.rawValue], timeoutNanoseconds: timeoutNanoseconds)[0]
    }

    /// Sends a signal; a process that has ended is accepted.
    public func signal(_ number: Int32) throws {
        let result = csystem_pidfd_send_signal(file.rawValue, number)
        if result == -ESRCH { return }
        try SystemError.check(result, "pidfd_send_signal", path: "pid \(pid)")
    }

    static func open(_ pid: Int32) throws -> FileDescriptor {
        let path = "pid \(pid)"
        return FileDescriptor(
            owning: try SystemError.check(csystem_pidfd_open(pid), "pidfd_open", path: path), path: path)
    }
}
