import Foundation
import Glibc
public import LabKit
import LabSystem

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
    public func physicalName(of name: String) -> String {
        prefix + sha256(Data(name.utf8)).prefix(8).hexadecimal
    }

    func register(_ name: String) throws {
        if !Files.exists(directory) { try Files.createDirectory(directory) }
        try Files.touch(directory + "/" + physicalName(of: name).dropFirst())
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
