// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabCore
import LabSystem
import Synchronization
import TestSupport

/// A `lab` command, or a peer, on its own terminal.
///
/// Any thread.
final class TerminalSession: Sendable {
    private let process: ChildProcess
    private let master: FileDescriptor
    private let output = Mutex(Data())
    private let reader = Mutex<ThreadHandle?>(nil)

    /// TIOCSPTLCK and TIOCGPTN: the kernel requests of `unlockpt` and `ptsname`, which are not visible in Swift.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - columns: The width of the terminal.
    ///   - program: One of the built programs.
    init(
        _ arguments: [String], in workspace: Workspace, columns: Int, environment additions: [String: String] = [:],
        program: String = "lab"
    ) throws {
        master = try FileDescriptor.open("/dev/ptmx", flags: O_RDWR | O_NOCTTY)
        var (lock, number): (Int32, UInt32) = (0, 0)
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(master.rawValue, Self.setLock, &lock) == 0, ioctl(master.rawValue, Self.getNumber, &number) == 0,
            ioctl(master.rawValue, UInt(TIOCSWINSZ), &size) == 0
        else { throw SystemError(call: "ioctl", errno: errno) }
        let terminal = try FileDescriptor.open("/dev/pts/\(number)", flags: O_RDWR | O_NOCTTY)
        let directory = Files.directory(of: try ProcessTable.executablePath())
        var environment = ProcessInfo.processInfo.environment
        for name in ["LAB_INSTANCE", "NO_COLOR", "CLICOLOR_FORCE"] { environment[name] = nil }
        environment["LAB_RUNTIME_DIR"] = workspace.runtimeDirectory
        environment["TERM"] = "xterm"
        environment.merge(additions) { $1 }
        process = try ChildProcess.spawn(
            executable: "\(directory)/\(program)", arguments: arguments, environment: environment,
            directory: workspace.directory, standardInput: .file(terminal), standardOutput: .file(terminal),
            standardError: .file(terminal), newSession: true, deathSignal: SIGKILL)
        // Reading fails when the last process has closed the terminal; that is its end.
        let thread = runOnThread(name: "terminal") { [self] in
            while let data = try? master.read(count: 65_536), !data.isEmpty { output.withLock { $0.append(data) } }
        }
        reader.withLock { $0 = thread }
    }

    deinit { try? process.signal(SIGKILL) }

    /// Types a text.
    func type(_ text: String) throws { try master.writeAll(Data(text.utf8)) }

    /// Types a text, waits until the output ends with another one, and returns the output since the text was typed.
    func type(_ text: String, until ending: String) throws -> String {
        let before = self.text.count
        try type(text)
        try waitUntil("the answer to \(text)", showing: { self.text }) {
            self.text.dropFirst(before).hasSuffix(ending)
        }
        return String(self.text.dropFirst(before))
    }

    func signal(_ number: Int32) throws { try process.signal(number) }

    /// All output so far.
    var text: String { output.withLock { String(decoding: $0, as: UTF8.self) } }

    /// Waits until a text was written.
    func wait(for expected: String) throws {
        try waitUntil("'\(expected)' on the terminal", showing: { self.text }) { text.contains(expected) }
    }

    /// Waits for the end and returns the exit code, or the negative number of the signal that ended it.
    func finish() throws -> Int32 {
        guard let status = try process.wait(timeoutNanoseconds: LabDuration.minutes(2).stretched.nanoseconds) else {
            throw LabCommand.Late(what: "the end of the command", output: text)
        }
        reader.withLock { $0 }?.join()
        return switch status {
        case .exited(let code): code
        case .signaled(let number): -number
        }
    }
}
