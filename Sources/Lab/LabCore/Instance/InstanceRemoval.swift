// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Glibc
import LabSystem

/// Removing what an ended instance left.
enum InstanceRemoval {
    /// Removes an instance's shared-memory names and its files elsewhere, then its directory. These go first, because they
    /// are found by the directory; the directory is hidden first, so that what a kill leaves here is recognised as rubbish.
    static func remove(_ layout: InstanceLayout) throws {
        for name in try SharedMemoryObject.list() where name.hasPrefix(layout.sharedMemoryPrefix) {
            try SharedMemoryObject.unlink(name: name)
        }
        guard let claim = try claim(layout.root) else { return }
        OutsideFiles.remove(layout)
        try withExtendedLifetime(claim) {
            do {
                try Files.rename(layout.root, to: layout.hidden.root)
            } catch let error as SystemError where error.errno == ENOENT {
                return
            }
            try Files.removeTree(layout.hidden.root)
        }
    }

    /// Takes the lock of the directory itself, which its remover holds to the end: a directory that is hidden and
    /// not locked has lost its remover.
    /// - Returns: nil when it has gone, or another process is removing it.
    private static func claim(_ directory: String) throws -> FileLock? {
        do {
            let lock = FileLock(try FileDescriptor.open(directory, flags: O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
            return try lock.tryLock() ? lock : nil
        } catch let error as SystemError where error.errno == ENOENT {
            return nil
        }
    }

    /// Whether a directory of a runtime directory is what is left of one whose remover has died.
    static func isAbandoned(_ name: String, in runtimeRoot: String) -> Bool {
        isHidden(name) && (try? claim("\(runtimeRoot)/\(name)")) != nil
    }

    private static func isHidden(_ name: String) -> Bool {
        name.hasPrefix(InstanceLayout.hiddenPrefix)
            && InstanceLayout.isID(name.dropFirst(InstanceLayout.hiddenPrefix.count))
    }

    /// Removes the instances of a runtime directory that have no owner: their processes all ended without cleaning up,
    /// for instance by SIGKILL at once. Anything that is not an instance is left alone.
    static func sweepStale(in runtimeRoot: String) throws {
        for name in try Files.list(runtimeRoot) {
            let path = "\(runtimeRoot)/\(name)"
            if InstanceLayout.isID(name) {
                try sweep(InstanceLayout(root: path))
            } else if let maker = InstanceLayout.maker(ofUnfinished: name) {
                if !ProcessTable.isAlive(maker) { try Files.removeTree(path) }
            } else if isHidden(name), let claim = try claim(path) {
                try withExtendedLifetime(claim) { try Files.removeTree(path) }
            }
        }
    }

    private static func sweep(_ layout: InstanceLayout) throws {
        guard Files.exists(layout.manifestPath),
            let lease = try? FileLock(path: layout.leasePath, create: false), try lease.tryLock(),
            let members = try? FileLock(path: layout.membersPath, create: false), try members.tryLock()
        else { return }
        // Both locks stay taken until the directory is gone: no process can join meanwhile.
        try withExtendedLifetime((lease, members)) { try remove(layout) }
    }
}

/// Leftovers of instances whose processes were all killed at once, so that none of them could clean up.
///
/// The next instance that is made removes the directories; names of shared memory whose directory is gone stay.
public struct DeadInstances: Sendable {
    /// The directories of dead instances, sorted.
    public let directories: [String]
    /// Names of shared memory, with their leading slash, that no process maps and whose instance has no directory;
    /// sorted.
    public let sharedMemory: [String]
    private let runtimeRoot: String

    /// An instance of another runtime directory may have a name that no process maps at this moment, but hardly for an hour.
    private static let restTime: Int64 = 3_600_000_000_000

    /// Looks for them.
    /// - Parameter runtimeRoot: where instances lie; nil takes `Instance.runtimeRoot()`.
    public init(in runtimeRoot: String? = nil) throws {
        let parent = try runtimeRoot ?? Instance.runtimeRoot()
        let names = try Files.list(parent)
        directories = names.filter { Self.isDead($0, in: parent) }.map { "\(parent)/\($0)" }
        let known = Set(names.map { $0.split(separator: "-").last.map(String.init) ?? $0 })
        let orphans = try SharedMemoryObject.list().filter { name in
            InstanceLayout.id(ofSharedMemory: name).map { !known.contains($0) } ?? false
        }
        let mapped = orphans.isEmpty ? [] : ProcessTable.mappedSharedMemory()
        sharedMemory = orphans.filter { name in
            guard !mapped.contains(name), let changed = SharedMemoryObject.changeOfOwn(name: name) else { return false }
            return RealTimeClock.nanoseconds() - changed > Self.restTime
        }
        self.runtimeRoot = parent
    }

    /// Removes them.
    /// - Throws: `SystemError` for one that cannot be removed.
    public func remove() throws {
        try InstanceRemoval.sweepStale(in: runtimeRoot)
        for name in sharedMemory { try SharedMemoryObject.unlink(name: name) }
    }

    /// Whether the next instance that is made would remove an entry of the runtime directory.
    private static func isDead(_ name: String, in runtimeRoot: String) -> Bool {
        let layout = InstanceLayout(root: "\(runtimeRoot)/\(name)")
        if let maker = InstanceLayout.maker(ofUnfinished: name) { return !ProcessTable.isAlive(maker) }
        if InstanceRemoval.isAbandoned(name, in: runtimeRoot) { return true }
        guard InstanceLayout.isID(name), Files.exists(layout.manifestPath), !Lease.isHeld(layout),
            let lock = try? FileLock(path: layout.membersPath, create: false)
        else { return false }
        // A member that is left is about to remove it.
        return (try? lock.tryLock()) == true
    }
}

/// Files of an instance that lie outside of its directory because people look for them there, such as the key for the
/// lab of another host. They are removed with the instance, also when its owner was killed.
public enum OutsideFiles {
    private struct Note: Codable {
        let path: String
        /// Of the content. A file with another one belongs to a later instance, or to the user.
        let hash: UInt64

        init(_ path: String, _ content: Data) {
            self.path = path
            var hash = FNV1a()
            content.withUnsafeBytes { hash.add($0) }
            self.hash = hash.value
        }
    }

    /// Writes a file that only its owner can read (mode 0600).
    /// - Parameter layout: The instance that the file ends with.
    public static func write(_ content: Data, to path: String, of layout: InstanceLayout) throws {
        // Noted first: a process that dies in between has written no file, and removing a missing file is harmless.
        let notes = try FileDescriptor.open(layout.outsideFilesPath, flags: O_WRONLY | O_CREAT | O_APPEND)
        try notes.writeAll(try JSONValue(encoding: Note(path, content)).encoded() + Data("\n".utf8))
        try Files.write(content, to: path)
    }

    /// Removes those that are still as they were written.
    static func remove(_ layout: InstanceLayout) {
        guard let notes = try? Files.read(layout.outsideFilesPath) else { return }
        for line in notes.split(separator: 0x0A) {
            guard let note = try? JSONValue.parse(Data(line)).decode(Note.self),
                let content = try? Files.read(note.path), Note(note.path, content).hash == note.hash
            else { continue }
            try? Files.remove(note.path)
        }
    }
}
