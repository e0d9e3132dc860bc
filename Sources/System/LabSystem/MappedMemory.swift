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
    ///
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
