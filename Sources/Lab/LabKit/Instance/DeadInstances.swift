import Foundation
import LabSystem

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
    ///
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
    ///
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
            let members = try? FileLock(path: layout.membersPath, create: false)
        else { return false }
        // A member that is left is about to remove it.
        return (try? members.tryLock()) == true
    }
}
