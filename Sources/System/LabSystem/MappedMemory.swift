// SPDX-License-Identifier: Apache-2.0

import CLabSystem
public import Foundation
import Glibc

/// Memory shared with every process that maps the same file or shared-memory object; unmapped with the last reference.
///
/// Thread rule: the object itself is immutable; its content is shared memory, so access it through
/// `word32(at:)` and `word64(at:)`, or under a lock that all its users take.
public final class MappedMemory: @unchecked Sendable {
    // Sendable is safe: `base` and `count` never change and stay valid for the life of the object; the content is
    // shared between processes anyway, so its users synchronise by atomics or by file locks.

    /// The first byte.
    public let base: UnsafeMutableRawPointer
    /// The length in bytes.
    public let count: Int

    /// Maps the first `count` bytes of an open file for reading and writing.
    ///
    /// Fails with `EOVERFLOW` when the file is shorter: touching such a mapping would kill the process with SIGBUS.
    public init(_ file: FileDescriptor, count: Int) throws {
        guard count > 0 else { throw SystemError(call: "mmap", errno: EINVAL, path: file.path) }
        guard try file.size() >= count else { throw SystemError(call: "mmap", errno: EOVERFLOW, path: file.path) }
        guard let base = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, file.rawValue, 0),
            base != MAP_FAILED
        else { throw SystemError.last("mmap", path: file.path) }
        self.base = base
        self.count = count
    }

    deinit { munmap(base, count) }

    /// Maps a file of exactly `size` bytes.
    /// - Parameter create: makes the file, filled with zeros; it must not exist. Otherwise it must exist and have
    ///   that size, or the call fails with `EOVERFLOW`.
    public static func file(_ path: String, size: Int, create: Bool) throws -> MappedMemory {
        if create {
            let file = try FileDescriptor.open(path, flags: O_RDWR | O_CREAT | O_EXCL, mode: 0o600)
            try file.reserve(size)
            return try MappedMemory(file, count: size)
        }
        let file = try FileDescriptor.open(path, flags: O_RDWR)
        guard try file.size() == size else { throw SystemError(call: "mmap", errno: EOVERFLOW, path: path) }
        return try MappedMemory(file, count: size)
    }

    /// The bytes, for access under a lock.
    public var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: count) }

    /// The 32-bit word at `offset`, a multiple of 4 within the memory. Valid as long as this object lives.
    public func word32(at offset: Int) -> MappedWord32 {
        precondition(offset >= 0 && offset + 4 <= count && offset % 4 == 0, "offset \(offset) of \(count) bytes")
        return MappedWord32(pointer: (base + offset).assumingMemoryBound(to: UInt32.self))
    }

    /// The 64-bit word at `offset`, a multiple of 8 within the memory. Valid as long as this object lives.
    public func word64(at offset: Int) -> MappedWord64 {
        precondition(offset >= 0 && offset + 8 <= count && offset % 8 == 0, "offset \(offset) of \(count) bytes")
        return MappedWord64(pointer: (base + offset).assumingMemoryBound(to: UInt64.self))
    }
}

/// A 32-bit word in memory that several threads or processes map; every access is atomic.
///
/// Thread rule: any thread, as long as the `MappedMemory` it came from lives.
public struct MappedWord32: @unchecked Sendable {
    // Sendable is safe: all accesses through this type are atomic.
    let pointer: UnsafeMutablePointer<UInt32>

    /// Reads without ordering other accesses.
    public func loadRelaxed() -> UInt32 { csystem_load_relaxed_32(pointer) }
    /// Reads; later accesses of this thread stay after it.
    public func loadAcquire() -> UInt32 { csystem_load_acquire_32(pointer) }
    /// Writes without ordering other accesses.
    public func storeRelaxed(_ value: UInt32) { csystem_store_relaxed_32(pointer, value) }
    /// Writes; earlier accesses of this thread stay before it.
    public func storeRelease(_ value: UInt32) { csystem_store_release_32(pointer, value) }
    /// Adds with wrap-around and returns the value before.
    @discardableResult
    public func add(_ value: UInt32) -> UInt32 { csystem_fetch_add_32(pointer, value) }
    /// Sets the bits of `mask` and leaves the others.
    public func or(_ mask: UInt32) { csystem_or_32(pointer, mask) }
    /// Writes and returns the value before.
    public func exchange(_ value: UInt32) -> UInt32 { csystem_exchange_32(pointer, value) }
    /// Writes `desired` if the word holds `expected`, and returns whether it did.
    public func compareExchange(expected: UInt32, desired: UInt32) -> Bool {
        csystem_compare_exchange_32(pointer, expected, desired) != 0
    }
}

/// A 64-bit word in memory that several threads or processes map; every access is atomic.
///
/// Thread rule: any thread, as long as the `MappedMemory` it came from lives.
public struct MappedWord64: @unchecked Sendable {
    // Sendable is safe: all accesses through this type are atomic.
    let pointer: UnsafeMutablePointer<UInt64>

    /// Reads without ordering other accesses.
    public func loadRelaxed() -> UInt64 { csystem_load_relaxed_64(pointer) }
    /// Reads; later accesses of this thread stay after it.
    public func loadAcquire() -> UInt64 { csystem_load_acquire_64(pointer) }
    /// Writes without ordering other accesses.
    public func storeRelaxed(_ value: UInt64) { csystem_store_relaxed_64(pointer, value) }
    /// Writes; earlier accesses of this thread stay before it.
    public func storeRelease(_ value: UInt64) { csystem_store_release_64(pointer, value) }
}

/// Ordering between accesses to mapped words and plain ones.
public enum MemoryFence {
    /// Accesses after it are not moved before earlier reads.
    public static func acquire() { csystem_fence_acquire() }
    /// Accesses before it are not moved after later writes.
    public static func release() { csystem_fence_release() }
}

/// Waiting on a word of shared memory until another thread or process changes it.
public enum Futex {
    /// How a wait ended.
    public enum Outcome: Sendable {
        /// The word was woken, it did not hold the expected value, or a signal came: look again.
        case lookAgain
        /// The deadline passed.
        case timedOut
    }

    /// Blocks the thread while the word holds `expected`.
    /// - Parameter deadline: absolute time on `MonotonicClock`, in nanoseconds; nil waits without end.
    public static func wait(
        _ word: MappedWord32, while expected: UInt32, until deadline: Int64? = nil
    ) throws -> Outcome {
        let result = csystem_futex_wait(word.pointer, expected, deadline.map { max(0, $0) } ?? -1)
        switch -result {
        case 0, EINTR: return .lookAgain
        case ETIMEDOUT: return .timedOut
        default: throw SystemError(call: "futex", errno: -result)
        }
    }

    /// Wakes every thread, of any process, that waits on the word.
    public static func wakeAll(_ word: MappedWord32) { csystem_futex_wake(word.pointer, Int32.max) }
}

/// A POSIX shared-memory object, `shm_open(3)`: named memory that outlives the processes that map it.
///
/// Thread rule: any thread.
public final class SharedMemoryObject: Sendable {
    /// The name with its leading slash, e.g. `/lab-1f3k-phone`.
    public let name: String
    private let file: FileDescriptor

    private init(name: String, file: FileDescriptor) {
        self.name = name
        self.file = file
    }

    /// Opens an existing object for reading and writing; fails with `ENOENT` if it does not exist.
    public static func open(name: String) throws -> SharedMemoryObject { try open(name: name, flags: O_RDWR) }

    /// Makes an object of `size` bytes filled with zeros; fails with `EEXIST` when the name is taken, and with `ENOSPC`
    /// when the machine has no room for it.
    ///
    /// An opener that comes between the making and the sizing sees `size() == 0`; `map(count:)` refuses to map
    /// such an object, and the opener tries again.
    /// - Parameter whenNamed: called between the making and the sizing.
    public static func create(name: String, size: Int, whenNamed: () -> Void = {}) throws -> SharedMemoryObject {
        let object = try open(name: name, flags: O_RDWR | O_CREAT | O_EXCL)
        whenNamed()
        do {
            try object.file.reserve(size)
        } catch {
            shm_unlink(name)
            throw error
        }
        return object
    }

    /// The size in bytes, asked from the kernel.
    public func size() throws -> Int { try file.size() }
    /// The size in bytes, or nil if the object has lost its name: opening the name finds another object, or none.
    public func sizeIfNamed() throws -> Int? { try file.sizeIfNamed() }
    /// Truncates or extends the object. A process that has mapped more than is left crashes on access.
    public func truncate(to size: Int) throws { try file.truncate(to: size) }

    /// The lock of the object, for owners that tell others whether they use it.
    public var lock: FileLock { FileLock(file) }

    /// Maps the object, and reserves the memory: an object may have a size without memory behind it.
    /// - Parameter count: bytes to map, at most `size()` (`EOVERFLOW` otherwise); nil maps all of it.
    public func map(count: Int? = nil) throws -> MappedMemory {
        let size = try size()
        let count = count ?? size
        if count > 0, count <= size { try file.reserve(count) }
        return try MappedMemory(file, count: count)
    }

    /// Removes a name; processes that have the object mapped keep it. A name that does not exist is accepted.
    public static func unlink(name: String) throws {
        guard shm_unlink(name) == 0 || errno == ENOENT else { throw SystemError.last("shm_unlink", path: name) }
    }

    /// Copies the first bytes of an object and returns its size. Nothing is mapped, so the object may be truncated
    /// meanwhile; there may be fewer bytes than requested.
    public static func copy(name: String, count: Int) throws -> (bytes: Data, size: Int) {
        let object = try open(name: name, flags: O_RDONLY)
        return (try object.file.read(count: count, at: 0), try object.size())
    }

    /// The names of all objects of the machine, each with its leading slash, sorted.
    public static func list() throws -> [String] { try Files.list("/dev/shm").map { "/" + $0 } }

    /// When an object of this user was made or written to, in nanoseconds of real time; nil for one that is another
    /// user's, or removed.
    public static func changeOfOwn(name: String) -> Int64? {
        var status = stat()
        guard stat("/dev/shm\(name)", &status) == 0, status.st_uid == getuid() else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
    }

    private static func open(name: String, flags: Int32) throws -> SharedMemoryObject {
        let descriptor = retryingInterrupts { shm_open(name, flags | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw SystemError.last("shm_open", path: name) }
        return SharedMemoryObject(name: name, file: FileDescriptor(owning: descriptor, path: name))
    }
}
