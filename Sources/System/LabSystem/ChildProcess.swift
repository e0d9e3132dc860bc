// SPDX-License-Identifier: Apache-2.0

import CLabSystem
public import Foundation
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

/// A program start in the form the C shim takes; built before the fork, so that the child allocates nothing.
struct SpawnRequest: Sendable {
    let executable: String
    let arguments: [String]
    let environment: [String]
    let directory: String?
    let streams: [ChildProcess.Stream]
    let newProcessGroup: Bool
    let newSession: Bool
    let deathSignal: Int32

    func run() throws -> Int32 {
        var failedStep: UnsafePointer<CChar>?
        let result = withCStrings([executable] + arguments) { arguments in
            withCStrings(environment) { environment in
                executable.withCString { executable in
                    withOptionalCString(directory) { directory in
                        var request = csystem_spawn_request()
                        request.executable = executable
                        request.arguments = arguments
                        request.environment = environment
                        request.directory = directory
                        request.standard_streams = (number(0), number(1), number(2))
                        request.new_process_group = newProcessGroup ? 1 : 0
                        request.new_session = newSession ? 1 : 0
                        request.death_signal = deathSignal
                        return csystem_spawn(&request, &failedStep)
                    }
                }
            }
        }
        guard result > 0 else {
            let step = failedStep.map { String(cString: $0) } ?? "spawn"
            throw SystemError(call: step, errno: -result, path: step == "chdir" ? directory : executable)
        }
        return result
    }

    private func number(_ stream: Int) -> Int32 {
        switch streams[stream] {
        case .null: -1
        case .inherit: -2
        case .file(let file): file.rawValue
        }
    }
}

private func withCStrings<Result>(
    _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) throws -> Result
) rethrows -> Result {
    var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
    copies.append(nil)
    defer { copies.forEach { free($0) } }
    return try copies.withUnsafeBufferPointer { try body($0.baseAddress!) }  // holds at least the nil
}

private func withOptionalCString<Result>(
    _ string: String?, _ body: (UnsafePointer<CChar>?) throws -> Result
) rethrows -> Result {
    guard let string else { return try body(nil) }
    return try string.withCString { try body($0) }
}

/// The one thread that starts all children with a death signal. It lives as long as the process: the kernel
/// sends `PR_SET_PDEATHSIG` when the *thread* that forked ends, and any other thread may end early.
///
/// Thread rule: `run` from any thread; jobs run one after the other.
final class SpawnThread: Sendable {
    static let shared = SpawnThread()

    private let jobs = Mailbox<@Sendable () -> Void>()

    private init() {
        runOnThread(name: "spawn") { [jobs] in
            while let job = jobs.take() { job() }
        }
    }

    func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let outcome = OneShot<Result<Value, any Error>>()
        jobs.send { outcome.set(Result { try body() }) }
        return try outcome.wait().get()
    }
}

/// A completed run of a program: its output, and how it ended.
public struct ProgramRun: Sendable {
    /// How the run ended.
    public enum End: Equatable, Sendable {
        /// The program has ended by itself.
        case ended(ExitStatus)
        /// It was killed after the time was over.
        case stillRunning
        /// It was killed after it had printed more than was asked for.
        case tooLong
        /// It was killed because the run was interrupted.
        case interrupted
    }

    /// Its standard output.
    public let output: Data
    /// The last line that it has written to its standard error; empty without one.
    public let lastWords: String
    /// How it ended.
    public let end: End

    /// Runs a program, without input, and waits for its end. It has ended afterwards in any case, and the processes that it
    /// has left in its group are killed.
    /// - Parameters:
    ///   - executable: Its path; not searched for.
    ///   - arguments: What follows its name.
    ///   - environment: Its whole environment; nil copies that of this process.
    ///   - timeoutNanoseconds: The longest time that it may take, on the monotonic clock.
    ///   - limit: The most that is read of its output, in bytes.
    ///   - interruption: Ends the run when it is signalled.
    /// - Throws: `SystemError` when it cannot be started.
    public init(
        _ executable: String, _ arguments: [String], environment: [String: String]? = nil, timeoutNanoseconds: Int64,
        limit: Int, interruption: EventDescriptor? = nil
    ) throws {
        let (child, streams) = try Self.start(executable, arguments, environment)
        let ends = [child.rawDescriptor, interruption?.rawDescriptor ?? -1]
        let deadline = Int64(MonotonicClock.nanoseconds()) &+ timeoutNanoseconds
        var collected = [Data(), Data()]
        var open = streams.map { Optional($0) }
        var exceeded = false
        // A program may leave a process behind that keeps the streams open, so its own end counts, too.
        while !exceeded, open.contains(where: { $0 != nil }) {
            let rest = deadline - Int64(MonotonicClock.nanoseconds())
            let ready = try Polling.waitReadable(
                open.map { $0?.rawValue ?? -1 } + ends, timeoutNanoseconds: max(0, rest))
            for index in open.indices where ready[index] {
                guard let piece = try open[index]?.read(count: 65_536), !piece.isEmpty else {
                    open[index] = nil
                    continue
                }
                collected[index].append(piece)
                exceeded = exceeded || collected[index].count > limit
            }
            if ready[3] || !ready.contains(true) || (ready[2] && !ready[0] && !ready[1]) { break }
        }
        output = collected[0]
        lastWords = String(
            String(decoding: collected[1].suffix(2_000), as: UTF8.self).split(whereSeparator: \.isNewline).last ?? "")
        let rest = exceeded ? 0 : max(0, deadline - Int64(MonotonicClock.nanoseconds()))
        let ready = try Polling.waitReadable(ends, timeoutNanoseconds: rest)
        // Until the child is reaped, this number is that of its group and of no other.
        kill(-child.pid, SIGKILL)
        let status = try child.wait()
        end = exceeded ? .tooLong : ready[0] ? .ended(status) : ready[1] ? .interrupted : .stillRunning
    }

    /// The writing ends of the pipes are closed with the end of this function, or reading would never end.
    private static func start(
        _ executable: String, _ arguments: [String], _ environment: [String: String]?
    ) throws -> (ChildProcess, [FileDescriptor]) {
        let output = try FileDescriptor.pipe()
        let errors = try FileDescriptor.pipe()
        let child = try ChildProcess.spawn(
            executable: executable, arguments: arguments, environment: environment,
            standardOutput: .file(output.writing), standardError: .file(errors.writing), newProcessGroup: true,
            deathSignal: SIGKILL)
        return (child, [output.reading, errors.reading])
    }
}
