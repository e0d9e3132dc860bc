import CLabSystem
import Foundation
import Glibc

/// What the kernel tells about processes under `/proc`.
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
        /// The inode number of the file.
        public let inode: UInt64
        /// The device of the file as `major:minor`, hexadecimal, as `/proc/locks` writes it.
        public let device: String
        /// Which call took it.
        public let kind: Kind
        /// Whether it excludes readers too.
        public let isExclusive: Bool
    }

    /// Whether a process exists that is neither dead nor waiting to be reaped.
    public static func isAlive(_ pid: Int32) -> Bool {
        guard let state = status(of: pid)?.state else { return false }
        return state != "Z" && state != "X"
    }

    /// Whether every thread of a process has been stopped by a signal.
    public static func isStopped(_ pid: Int32) -> Bool {
        guard let threads = try? Files.list("/proc/\(pid)/task"), !threads.isEmpty else { return false }
        return threads.allSatisfy { ["T", "t"].contains(status(of: pid, thread: $0)?.state) }
    }

    /// The path of the program this process runs.
    public static func executablePath() throws -> String {
        try Files.readLink("/proc/self/exe")
    }

    /// The children of a process.
    public static func children(of pid: Int32) -> [Int32] {
        guard let entries = try? Files.list("/proc") else { return [] }
        return entries.compactMap { Int32($0) }.filter { status(of: $0)?.parent == pid }
    }

    /// The file locks a process holds, as `/proc/locks` lists them.
    public static func heldLocks(by pid: Int32) throws -> [HeldLock] {
        var locks: [HeldLock] = []
        let table = String(decoding: try Files.read("/proc/locks"), as: UTF8.self)
        for line in table.split(separator: "\n") {
            // "1: POSIX  ADVISORY  WRITE 4242 00:1f:1234 0 EOF"; a waiter has "->" after the number.
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count >= 8, fields[1] != "->", let kind = HeldLock.Kind(rawValue: String(fields[1])),
                Int32(fields[4]) == pid
            else { continue }
            let place = fields[5].split(separator: ":")
            guard place.count == 3, let inode = UInt64(place[2]) else { continue }
            locks.append(
                HeldLock(
                    path: nil, inode: inode, device: "\(place[0]):\(place[1])", kind: kind,
                    isExclusive: fields[3] == "WRITE"))
        }
        guard !locks.isEmpty else { return [] }
        let paths = openFiles(of: pid)
        return locks.map {
            HeldLock(
                path: paths[$0.inode], inode: $0.inode, device: $0.device, kind: $0.kind, isExclusive: $0.isExclusive)
        }
    }

    private static func openFiles(of pid: Int32) -> [UInt64: String] {
        let directory = "/proc/\(pid)/fd"
        var paths: [UInt64: String] = [:]
        for name in (try? Files.list(directory)) ?? [] {
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0 else { continue }
            paths[UInt64(status.st_ino)] = try? Files.readLink("\(directory)/\(name)")
        }
        return paths
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
