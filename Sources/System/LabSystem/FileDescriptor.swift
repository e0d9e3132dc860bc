// SPDX-License-Identifier: Apache-2.0

import CLabSystem
public import Foundation
import Glibc

/// An open file, closed with the last reference. Thread rule: may be used from any thread; the kernel orders the calls.
public final class FileDescriptor: Sendable {
    /// The descriptor number, valid as long as this object lives.
    public let rawValue: Int32
    /// The path it was opened with, for messages.
    public let path: String?

    /// Takes ownership of an open descriptor.
    public init(owning rawValue: Int32, path: String? = nil) {
        self.rawValue = rawValue
        self.path = path
    }

    deinit { close(rawValue) }

    /// Opens a file. `O_CLOEXEC` is always added, so no program started from here inherits it.
    /// - Parameters:
    ///   - flags: `open(2)` flags such as `O_RDWR | O_CREAT`; 0 is `O_RDONLY`.
    ///   - mode: permissions of a file created by the call.
    public static func open(_ path: String, flags: Int32 = 0, mode: UInt32 = 0o600) throws -> FileDescriptor {
        let descriptor = retryingInterrupts { Glibc.open(path, flags | O_CLOEXEC, mode) }
        guard descriptor >= 0 else { throw SystemError.last("open", path: path) }
        return FileDescriptor(owning: descriptor, path: path)
    }

    /// Makes a pipe, both ends close-on-exec.
    public static func pipe() throws -> (reading: FileDescriptor, writing: FileDescriptor) {
        var ends: [Int32] = [-1, -1]
        try SystemError.check(csystem_pipe(&ends), "pipe2")
        return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    }

    /// Reads up to `count` bytes; an empty result means the end of the file.
    public func read(count: Int) throws -> Data {
        var buffer = Data(count: count)
        let received = buffer.withUnsafeMutableBytes { bytes in
            retryingInterrupts { Glibc.read(rawValue, bytes.baseAddress, bytes.count) }
        }
        guard received >= 0 else { throw SystemError.last("read", path: path) }
        return buffer.prefix(received)
    }

    /// Reads up to `count` bytes at `offset`; an empty result means the end of the file.
    public func read(count: Int, at offset: Int) throws -> Data {
        var buffer = Data(count: count)
        let received = buffer.withUnsafeMutableBytes { bytes in
            retryingInterrupts { pread(rawValue, bytes.baseAddress, bytes.count, offset) }
        }
        guard received >= 0 else { throw SystemError.last("pread", path: path) }
        return buffer.prefix(received)
    }

    /// Reads from the current position to the end of the file.
    public func readToEnd() throws -> Data {
        var content = Data()
        while true {
            let piece = try read(count: 65_536)
            if piece.isEmpty { return content }
            content.append(piece)
        }
    }

    /// Writes with a single call and returns how many bytes were taken.
    public func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let written = retryingInterrupts { Glibc.write(rawValue, bytes.baseAddress, bytes.count) }
        guard written >= 0 else { throw SystemError.last("write", path: path) }
        return written
    }

    /// Writes everything, in as many calls as it takes.
    public func writeAll(_ data: Data) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                rest = rest.dropFirst(try write(UnsafeRawBufferPointer(rebasing: rest)))
            }
        }
    }

    /// Writes everything at `offset`, leaving the position alone.
    public func writeAll(_ data: Data, at offset: Int) throws {
        try data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
                let written = retryingInterrupts { pwrite(rawValue, rest.baseAddress, rest.count, offset + done) }
                guard written >= 0 else { throw SystemError.last("pwrite", path: path) }
                done += written
            }
        }
    }

    /// Sets the length of the file in bytes.
    public func truncate(to size: Int) throws {
        guard retryingInterrupts({ ftruncate(rawValue, size) }) == 0 else {
            throw SystemError.last("ftruncate", path: path)
        }
    }

    /// Makes the file at least `size` bytes long and reserves the room for them, so that memory mapped onto it can be
    /// touched: a page for which there is no room kills the process with SIGBUS.
    public func reserve(_ size: Int) throws {
        // The call gives its error back instead of setting `errno`.
        var failure: Int32
        repeat { failure = posix_fallocate(rawValue, 0, size) } while failure == EINTR
        guard failure == 0 else { throw SystemError(call: "posix_fallocate", errno: failure, path: path) }
    }

    /// Waits until the content is on the disk.
    public func synchronize() throws {
        guard retryingInterrupts({ fsync(rawValue) }) == 0 else { throw SystemError.last("fsync", path: path) }
    }

    /// The length of the file in bytes.
    public func size() throws -> Int { try Int(status().st_size) }
    /// The permissions of the file: the lowest nine bits of its mode.
    public func permissions() throws -> UInt32 { try status().st_mode & 0o777 }

    /// The length of the file in bytes, or nil if it no longer has a name, so that it cannot be opened.
    public func sizeIfNamed() throws -> Int? {
        let status = try status()
        return status.st_nlink > 0 ? Int(status.st_size) : nil
    }

    /// Whether the descriptor and the file now found at `path` are the same file.
    public func isSameFile(asPath path: String) throws -> Bool {
        let own = try status()
        var other = stat()
        guard stat(path, &other) == 0 else {
            if errno == ENOENT { return false }
            throw SystemError.last("stat", path: path)
        }
        return own.st_ino == other.st_ino && own.st_dev == other.st_dev
    }

    private func status() throws -> stat {
        var status = stat()
        guard fstat(rawValue, &status) == 0 else { throw SystemError.last("fstat", path: path) }
        return status
    }
}

/// A descriptor that becomes readable when signalled: wakes a thread that waits in `poll`.
///
/// Thread rule: any thread may signal and drain.
public final class EventDescriptor: Sendable {
    private let file: FileDescriptor

    /// Makes an event that is not signalled.
    public init() throws { file = FileDescriptor(owning: try SystemError.check(csystem_eventfd(), "eventfd")) }

    /// The descriptor to poll for reading.
    public var rawDescriptor: Int32 { file.rawValue }

    /// Makes the descriptor readable until the next `drain()`.
    public func signal() {
        var one: UInt64 = 1
        // Fails only when the count is at its maximum, and then the descriptor is readable already.
        _ = retryingInterrupts { write(file.rawValue, &one, 8) }
    }

    /// Makes the descriptor unreadable again; returns whether it had been signalled.
    @discardableResult
    public func drain() -> Bool {
        var count: UInt64 = 0
        return retryingInterrupts { read(file.rawValue, &count, 8) } == 8
    }

    /// Waits until the event is signalled and drains it.
    /// - Parameter timeoutNanoseconds: how long at most; nil waits without end.
    /// - Returns: false when the time is over.
    public func wait(timeoutNanoseconds: Int64? = nil) throws -> Bool {
        guard try Polling.waitReadable([file.rawValue], timeoutNanoseconds: timeoutNanoseconds)[0] else { return false }
        drain()
        return true
    }
}

/// Waiting until descriptors have something to say.
public enum Polling {
    /// Waits until at least one descriptor is readable, closed by the other side, or in error.
    ///
    /// A negative descriptor in the list is skipped. Signals do not end the wait.
    /// - Parameter timeoutNanoseconds: how long at most, on the monotonic clock; nil waits without end.
    /// - Returns: one flag a descriptor, in order; all false after the time is over.
    public static func waitReadable(_ descriptors: [Int32], timeoutNanoseconds: Int64? = nil) throws -> [Bool] {
        try wait(descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }, timeoutNanoseconds)
    }

    /// Waits until a descriptor is writable, which a connection that is being made is when it is made or has failed.
    /// - Parameter timeoutNanoseconds: how long at most, on the monotonic clock.
    /// - Returns: false when the time is over.
    static func waitWritable(_ descriptor: Int32, timeoutNanoseconds: Int64) throws -> Bool {
        try wait([pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)], timeoutNanoseconds)[0]
    }

    private static func wait(_ entries: [pollfd], _ timeoutNanoseconds: Int64?) throws -> [Bool] {
        var entries = entries
        let end = timeoutNanoseconds.map { Int64(MonotonicClock.nanoseconds()) &+ max(0, $0) }
        while true {
            let rest = end.map { max(0, $0 - Int64(MonotonicClock.nanoseconds())) } ?? -1
            let count = csystem_poll(&entries, entries.count, rest)
            if count >= 0 { return entries.map { $0.revents != 0 } }
            if count != -EINTR { throw SystemError(call: "ppoll", errno: -count) }
        }
    }
}
