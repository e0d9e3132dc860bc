// SPDX-License-Identifier: Apache-2.0

import CLabSystem
import Glibc

/// The user this process runs as.
public enum CurrentUser {
    /// The numeric user id.
    public static var id: UInt32 { getuid() }
}

/// How many files and connections this process may have open.
public enum OpenFileLimit {
    /// Raises the limit as far as the process may, but to no more than is asked for; never lowers it.
    /// - Returns: the limit from now on.
    @discardableResult
    public static func raise(to wanted: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return wanted }
        if limit.rlim_cur < rlim_t(wanted) {
            let former = limit.rlim_cur
            limit.rlim_cur = min(rlim_t(wanted), limit.rlim_max)
            if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = former }
        }
        return Int(clamping: limit.rlim_cur)
    }
}

/// Memory that was freed, and that the allocator keeps for the next allocation.
public enum FreedMemory {
    /// Gives whole pages of it back to the system, of all threads; takes some milliseconds. Any thread.
    ///
    /// The allocator does that by itself at some times and not at others, and what one thread has freed another does
    /// not always get. So code that has read much and is about to allocate much calls this in between; otherwise the
    /// two may add up.
    public static func giveBack() { malloc_trim(0) }
}

/// The program of this process.
public enum ProcessImage {
    /// Becomes another program, with the same process id, environment and open streams; blocked signals are let
    /// through again, as the new program expects.
    /// - Returns: why it did not work; otherwise it does not return.
    public static func replace(_ path: String, _ arguments: [String]) throws -> SystemError {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigprocmask(SIG_SETMASK, &signals, nil)
        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        words.append(nil)
        execv(path, words)
        let error = SystemError(call: "execv", errno: errno, path: path)
        for word in words { free(word) }
        return error
    }
}
