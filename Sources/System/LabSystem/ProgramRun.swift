public import Foundation
import Glibc

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
    }

    /// Its standard output.
    public let output: Data
    /// The last line that it has written to its standard error; empty without one.
    public let lastWords: String
    /// How it ended.
    public let end: End

    /// Runs a program, without input, and waits for its end. It has ended afterwards in any case.
    ///
    /// - Parameters:
    ///   - executable: Its path; not searched for.
    ///   - arguments: What follows its name.
    ///   - timeoutNanoseconds: The longest time that it may take, on the monotonic clock.
    ///   - limit: The most that is read of its output, in bytes.
    /// - Throws: `SystemError` when it cannot be started.
    public init(_ executable: String, _ arguments: [String], timeoutNanoseconds: Int64, limit: Int) throws {
        let (child, streams) = try Self.start(executable, arguments)
        let deadline = Int64(MonotonicClock.nanoseconds()) &+ timeoutNanoseconds
        var collected = [Data(), Data()]
        var open = streams.map { Optional($0) }
        var exceeded = false
        // A program may leave a process behind that keeps the streams open, so its own end counts, too.
        while !exceeded, open.contains(where: { $0 != nil }) {
            let rest = deadline - Int64(MonotonicClock.nanoseconds())
            let ready = try Polling.waitReadable(
                open.map { $0?.rawValue ?? -1 } + [child.rawDescriptor], timeoutNanoseconds: max(0, rest))
            for index in open.indices where ready[index] {
                guard let piece = try open[index]?.read(count: 65_536), !piece.isEmpty else {
                    open[index] = nil
                    continue
                }
                collected[index].append(piece)
                exceeded = exceeded || collected[index].count > limit
            }
            if !ready.contains(true) || (ready[2] && !ready[0] && !ready[1]) { break }
        }
        output = collected[0]
        lastWords = String(
            String(decoding: collected[1].suffix(2_000), as: UTF8.self).split(whereSeparator: \.isNewline).last ?? "")
        let rest = max(0, deadline - Int64(MonotonicClock.nanoseconds()))
        if !exceeded, let status = try child.wait(timeoutNanoseconds: rest) {
            end = .ended(status)
        } else {
            try child.signal(SIGKILL)
            _ = try child.wait()
            end = exceeded ? .tooLong : .stillRunning
        }
    }

    /// The writing ends of the pipes are closed with the end of this function, or reading would never end.
    private static func start(_ executable: String, _ arguments: [String]) throws -> (ChildProcess, [FileDescriptor]) {
        let output = try FileDescriptor.pipe()
        let errors = try FileDescriptor.pipe()
        let child = try ChildProcess.spawn(
            executable: executable, arguments: arguments, standardOutput: .file(output.writing),
            standardError: .file(errors.writing), newProcessGroup: true, deathSignal: SIGKILL)
        return (child, [output.reading, errors.reading])
    }
}
