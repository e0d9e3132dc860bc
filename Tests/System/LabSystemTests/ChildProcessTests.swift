// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import Synchronization
import TestSupport
import Testing

// Swift Testing has a type of that name too.
private typealias ExitStatus = LabSystem.ExitStatus

@Suite("Child processes", .endsInTime)
struct ChildProcessTests {
    /// Runs a shell command and returns what it printed and how it ended.
    private func run(
        _ script: String, environment: [String: String]? = nil, directory: String? = nil, group: Bool = false
    ) throws -> (output: String, status: ExitStatus) {
        let (reading, writing) = try FileDescriptor.pipe()
        let child = try ChildProcess.spawn(
            executable: "/bin/sh", arguments: ["-c", script], environment: environment, directory: directory,
            standardOutput: .file(duplicate(writing)), newProcessGroup: group)
        return (try readAndClose(reading, writing), try child.wait())
    }

    private func duplicate(_ file: FileDescriptor) -> FileDescriptor {
        FileDescriptor(owning: fcntl(file.rawValue, F_DUPFD_CLOEXEC, 0))
    }

    /// Reads until all writers are gone; `writing` is this process's own writing end.
    private func readAndClose(_ reading: FileDescriptor, _ writing: consuming FileDescriptor) throws -> String {
        dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), writing.rawValue)
        return String(decoding: try reading.readToEnd(), as: UTF8.self)
    }

    @Test func `Exit codes and signals are reported`() throws {
        #expect(try run("exit 7").status == .exited(7))
        #expect(try run("kill -TERM $$").status == .signaled(SIGTERM))
        #expect(ExitStatus.signaled(SIGKILL).description == "ended by SIGKILL")
    }

    @Test func `Arguments, environment and directory reach the child`() throws {
        let result = try run("echo \"$LAB_X\"; pwd; echo $#", environment: ["LAB_X": "a b"], directory: "/usr")
        #expect(result.output == "a b\n/usr\n0\n")
    }

    @Test func `The child has only its three streams`() throws {
        let open = try FileDescriptor.open("/dev/null")
        let leaky = fcntl(open.rawValue, F_DUPFD, 0)
        defer { close(leaky) }
        // The fourth descriptor is the directory that `ls` itself reads.
        let names = try run("exec ls /proc/self/fd").output.split(separator: "\n")
        #expect(names.count == 4 && names.prefix(3) == ["0", "1", "2"], "\(names)")
    }

    @Test func `The child leads a group of its own, when asked`() throws {
        let output = try run("ps -o pid=,pgid= -p $$", group: true).output
        let numbers = output.split(separator: " ").map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        #expect(numbers.count == 2 && numbers[0] == numbers[1], "\(output)")
    }

    @Test func `The child leads a session of its own, when asked, and shares the parent's otherwise`() throws {
        for isOwn in [true, false] {
            let output = try FileDescriptor.pipe()
            let child = try ChildProcess.spawn(
                executable: "/bin/sh", arguments: ["-c", "ps -o pid=,pgid=,sid= -p $$"],
                standardOutput: .file(output.writing), newSession: isOwn)
            #expect(try child.wait() == .exited(0))
            let numbers = String(decoding: try output.reading.read(count: 100), as: UTF8.self)
                .split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }
            #expect(numbers == (isOwn ? [child.pid, child.pid, child.pid] : [child.pid, getpgrp(), getsid(0)]))
        }
    }

    @Test func `The child blocks and ignores no signal, whatever its parent does`() throws {
        Signals.ignore(SIGPIPE)
        let status = Mutex("")
        // A thread of its own, because the threads of tests keep what is blocked in them.
        runOnThread(name: "blocking") {
            Signals.block([SIGUSR1, SIGTERM])
            let output = try? run("exec grep -E '^Sig(Blk|Ign)' /proc/self/status").output
            status.withLock { $0 = output ?? "" }
        }.join()
        let masks = status.withLock { $0 }.split(separator: "\n").compactMap { UInt64($0.suffix(16), radix: 16) }
        // glibc keeps the signals 32 and 33 to itself: no program can change what it inherits for them.
        let reserved: UInt64 = 0b11 << 31
        #expect(masks.map { $0 & ~reserved } == [0, 0])
    }

    @Test func `A stream is the parent's own when the child inherits it, and empty without one`() throws {
        let input = try FileDescriptor.pipe()
        // The standard input of the tests, which nothing reads, is a pipe for the time of this test.
        let saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        dup2(input.reading.rawValue, STDIN_FILENO)
        defer {
            if saved >= 0 { dup2(saved, STDIN_FILENO) }
            close(saved >= 0 ? saved : STDIN_FILENO)
        }
        try input.writing.writeAll(Data("mine".utf8))
        for (stream, expected) in [(ChildProcess.Stream.null, ""), (.inherit, "mine")] {
            let output = try FileDescriptor.pipe()
            let child = try ChildProcess.spawn(
                executable: "/bin/sh", arguments: ["-c", "head -c 4; echo"], standardInput: stream,
                standardOutput: .file(output.writing))
            #expect(try child.wait() == .exited(0))
            #expect(try output.reading.read(count: 10) == Data("\(expected)\n".utf8))
        }
    }

    @Test func `A program that is open for writing is started when it is closed`() async throws {
        let directory = try TemporaryDirectory()
        let program = directory.file("program")
        try Files.write(Data("#!/bin/sh\nexit 7\n".utf8), to: program, mode: 0o755)
        let writer = open(program, O_WRONLY | O_CLOEXEC)
        try #require(writer >= 0)
        let status = try await onThread {
            // The start has to be tried before; it may be late on a busy machine, and finds the program closed then.
            let closing = runOnThread(name: "writer") {
                MonotonicClock.pause(nanoseconds: 50_000_000)
                close(writer)
            }
            defer { closing.join() }
            return try ChildProcess.spawn(executable: program).wait()
        }
        #expect(status == .exited(7))
    }

    @Test func `An executable that does not exist is reported by the call`() {
        let error = #expect(throws: SystemError.self) { try ChildProcess.spawn(executable: "/nonexistent/program") }
        #expect(error?.call == "execve")
        #expect(error?.errno == ENOENT)
        #expect(error?.path == "/nonexistent/program")
    }

    @Test func `A missing directory is reported by the call`() {
        let error = #expect(throws: SystemError.self) {
            try ChildProcess.spawn(executable: "/bin/true", directory: "/nonexistent")
        }
        #expect(error?.call == "chdir")
        #expect(error?.path == "/nonexistent")
    }

    @Test func `A death signal does not fire when the asking thread ends`() throws {
        let input = try FileDescriptor.pipe()
        let output = try FileDescriptor.pipe()
        let asked = AskedChild()
        runOnThread(name: "asking") {
            let child = try? ChildProcess.spawn(
                executable: "/bin/cat", standardInput: .file(input.reading), standardOutput: .file(output.writing),
                deathSignal: SIGKILL)
            asked.set(child, thread: try? Files.readLink("/proc/thread-self"))
        }.join()
        let (cat, thread) = try #require(asked.value)
        // The join above returns when the body has returned; the kernel's thread ends a moment later.
        while Files.exists("/proc/\(thread)") { sched_yield() }
        try input.writing.writeAll(Data("alive".utf8))
        #expect(try output.reading.read(count: 5) == Data("alive".utf8))
        try cat.signal(SIGTERM)
        #expect(try cat.wait() == .signaled(SIGTERM))
    }

    @Test func `Signalling a child that has ended is accepted`() throws {
        let child = try ChildProcess.spawn(executable: "/bin/true")
        #expect(try child.wait() == .exited(0))
        try child.signal(SIGKILL)
        let error = #expect(throws: SystemError.self) { try child.wait() }
        #expect(error?.errno == ECHILD)
    }

    @Test func `A watch notices the end of a process`() throws {
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"])
        let watch = try ProcessWatch(pid: child.pid)
        #expect(try !watch.waitForExit(timeoutNanoseconds: 0))
        #expect(ProcessTable.isAlive(child.pid))
        #expect(ProcessTable.children(of: getpid()).contains(child.pid))
        try watch.signal(SIGKILL)
        #expect(try watch.waitForExit(timeoutNanoseconds: 10_000_000_000))
        #expect(try child.wait() == .signaled(SIGKILL))
        #expect(!ProcessTable.isAlive(child.pid))
        #expect(throws: SystemError.self) { try ProcessWatch(pid: child.pid) }
    }

    @Test func `Children started at the same time are kept apart`() throws {
        let statuses = StatusList()
        let threads = (0..<8).map { number in
            runOnThread(name: "spawner") {
                let child = try? ChildProcess.spawn(
                    executable: "/bin/sh", arguments: ["-c", "exit \(number)"],
                    deathSignal: number % 2 == 0 ? SIGKILL : nil)
                if let status = try? child?.wait() { statuses.set(number, status) }
            }
        }
        threads.forEach { $0.join() }
        #expect(statuses.all == Dictionary(uniqueKeysWithValues: (0..<8).map { ($0, .exited(Int32($0))) }))
    }
}

private final class AskedChild: Sendable {
    private let slot = Mutex<(child: ChildProcess, thread: String)?>(nil)

    var value: (child: ChildProcess, thread: String)? { slot.withLock { $0 } }

    func set(_ child: ChildProcess?, thread: String?) {
        guard let child, let thread else { return }
        slot.withLock { $0 = (child, thread) }
    }
}

private final class StatusList: Sendable {
    private let statuses = Mutex<[Int: ExitStatus]>([:])

    var all: [Int: ExitStatus] { statuses.withLock { $0 } }

    func set(_ number: Int, _ status: ExitStatus) { statuses.withLock { $0[number] = status } }
}
