// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Glibc
import LabSystem
import Synchronization
import TestSupport
import Testing

@Suite("Signals", .endsInTime)
struct SignalTests {
    /// A real-time signal; nothing in this process uses it or the next one.
    private static let number: Int32 = 41

    /// Which signals the calling thread blocks.
    private static func blocked(_ numbers: [Int32]) -> [Bool] {
        var set = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &set)
        return numbers.map { sigismember(&set, $0) == 1 }
    }

    private static func unblock(_ numbers: [Int32]) {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }

    private static func text(of thread: String, _ file: String) throws -> String {
        String(decoding: try Files.read("/proc/self/task/\(thread)/\(file)"), as: UTF8.self)
    }

    /// The threads of this process that report signals.
    private static func reporters() throws -> Set<String> {
        Set(try Files.list("/proc/self/task").filter { (try? text(of: $0, "comm")) == "signals\n" })
    }

    /// Sends a signal to one thread, by `tgkill(2)`, which the module Glibc does not show. A signal for the whole process
    /// would go to one of the threads that do not block it.
    private static func send(_ number: Int32, toThread thread: String) throws {
        typealias Call = @convention(c) (Int32, Int32, Int32) -> Int32
        let symbol = try #require(dlsym(nil, "tgkill"))
        let thread = try #require(Int32(thread))
        try #require(unsafeBitCast(symbol, to: Call.self)(getpid(), thread, number) == 0)
    }

    @Test
    func `A reported signal is blocked in the asking thread, and wakes a thread that slept until it came`() throws {
        let received = Mutex<[Int32]>([])
        let arrived = DispatchSemaphore(value: 0)
        let mask = Mutex<[Bool]>([])
        let before = try Self.reporters()
        // A thread of its own, because the threads of tests keep what is blocked in them.
        runOnThread(name: "asking") {
            Self.unblock([Self.number, Self.number + 1])
            try? Signals.onSignals([Self.number]) { number in
                received.withLock { $0.append(number) }
                arrived.signal()
            }
            mask.withLock { $0 = Self.blocked([Self.number, Self.number + 1]) }
        }.join()
        #expect(mask.withLock { $0 } == [true, false])
        var found: String?
        while found == nil {
            found = try Self.reporters().subtracting(before).first
            sched_yield()
        }
        let thread = try #require(found)
        // One that looked again and again would be running; then the suite's time limit ends the test.
        while try !(0..<20).allSatisfy({ _ in try Self.text(of: thread, "stat").contains(") S ") }) { sched_yield() }
        for _ in 1...2 {
            try Self.send(Self.number, toThread: thread)
            arrived.wait()
        }
        #expect(received.withLock { $0 } == [Self.number, Self.number])
    }

    @Test func `Blocking concerns the named signals, in the calling thread and those that it starts`() {
        let masks = Mutex<[[Bool]]>([])
        runOnThread(name: "blocking") {
            let numbers = [Self.number + 1, Self.number + 2, Self.number + 3]
            // Threads of dispatch, which this one inherits from, have all signals blocked.
            Self.unblock(numbers)
            masks.withLock { $0.append(Self.blocked(numbers)) }
            Signals.block([Self.number + 1, Self.number + 3])
            masks.withLock { $0.append(Self.blocked(numbers)) }
            runOnThread(name: "started") { masks.withLock { $0.append(Self.blocked(numbers)) } }.join()
        }.join()
        #expect(masks.withLock { $0 } == [[false, false, false], [true, false, true], [true, false, true]])
    }

    @Test func `With SIGPIPE ignored, writing without a reader is an error and does not end the process`() throws {
        Signals.ignore(SIGPIPE)
        // The reading end is released at once.
        let writing = try FileDescriptor.pipe().writing
        let error = #expect(throws: SystemError.self) { try writing.writeAll(Data("x".utf8)) }
        #expect(error == SystemError(call: "write", errno: EPIPE))
    }

    @Test func `A signal to a process that does not exist is an error with its number`() throws {
        // Signal 0 only asks whether the process exists.
        try Signals.send(0, to: getpid())
        let error = #expect(throws: SystemError.self) { try Signals.send(0, to: Int32.max) }
        #expect(error == SystemError(call: "kill", errno: ESRCH, path: "pid \(Int32.max)"))
    }

    @Test func `Signals have the names of the C library; an unknown one has its number`() {
        let names: [(Int32, String)] = [
            (SIGHUP, "SIGHUP"), (SIGINT, "SIGINT"), (SIGQUIT, "SIGQUIT"), (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"),
            (SIGABRT, "SIGABRT"), (SIGBUS, "SIGBUS"), (SIGFPE, "SIGFPE"), (SIGKILL, "SIGKILL"), (SIGUSR1, "SIGUSR1"),
            (SIGSEGV, "SIGSEGV"), (SIGUSR2, "SIGUSR2"), (SIGPIPE, "SIGPIPE"), (SIGALRM, "SIGALRM"),
            (SIGTERM, "SIGTERM"), (SIGCHLD, "SIGCHLD"), (SIGCONT, "SIGCONT"), (SIGSTOP, "SIGSTOP"),
            (SIGTSTP, "SIGTSTP"), (SIGSYS, "SIGSYS"), (63, "signal 63"),
        ]
        for (number, name) in names { #expect(Signals.name(of: number) == name) }
    }
}
