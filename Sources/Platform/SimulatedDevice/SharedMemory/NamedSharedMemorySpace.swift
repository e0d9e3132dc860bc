// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
public import LabCore
public import LabSystem

/// The shared memory names that one app may use on its device during one boot (sharing.md, sections 5 and 21.1).
///
/// The platform's rules are enforced here, because Linux has neither: a name holds at most 31 bytes, and it begins
/// with one of the app's groups and a dot. The objects are real POSIX shared memory under a name of their own for each
/// instance, device and boot.
///
/// Thread rule: any thread.
public struct NamedSharedMemorySpace: Sendable {
    /// Greatest length of a name in bytes (`PSHMNAMLEN` of the original kernel).
    public static let maximumNameLength = 31

    private let appGroups: [String]
    private let boot: BootNames

    init(appGroups: [String], boot: BootNames) {
        self.appGroups = appGroups
        self.boot = boot
    }

    /// Opens an existing object.
    /// - Throws: ``SystemError`` with `ENOENT` if it does not exist, `ENAMETOOLONG` or `EPERM` for a name that the
    ///   platform would refuse.
    public func open(name: String) throws -> DeviceSharedMemory {
        try check(name, call: "shm_open")
        return DeviceSharedMemory(name: name, object: try .open(name: boot.physicalName(of: name)), created: false)
    }

    /// Creates an object of `size` zero bytes.
    /// - Parameter whenNamed: called when the name exists and the object has no size yet.
    /// - Throws: ``SystemError`` with `EEXIST` if it exists, `ENAMETOOLONG` or `EPERM` for a refused name.
    public func create(name: String, size: Int, whenNamed: () -> Void = {}) throws -> DeviceSharedMemory {
        try check(name, call: "shm_open")
        // Registered before it exists: a clean-up after a crash may find a name without object, but misses none.
        try boot.register(name)
        let object = try SharedMemoryObject.create(name: boot.physicalName(of: name), size: size, whenNamed: whenNamed)
        return DeviceSharedMemory(name: name, object: object, created: true)
    }

    /// Removes a name. Processes that have the object open keep it.
    /// - Throws: ``SystemError`` with `ENOENT` if it does not exist, `ENAMETOOLONG` or `EPERM` for a refused name.
    public func unlink(name: String) throws {
        try check(name, call: "shm_unlink")
        try SharedMemoryObject.unlink(name: boot.physicalName(of: name))
    }

    private func check(_ name: String, call: String) throws {
        guard name.utf8.count <= Self.maximumNameLength else { throw SystemError.nameTooLong(call: call, name: name) }
        guard appGroups.contains(where: { name.hasPrefix($0 + ".") }) else {
            throw SystemError.notPermitted(call: call, name: name)
        }
    }
}

/// An open shared memory object. Closing it, or the death of every process that uses it, does not remove it.
///
/// Thread rule: any thread; the content needs a protocol of its own.
public final class DeviceSharedMemory: Sendable {
    /// Name in the device's space.
    public let name: String
    /// True if this call created the object, false if it existed.
    public let created: Bool
    private let object: SharedMemoryObject

    init(name: String, object: SharedMemoryObject, created: Bool) {
        self.name = name
        self.object = object
        self.created = created
    }

    /// Size of the object in bytes; 0 when its creator died before it could size it.
    public func size() throws -> Int { try object.size() }
    /// Size of the object in bytes; nil if the name was removed: opening it gives another object then.
    public func sizeIfNamed() throws -> Int? { try object.sizeIfNamed() }

    /// Maps the object for reading and writing. An object without a size cannot be mapped.
    /// - Parameter count: bytes to map; nil maps all of it.
    public func map(count: Int? = nil) throws -> MappedMemory { try object.map(count: count) }
    /// Marks the object as in use, until this value is released or its process has ended.
    public func markAsUsed() throws { try object.lock.lockShared() }

    /// Whether any process uses the object, this value aside. Ask before ``markAsUsed()``.
    public func isInUse() throws -> Bool {
        let lock = object.lock
        guard try lock.tryLock() else { return true }
        try lock.unlock()
        return false
    }
}

/// The physical names of a device's shared memory during one boot, and the list of those that may exist.
///
/// A physical name is `/lab-<instance>-<device>-<boot>-<hash of the name>`. Each one is registered as an empty file in
/// the boot's directory before the object is created, so that the end of the boot can remove them all.
///
/// Thread rule: any thread of any process.
public struct BootNames: Sendable {
    private let prefix: String
    private let directory: String

    /// The names of boot number `boot` of a device.
    public init(layout: InstanceLayout, device: String, boot: Int) {
        prefix = "\(layout.sharedMemoryPrefix)\(device)-\(boot)-"
        directory = layout.bootDirectory(device, boot)
    }

    /// The name under which the machine knows an object: 16 hexadecimal digits of the SHA-256 of the device's name.
    public func physicalName(of name: String) -> String { prefix + sha256(Data(name.utf8)).prefix(8).hexadecimal }

    func register(_ name: String) throws { try register(physical: physicalName(of: name)) }

    private func register(physical name: String) throws {
        if !Files.exists(directory) { try Files.createDirectory(directory) }
        try Files.touch(directory + "/" + name.dropFirst())
    }

    /// Makes the objects of an earlier boot that this boot continues. One without bytes is left out: its creator died
    /// before it could size it.
    /// - Parameter memory: The contents, by the last 16 digits of the physical names.
    public func restore(_ memory: [String: Data]) throws {
        for (digits, content) in memory where !content.isEmpty {
            try register(physical: prefix + digits)
            let mapped = try SharedMemoryObject.create(name: prefix + digits, size: content.count).map()
            withExtendedLifetime(mapped) { mapped.bytes.copyBytes(from: content) }
        }
    }

    /// The physical names of the objects that exist.
    public func existing() throws -> [String] {
        guard Files.exists(directory) else { return [] }
        let existing = Set(try SharedMemoryObject.list())
        return try Files.list(directory).map { "/" + $0 }.filter(existing.contains)
    }

    /// Ends the boot: unlinks every registered object and removes the list.
    public func unlinkAll() throws {
        guard Files.exists(directory) else { return }
        for entry in try Files.list(directory) {
            do {
                try SharedMemoryObject.unlink(name: "/" + entry)
            } catch let error as SystemError where error.errno == ENOENT {
                // Registered, but never created or already removed.
            }
        }
        try Files.removeTree(directory)
    }
}

extension SystemError {
    /// The emulated name is longer than the platform allows.
    static func nameTooLong(call: String, name: String) -> SystemError {
        SystemError(call: call, errno: ENAMETOOLONG, path: name)
    }

    /// The app is not entitled to the name.
    static func notPermitted(call: String, name: String) -> SystemError {
        SystemError(call: call, errno: EPERM, path: name)
    }
}
