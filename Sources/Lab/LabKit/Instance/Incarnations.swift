import Foundation
import LabSystem

/// Numbers the incarnations of a peer: each start of its process gets the next one, from 1.
public enum Incarnations {
    /// Takes the next number of a peer. Processes that start at the same time get different ones, and a process killed
    /// meanwhile wastes at most one number.
    public static func next(_ layout: InstanceLayout, _ peer: String) throws -> Int {
        try InstanceLayout.check(peer)
        let path = "\(layout.incarnationsDirectory)/\(peer)"
        let lock = try FileLock(path: path)
        return try lock.withLock {
            // Eight bytes, written by one call.
            let stored = try lock.descriptor.read(count: 8, at: 0)
            let last = stored.count == 8 ? stored.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } : 0
            guard last < UInt64(Int32.max) else {
                throw InstanceError.unreadable(path: path, expected: "a counter of incarnations")
            }
            try withUnsafeBytes(of: last + 1) { try lock.descriptor.writeAll(Data($0), at: 0) }
            return Int(last + 1)
        }
    }
}
