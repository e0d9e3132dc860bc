// SPDX-License-Identifier: Apache-2.0

import CLabSystem
public import Foundation
import Glibc

/// Files and directories by path.
public enum Files {
    /// Whether something exists at `path`; a symbolic link counts by its target.
    public static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Whether `path` is a directory.
    public static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The path from the root, without `.` and `..`. Links stay as they are written, so that programs that compare paths
    /// agree on them.
    public static func absolute(_ path: String) -> String {
        let full = path.hasPrefix("/") ? path : "\(FileManager.default.currentDirectoryPath)/\(path)"
        var parts: [Substring] = []
        for part in full.split(separator: "/") where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The directory of a path, as text: `a/b` for `a/b/c`, `.` for `c`, `/` for `/c`.
    ///
    /// Not Foundation's `deletingLastPathComponent`, which ends the process for a path of one character.
    public static func directory(of path: String) -> String {
        var parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard !parts.isEmpty else { return path.hasPrefix("/") ? "/" : "." }
        parts.removeLast()
        if parts.isEmpty { return path.hasPrefix("/") ? "/" : "." }
        return (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
    }

    /// The last part of a path, as text; empty for `/`.
    public static func name(of path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: true).last.map(String.init) ?? ""
    }

    /// Makes a directory. One that exists already is accepted.
    /// - Parameter intermediates: whether missing parents are made too, with the same mode.
    public static func createDirectory(_ path: String, mode: UInt32 = 0o700, intermediates: Bool = true) throws {
        if mkdir(path, mode) == 0 { return }
        let failure = SystemError.last("mkdir", path: path)
        switch failure.errno {
        case EEXIST where isDirectory(path): return
        case ENOENT where intermediates:
            let parent = directory(of: path)
            guard parent != path, parent != "." else { throw failure }
            try createDirectory(parent, mode: mode, intermediates: true)
            guard mkdir(path, mode) == 0 || (errno == EEXIST && isDirectory(path)) else {
                throw SystemError.last("mkdir", path: path)
            }
        default: throw failure
        }
    }

    /// Makes a directory that must not exist yet.
    public static func createNewDirectory(_ path: String, mode: UInt32 = 0o700) throws {
        guard mkdir(path, mode) == 0 else { throw SystemError.last("mkdir", path: path) }
    }

    /// The names in a directory, sorted, without `.` and `..`.
    public static func list(_ path: String) throws -> [String] {
        let descriptor = try FileDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY)
        return try names(in: descriptor).sorted()
    }

    /// The whole content of a file.
    public static func read(_ path: String) throws -> Data { try FileDescriptor.open(path).readToEnd() }

    /// Replaces a file in one step: readers see the old content or the new one, never a part.
    public static func write(_ data: Data, to path: String, mode: UInt32 = 0o600) throws {
        try write(to: path, mode: mode) { try $0.writeAll(data) }
    }

    /// Makes another file the same as one, in one step for its readers.
    public static func copy(_ path: String, to target: String, mode: UInt32 = 0o600) throws {
        let source = try FileDescriptor.open(path)
        try write(to: target, mode: mode) { file in
            while case let piece = try source.read(count: 262_144), !piece.isEmpty { try file.writeAll(piece) }
        }
    }

    /// What stands at a path; a symbolic link is not followed.
    public enum Kind: Sendable {
        /// A file with bytes.
        case file
        /// A directory.
        case directory
        /// A symbolic link.
        case link
        /// A socket, a pipe or a device.
        case other
    }

    /// What stands at a path.
    /// - Throws: `SystemError` when nothing does.
    public static func kind(of path: String) throws -> Kind {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError.last("lstat", path: path) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return .file
        case S_IFDIR: return .directory
        case S_IFLNK: return .link
        default: return .other
        }
    }

    /// Copies a directory with everything in it into another, which is made if need be. Links stay links; sockets,
    /// pipes and devices are left out, and so is what another process removes meanwhile.
    /// - Parameter isLeftOut: whether an entry, by its path below `path`, is left out with everything in it.
    /// - Returns: how many files were copied.
    public static func copyTree(
        _ path: String, to target: String, leavingOut isLeftOut: (String) -> Bool = { _ in false }
    ) throws -> Int {
        try copyEntries(of: path, to: target, below: "", leavingOut: isLeftOut)
    }

    private static func copyEntries(
        of path: String, to target: String, below parent: String, leavingOut isLeftOut: (String) -> Bool
    ) throws -> Int {
        let names = try list(path)
        try createDirectory(target)
        var count = 0
        for name in names where !isLeftOut(parent + name) {
            let (entry, counterpart) = ("\(path)/\(name)", "\(target)/\(name)")
            do {
                switch try kind(of: entry) {
                case .file:
                    try copy(entry, to: counterpart)
                    count += 1
                case .directory:
                    count += try copyEntries(
                        of: entry, to: counterpart, below: "\(parent)\(name)/", leavingOut: isLeftOut)
                case .link: try symlink(counterpart, to: try readLink(entry))
                case .other: break
                }
            } catch let error as SystemError where error.errno == ENOENT {
                continue
            }
        }
        return count
    }

    /// Replaces a file in one step, although its content comes piece by piece.
    /// - Parameter content: Writes it; when it throws, the old content stays.
    public static func write(to path: String, mode: UInt32 = 0o600, content: (FileDescriptor) throws -> Void) throws {
        let temporary = "\(path).\(getpid()).\(csystem_gettid()).new"
        do {
            let file = try FileDescriptor.open(temporary, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
            try content(file)
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Renames a file or directory, replacing a file at the target.
    public static func rename(_ path: String, to target: String) throws {
        guard Glibc.rename(path, target) == 0 else { throw SystemError.last("rename", path: path) }
    }

    /// Renames a file or directory; fails with `EEXIST` when the target exists.
    public static func renameExclusively(_ path: String, to target: String) throws {
        try SystemError.check(csystem_rename_exclusive(path, target), "renameat2", path: target)
    }

    /// Removes a file; one that is not there is accepted.
    public static func remove(_ path: String) throws {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError.last("unlink", path: path) }
    }

    /// Makes `path` a symbolic link to `target`, replacing a link that was there, in one step.
    public static func symlink(_ path: String, to target: String) throws {
        let temporary = "\(path).\(getpid()).\(csystem_gettid()).new"
        guard Glibc.symlink(target, temporary) == 0 else { throw SystemError.last("symlink", path: path) }
        do {
            try rename(temporary, to: path)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Where a symbolic link points.
    public static func readLink(_ path: String) throws -> String {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            readlink(path, bytes.bindMemory(to: CChar.self).baseAddress!, bytes.count)  // never empty
        }
        guard count >= 0 else { throw SystemError.last("readlink", path: path) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }

    /// Makes an empty file if it does not exist; an existing one is unchanged.
    public static func touch(_ path: String, mode: UInt32 = 0o600) throws {
        _ = try FileDescriptor.open(path, flags: O_WRONLY | O_CREAT, mode: mode)
    }

    /// Removes a file or a directory with everything in it; links are removed, never followed. What others
    /// remove at the same time is accepted.
    public static func removeTree(_ path: String) throws {
        if unlink(path) == 0 || errno == ENOENT { return }
        guard errno == EISDIR || errno == EPERM else { throw SystemError.last("unlink", path: path) }
        // A second round catches entries that another process added while the first one ran.
        for attempt in 1...3 {
            do {
                let directory = try FileDescriptor.open(path, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
                try removeEntries(of: directory, path: path)
            } catch let error as SystemError where error.errno == ENOENT {
                return
            }
            if rmdir(path) == 0 || errno == ENOENT { return }
            if errno != ENOTEMPTY || attempt == 3 { throw SystemError.last("rmdir", path: path) }
        }
    }

    private static func removeEntries(of directory: FileDescriptor, path: String) throws {
        for name in try names(in: directory) {
            if unlinkat(directory.rawValue, name, 0) == 0 || errno == ENOENT { continue }
            let child = "\(path)/\(name)"
            guard errno == EISDIR || errno == EPERM else { throw SystemError.last("unlinkat", path: child) }
            let descriptor = openat(directory.rawValue, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { continue }
                throw SystemError.last("openat", path: child)
            }
            try removeEntries(of: FileDescriptor(owning: descriptor, path: child), path: child)
            guard unlinkat(directory.rawValue, name, AT_REMOVEDIR) == 0 || errno == ENOENT || errno == ENOTEMPTY
            else { throw SystemError.last("unlinkat", path: child) }
        }
    }

    private static func names(in directory: FileDescriptor) throws -> [String] {
        // fdopendir takes its descriptor over, so it gets a copy.
        let copy = fcntl(directory.rawValue, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = fdopendir(copy) else { throw SystemError.last("fdopendir", path: directory.path) }
        defer { closedir(stream) }
        rewinddir(stream)
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

extension Files {
    /// Whether `path` is a directory (not a link to one) that belongs to this user and that no other user can enter.
    public static func isPrivateDirectory(_ path: String) throws -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw SystemError.last("lstat", path: path) }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == getuid() && status.st_mode & 0o077 == 0
    }
}

/// Which file is at a path, and which content it has: another one after the file was replaced or written.
public struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// The file that is at a path.
    /// - Throws: `SystemError` if the file does not exist or may not be read.
    public init(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError.last("stat", path: path) }
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}

/// Reports which entries of a directory changed, by `inotify(7)`. Thread rule: `changes()` from one thread at a time.
public final class DirectoryWatch: Sendable {
    /// The watched directory.
    public let path: String
    private let file: FileDescriptor

    /// Starts watching; every change after this call is reported.
    public init(_ path: String) throws {
        self.path = path
        file = FileDescriptor(owning: try SystemError.check(csystem_inotify_init(), "inotify_init1"), path: path)
        let mask = UInt32(IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
        try SystemError.check(csystem_inotify_add(file.rawValue, path, mask), "inotify_add_watch", path: path)
    }

    /// The descriptor to poll for reading: readable when changes wait.
    public var rawDescriptor: Int32 { file.rawValue }

    /// What happened since the last call, without waiting.
    /// - Returns: the names of changed entries, each once; nil when the kernel's queue overflowed and the caller
    ///   has to look at the whole directory.
    public func changes() throws -> Set<String>? {
        var names: Set<String> = []
        var overflowed = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                retryingInterrupts { read(file.rawValue, bytes.baseAddress, bytes.count) }
            }
            if count < 0 {
                if errno == EAGAIN { return overflowed ? nil : names }
                throw SystemError.last("read", path: path)
            }
            buffer.withUnsafeBytes { bytes in
                var offset = 0
                let header = MemoryLayout<inotify_event>.size
                while offset + header <= count {
                    let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { overflowed = true }
                    let name = bytes[(offset + header)..<(offset + header + Int(event.len))].prefix { $0 != 0 }
                    if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
                    offset += header + Int(event.len)
                }
            }
        }
    }
}
