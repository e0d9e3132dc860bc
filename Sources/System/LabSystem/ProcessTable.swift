// SPDX-License-Identifier: Apache-2.0

import CLabSystem
import Foundation
import Glibc

/// What the kernel reports about processes under `/proc`.
public enum ProcessTable {
    /// A file lock that a process holds.
    public struct HeldLock: Hashable, Sendable {
        /// Which call took it.
        public enum Kind: String, Sendable {
            /// `flock(2)`, a whole-file lock.
            case flock = "FLOCK"
            /// `fcntl(2)`, a record lock as SQLite uses.
            case posix = "POSIX"
            /// An open-file-description lock.
            case openFile = "OFDLCK"
        }

        /// The file's path, when the holder still has the file open.
        public let path: String?
        /// The file, as the kernel lists it: device and inode.
        public let file: String
        /// Which call took it.
        public let kind: Kind
        /// Whether it excludes readers too.
        public let isExclusive: Bool
    }

    /// Whether a process exists that is neither dead nor waiting to be reaped.
    ///
    /// A killed process is alive until its last thread has ended: its first thread may be a zombie by then, while the
    /// others still hold its files open.
    public static func isAlive(_ pid: Int32) -> Bool {
        do {
            return try !ProcessWatch(pid: pid).waitForExit(timeoutNanoseconds: 0)
        } catch let error as SystemError where error.errno == ESRCH {
            return false
        } catch {
            guard let state = status(of: pid)?.state else { return false }
            return state != "Z" && state != "X"
        }
    }

    /// Whether every thread of a process has been stopped by a signal.
    public static func isStopped(_ pid: Int32) -> Bool {
        guard let threads = try? Files.list("/proc/\(pid)/task"), !threads.isEmpty else { return false }
        return threads.allSatisfy { ["T", "t"].contains(status(of: pid, thread: $0)?.state) }
    }

    /// The path of the program this process runs.
    public static func executablePath() throws -> String { try Files.readLink("/proc/self/exe") }

    /// The children of a process.
    public static func children(of pid: Int32) -> [Int32] {
        guard let entries = try? Files.list("/proc") else { return [] }
        return entries.compactMap { Int32($0) }.filter { status(of: $0)?.parent == pid }
    }

    /// The file locks a process holds; none when it has ended.
    ///
    /// The kernel lists them at each file that the process has open, so a lock and its path cannot be mixed up with those
    /// of another file: an inode number alone is unique on one file system only.
    public static func heldLocks(by pid: Int32) throws -> [HeldLock] {
        let directory = "/proc/\(pid)/fdinfo"
        let names: [String]
        do {
            names = try Files.list(directory)
        } catch let error as SystemError where [ENOENT, ESRCH].contains(error.errno) {
            return []
        }
        var locks: [HeldLock] = []
        var seen: Set<[Substring]> = []
        for name in names {
            // Closed meanwhile, or the process has ended.
            guard let text = text("\(directory)/\(name)") else { continue }
            for line in text.utf8.split(separator: UInt8(ascii: "\n")) where line.starts(with: "lock:".utf8) {
                // "lock:  1: POSIX  ADVISORY  WRITE 4242 00:1f:1234 0 EOF"
                let fields = fields(of: line)
                guard fields.count >= 9, let kind = HeldLock.Kind(rawValue: String(fields[2])) else { continue }
                // A record lock belongs to the process and is listed at each descriptor of its file.
                guard kind != .posix || seen.insert(Array(fields[2...])).inserted else { continue }
                let path = try? Files.readLink("/proc/\(pid)/fd/\(name)")
                locks.append(
                    HeldLock(path: path, file: String(fields[6]), kind: kind, isExclusive: fields[4] == "WRITE"))
            }
        }
        return locks
    }

    /// The names of shared memory, with their leading slash, that processes of this user have mapped.
    public static func mappedSharedMemory() -> Set<String> {
        let pids = ((try? Files.list("/proc")) ?? []).filter { Int32($0) != nil }
        return pids.reduce(into: []) { names, pid in
            // "7f…-7f… rw-s 00000000 00:1b 42   /dev/shm/lab-abc-1"; a process of another user cannot be read.
            for line in (text("/proc/\(pid)/maps") ?? "").split(separator: "\n") {
                guard let path = line.range(of: "/dev/shm/") else { continue }
                names.insert("/" + line[path.upperBound...].replacing(" (deleted)", with: ""))
            }
        }
    }

    /// A process that waits for a file lock.
    public struct LockWaiter: Hashable, Sendable {
        /// The process.
        public let pid: Int32
        /// The file, spelled as in ``HeldLock/file``.
        public let file: String
    }

    /// The processes of the machine that wait for a `flock(2)`.
    public static func lockWaiters() throws -> [LockWaiter] {
        let text = String(decoding: try Files.read("/proc/locks"), as: UTF8.self)
        return text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            // "1: -> FLOCK  ADVISORY  WRITE 4242 00:1f:1234 0 EOF"
            let fields = fields(of: line)
            guard fields.count >= 7, fields[1] == "->", fields[2] == HeldLock.Kind.flock.rawValue,
                let pid = Int32(fields[5])
            else { return nil }
            return LockWaiter(pid: pid, file: String(fields[6]))
        }
    }

    /// What stands between the spaces of a line; by bytes, because a scheduler of turns reads these files in a loop.
    private static func fields(of line: Substring.UTF8View) -> [Substring] {
        line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map(Substring.init)
    }

    private static func status(of pid: Int32, thread: String? = nil) -> (state: String, parent: Int32)? {
        let path = thread.map { "/proc/\(pid)/task/\($0)/stat" } ?? "/proc/\(pid)/stat"
        // The second field is the program's name in parentheses and may contain anything, so count from its end.
        guard let text = text(path), let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count >= 2, let parent = Int32(fields[1]) else { return nil }
        return (String(fields[0]), parent)
    }

    private static func text(_ path: String) -> String? {
        (try? Files.read(path)).map { String(decoding: $0, as: UTF8.self) }
    }
}

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

/// The process at the other end of a Unix socket, as reported by the kernel.
public enum SocketPeer {
    /// The process that has made a connection, as its listener sees it.
    /// - Parameter descriptor: A connected Unix socket.
    /// - Returns: The process id; nil for anything else.
    public static func process(of descriptor: Int32) -> Int32? {
        let pid = csystem_peer_pid(descriptor)
        return pid > 0 ? pid : nil
    }
}
