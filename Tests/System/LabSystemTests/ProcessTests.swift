// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@Suite("Processes", .endsInTime)
struct ProcessTests {
    private func sleeper() throws -> ChildProcess {
        try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
    }

    @Test func `A child runs until it has ended, and is reaped once`() throws {
        let child = try sleeper()
        let watch = try ProcessWatch(pid: child.pid)
        #expect(try child.poll() == nil)
        #expect(try child.wait(timeoutNanoseconds: 0) == nil)
        #expect(!watch.hasEnded)
        #expect(ProcessTable.isAlive(child.pid))
        try child.signal(SIGKILL)
        #expect(try watch.waitForExit())
        #expect(watch.hasEnded)
        #expect(!ProcessTable.isAlive(child.pid), "it has ended, although it was not reaped")
        #expect(try Polling.waitReadable([child.rawDescriptor, watch.rawDescriptor]) == [true, true])
        #expect(try child.wait(timeoutNanoseconds: 10_000_000_000) == .signaled(SIGKILL))
        let error = #expect(throws: SystemError.self) { try child.poll() }
        #expect(error == SystemError(call: "waitid", errno: ECHILD, path: "pid \(child.pid)"))
        try watch.signal(SIGKILL)
        #expect(watch.hasEnded)
    }

    @Test func `A signal that does not exist is refused, by a child and by a watch`() throws {
        let child = try sleeper()
        let watch = try ProcessWatch(pid: child.pid)
        let expected = SystemError(call: "pidfd_send_signal", errno: EINVAL, path: "pid \(child.pid)")
        #expect(throws: expected) { try child.signal(1_000) }
        #expect(throws: expected) { try watch.signal(1_000) }
        try child.signal(SIGTERM)
        #expect(try child.wait() == .signaled(SIGTERM))
        let error = #expect(throws: SystemError.self) { try ProcessWatch(pid: child.pid) }
        #expect(error == SystemError(call: "pidfd_open", errno: ESRCH, path: "pid \(child.pid)"))
    }

    @Test func `A process counts as stopped from its stop until it is continued`() throws {
        let child = try sleeper()
        #expect(!ProcessTable.isStopped(child.pid))
        try child.signal(SIGSTOP)
        // The suite's time limit ends a wait for a state that never comes.
        while !ProcessTable.isStopped(child.pid) { sched_yield() }
        #expect(ProcessTable.isAlive(child.pid))
        try child.signal(SIGCONT)
        while ProcessTable.isStopped(child.pid) { sched_yield() }
        try child.signal(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
        #expect(!ProcessTable.isStopped(child.pid))
    }

    @Test func `A process has its own children only`() throws {
        let child = try sleeper()
        #expect(ProcessTable.children(of: getpid()).contains(child.pid))
        #expect(ProcessTable.children(of: child.pid) == [])
        try child.signal(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
        #expect(!ProcessTable.children(of: getpid()).contains(child.pid))
    }

    @Test
    func `Shared memory that a process has mapped is listed, also without a name, until the last mapping has gone`()
        throws
    {
        let name = "/labsystemtest-\(UUID().uuidString.prefix(12))"
        #expect(!ProcessTable.mappedSharedMemory().contains(name))
        do {
            let memory = try SharedMemoryObject.create(name: name, size: 4_096).map()
            #expect(ProcessTable.mappedSharedMemory().contains(name))
            try SharedMemoryObject.unlink(name: name)
            #expect(ProcessTable.mappedSharedMemory().contains(name))
            withExtendedLifetime(memory) {}
        }
        #expect(!ProcessTable.mappedSharedMemory().contains(name))
    }

    @Test func `The end of a process is described by its code, or by the name of the signal`() {
        #expect(LabSystem.ExitStatus.exited(3).description == "exited with code 3")
        #expect(LabSystem.ExitStatus.signaled(SIGTERM).description == "ended by SIGTERM")
    }

    @Test
    func `A process that cannot become another program learns why, and continues as the user who started it`()
        async throws
    {
        let path = "/nonexistent/program"
        let error = try await onThread { try ProcessImage.replace(path, ["a"]) }
        #expect(error == SystemError(call: "execv", errno: ENOENT, path: path))
        #expect(CurrentUser.id == getuid())
    }
}

@Suite("Runs of programs", .endsInTime)
struct ProgramRunTests {
    /// Far beyond what a program needs here, in nanoseconds.
    private static let patience: Int64 = 3_600_000_000_000

    private func run(_ script: String, limit: Int = 100) throws -> ProgramRun {
        try ProgramRun("/bin/sh", ["-c", script], timeoutNanoseconds: Self.patience, limit: limit)
    }

    @Test func `A run has the output, the last line of the errors, and the end of the program`() throws {
        let run = try run("echo out; echo first >&2; echo last >&2; exit 3")
        #expect(run.output == Data("out\n".utf8))
        #expect(run.lastWords == "last")
        #expect(run.end == .ended(.exited(3)))
        let killed = try self.run("kill -TERM $$")
        #expect(killed.output.isEmpty && killed.lastWords.isEmpty)
        #expect(killed.end == .ended(.signaled(SIGTERM)))
    }

    @Test func `A program has no input`() throws {
        let run = try run("cat; echo end")
        #expect(run.output == Data("end\n".utf8) && run.end == .ended(.exited(0)))
    }

    @Test(arguments: Sizes.around(10))
    func `As many bytes as the limit are taken of each stream, one more ends the program`(count: Int) throws {
        let expected: ProgramRun.End = count <= 10 ? .ended(.exited(0)) : .tooLong
        for stream in 1...2 {
            let run = try run("printf '%0\(count)d' 0 >&\(stream)", limit: 10)
            #expect(run.end == expected, "stream \(stream)")
            #expect(run.output.count == (stream == 1 ? count : 0))
        }
    }

    @Test func `A program that does not end in its time is killed`() throws {
        let run = try ProgramRun("/bin/sleep", ["1000"], timeoutNanoseconds: 1_000_000, limit: 10)
        #expect(run.end == .stillRunning)
    }

    @Test func `A program has the environment that it is given`() throws {
        let run = try ProgramRun(
            "/bin/sh", ["-c", "echo $WORD"], environment: ["WORD": "given"], timeoutNanoseconds: Self.patience,
            limit: 100)
        #expect(run.output == Data("given\n".utf8))
    }

    @Test func `An interrupted program is killed`() throws {
        let interruption = try EventDescriptor()
        interruption.signal()
        let run = try ProgramRun(
            "/bin/sleep", ["1000"], timeoutNanoseconds: Self.patience, limit: 10, interruption: interruption)
        #expect(run.end == .interrupted)
    }

    @Test func `What a program leaves in its group is killed, however the program ends`() throws {
        for last in ["exit 0", "exec yes"] {
            let run = try run("sleep 1000 & echo $!; \(last)")
            #expect(run.end == (last == "exit 0" ? .ended(.exited(0)) : .tooLong))
            let line = String(decoding: run.output, as: UTF8.self).prefix { $0 != "\n" }
            let pid = try #require(Int32(line))
            // The suite's time limit ends a wait for an end that never comes.
            while ProcessTable.isAlive(pid) { sched_yield() }
        }
    }

    @Test func `A program that cannot be started is an error`() {
        let error = #expect(throws: SystemError.self) {
            try ProgramRun("/nonexistent/program", [], timeoutNanoseconds: Self.patience, limit: 10)
        }
        #expect(error == SystemError(call: "execve", errno: ENOENT, path: "/nonexistent/program"))
    }
}
