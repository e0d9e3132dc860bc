import CLabSystem
public import Foundation
import Glibc

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
    public static func open(name: String) throws -> SharedMemoryObject {
        try open(name: name, flags: O_RDWR)
    }

    /// Makes an object of `size` bytes filled with zeros; fails with `EEXIST` when the name is taken, and with `ENOSPC`
    /// when the machine has no room for it.
    ///
    /// An opener that comes between the making and the sizing sees `size() == 0`; `map(count:)` refuses to map
    /// such an object, and the opener tries again.
    ///
    /// - Parameter whenNamed: called between the making and the sizing.
    public static func create(
        name: String, size: Int, whenNamed: () -> Void = {}
    ) throws -> SharedMemoryObject {
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
    ///
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
    public static func list() throws -> [String] {
        try Files.list("/dev/shm").map { "/" + $0 }
    }

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
