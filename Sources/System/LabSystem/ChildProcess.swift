import CLabSystem
import Foundation
import Glibc

/// A program started by this process.
///
/// The pid stays reserved until the child has been waited for, so `signal` never reaches another process. Thread rule:
/// any thread; one waiter gets the exit status, a second one gets `ECHILD`.
public struct ChildProcess: Sendable {
    /// Where a standard stream of the child goes.
    public enum Stream: Sendable {
        /// `/dev/null`.
        case null
        /// The parent's own stream.
        case inherit
        /// An open file; the child gets a copy.
        case file(FileDescriptor)
    }

    /// The process id.
    public let pid: Int32
    private let pidfd: FileDescriptor

    /// A descriptor that becomes readable when the child has ended; valid as long as this value is kept.
    public var rawDescriptor: Int32 { pidfd.rawValue }

    /// Starts a program directly, without a shell.
    ///
    /// The child has default signal dispositions, an empty signal mask and no descriptor but its three streams.
    ///
    /// - Parameters:
    ///   - executable: path of the program; not searched for.
    ///   - arguments: the arguments after the program's name.
    ///   - environment: the child's whole environment; nil copies the parent's.
    ///   - directory: working directory; nil keeps the parent's.
    ///   - newProcessGroup: makes the child lead a process group, out of reach of the terminal's Ctrl-C.
    ///   - newSession: makes the child lead a session without a terminal (and with it a process group).
    ///   - deathSignal: a signal the kernel sends to the child when this *process* ends, however it ends.
    /// - Throws: `SystemError` of the step that failed, up to and including `execve`.
    public static func spawn(
        executable: String, arguments: [String] = [], environment: [String: String]? = nil, directory: String? = nil,
        standardInput: Stream = .null, standardOutput: Stream = .inherit, standardError: Stream = .inherit,
        newProcessGroup: Bool = false, newSession: Bool = false, deathSignal: Int32? = nil
    ) throws -> ChildProcess {
        let request = SpawnRequest(
            executable: executable, arguments: arguments,
            environment: (environment ?? ProcessInfo.processInfo.environment).map { "\($0)=\($1)" },
            directory: directory, streams: [standardInput, standardOutput, standardError],
            newProcessGroup: newProcessGroup, newSession: newSession, deathSignal: deathSignal ?? 0)
        // The kernel sends the death signal when the thread that forked ends, so that thread must never end.
        let pid =
            deathSignal == nil
            ? try runWhenWritten(request) : try SpawnThread.shared.run { try runWhenWritten(request) }
        return ChildProcess(pid: pid, pidfd: try ProcessWatch.open(pid))
    }

    /// How long a program may be open for writing, in nanoseconds of real time.
    private static let patience: UInt64 = 5_000_000_000

    /// Starts a program once every writer has closed its file.
    ///
    /// A descriptor with which this process has just written the program lives on in every child that another thread has
    /// forked meanwhile, until that child begins its own program; then it is closed. A linker that is about to end is waited
    /// for too.
    private static func runWhenWritten(_ request: SpawnRequest) throws -> Int32 {
        let deadline = MonotonicClock.nanoseconds() + patience
        while true {
            do {
                return try request.run()
            } catch let error as SystemError where error.errno == ETXTBSY && MonotonicClock.nanoseconds() < deadline {
                // A plain delay: the end of writing is not reported.
                _ = try? Polling.waitReadable([], timeoutNanoseconds: 5_000_000)
            }
        }
    }

    /// Sends a signal; a child that has ended is accepted.
    public func signal(_ number: Int32) throws {
        let result = csystem_pidfd_send_signal(pidfd.rawValue, number)
        if result == -ESRCH { return }
        try SystemError.check(result, "pidfd_send_signal", path: "pid \(pid)")
    }

    /// Waits until the child has ended, and reaps it.
    public func wait() throws -> ExitStatus {
        while true {
            if let status = try reap(block: true) { return status }
        }
    }

    /// Reaps the child if it has ended; nil while it runs.
    public func poll() throws -> ExitStatus? { try reap(block: false) }

    /// Waits at most the given time for the end, and reaps the child; nil when it still runs.
    public func wait(timeoutNanoseconds: Int64) throws -> ExitStatus? {
        _ = try Polling.waitReadable([pidfd.rawValue], timeoutNanoseconds: timeoutNanoseconds)
        return try poll()
    }

    private func reap(block: Bool) throws -> ExitStatus? {
        var signaled: Int32 = 0
        var status: Int32 = 0
        let result = csystem_wait(pidfd.rawValue, block ? 1 : 0, &signaled, &status)
        guard try SystemError.check(result, "waitid", path: "pid \(pid)") == 1 else { return nil }
        return signaled != 0 ? .signaled(status) : .exited(status)
    }
}

/// How a process ended.
public enum ExitStatus: Hashable, Sendable, CustomStringConvertible {
    /// It exited by itself, with this code.
    case exited(Int32)
    /// A signal ended it.
    case signaled(Int32)

    public var description: String {
        switch self {
        case .exited(let code): "exited with code \(code)"
        case .signaled(let number): "ended by \(Signals.name(of: number))"
        }
    }
}
