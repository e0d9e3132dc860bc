// SPDX-License-Identifier: Apache-2.0

import CLabSystem
import Glibc

/// Signals of this process.
public enum Signals {
    /// Ignores a signal, e.g. `SIGPIPE`. A program started from here gets the default again.
    public static func ignore(_ number: Int32) { signal(number, SIG_IGN) }

    /// Blocks signals in the calling thread and the threads it starts later; call it first thing in `main`, before
    /// any other thread exists, for signals that `onSignals` shall report.
    public static func block(_ numbers: [Int32]) {
        var set = signalSet(numbers)
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Reports signals to `handler` on a thread of its own, where everything is allowed.
    ///
    /// The signals are blocked in the calling thread. Threads that exist already must have them blocked too, or the
    /// kernel may deliver one there with its default action.
    /// - Parameter handler: gets the signal's number; called for one signal at a time.
    public static func onSignals(_ numbers: [Int32], _ handler: @escaping @Sendable (Int32) -> Void) throws {
        block(numbers)
        var set = signalSet(numbers)
        let file = FileDescriptor(owning: try SystemError.check(csystem_signalfd(&set), "signalfd"))
        runOnThread(name: "signals") {
            while true {
                // Waiting on an open descriptor fails only for want of kernel memory; then it is tried again.
                _ = try? Polling.waitReadable([file.rawValue])
                let number = csystem_signalfd_read(file.rawValue)
                if number > 0 { handler(number) }
            }
        }
    }

    /// Sends a signal to a process by its number. Prefer `ChildProcess.signal` and `ProcessWatch.signal`, which cannot
    /// hit a process that got the pid later.
    public static func send(_ number: Int32, to pid: Int32) throws {
        guard kill(pid, number) == 0 else { throw SystemError.last("kill", path: "pid \(pid)") }
    }

    /// Ends this process at once, as `kill -9` would.
    public static func killSelf() -> Never {
        kill(getpid(), SIGKILL)
        // The kernel does not return to this thread; the call is for the compiler.
        _exit(137)
    }

    /// The name of a signal, e.g. `"SIGKILL"`.
    public static func name(of number: Int32) -> String { names[number] ?? "signal \(number)" }

    private static let names: [Int32: String] = [
        SIGHUP: "SIGHUP", SIGINT: "SIGINT", SIGQUIT: "SIGQUIT", SIGILL: "SIGILL", SIGTRAP: "SIGTRAP",
        SIGABRT: "SIGABRT", SIGBUS: "SIGBUS", SIGFPE: "SIGFPE", SIGKILL: "SIGKILL", SIGUSR1: "SIGUSR1",
        SIGSEGV: "SIGSEGV", SIGUSR2: "SIGUSR2", SIGPIPE: "SIGPIPE", SIGALRM: "SIGALRM", SIGTERM: "SIGTERM",
        SIGCHLD: "SIGCHLD", SIGCONT: "SIGCONT", SIGSTOP: "SIGSTOP", SIGTSTP: "SIGTSTP", SIGSYS: "SIGSYS",
    ]

    private static func signalSet(_ numbers: [Int32]) -> sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in numbers { sigaddset(&set, number) }
        return set
    }
}
