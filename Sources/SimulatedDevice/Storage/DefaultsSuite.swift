import Foundation
import LabKit
import LabSystem

/// One suite of an app's preferences (sharing.md, section 21.5).
///
/// Foundation's `UserDefaults` on Linux keeps a copy per process, so that the members of an app group would not see
/// each other's changes. This one reads the file at each access and replaces it atomically under the device's
/// preferences lock: what one process sets is there for the next one's read.
///
/// Thread rule: any thread; calls may block for the time of another process' write.
public final class DefaultsSuite: Sendable {
    private let path: String
    private let lockPath: String
    private let storage: AppStorage
    private let isReadable: @Sendable () -> Bool
    private let failed: @Sendable (any Error) -> Void

    /// - Parameter isReadable: false before the first unlock of the device, when everything reads as missing and
    ///   nothing can be stored (sharing.md, section 21.6).
    init(
        path: String, lockPath: String, storage: AppStorage, isReadable: @escaping @Sendable () -> Bool = { true },
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.path = path
        self.lockPath = lockPath
        self.storage = storage
        self.isReadable = isReadable
        self.failed = failed
    }

    /// The stored Boolean; false for a missing key, a value of another type, and an unreadable file.
    public func bool(forKey key: String) -> Bool {
        value(forKey: key) == .bool(true)
    }

    /// The stored value; nil for a missing key, a value that an app cannot store, and an unreadable file.
    public func value(forKey key: String) -> PreferenceValue? {
        do {
            return try load()[key].flatMap(PreferenceValue.init)
        } catch {
            failed(error)
            return nil
        }
    }

    /// Stores a Boolean.
    public func set(_ value: Bool, forKey key: String) {
        set(.bool(value), forKey: key)
    }

    /// Stores a value, or removes the key for nil.
    public func set(_ value: PreferenceValue?, forKey key: String) {
        guard isReadable() else { return }
        do {
            try FileLock(path: lockPath).withLock {
                // A damaged file is replaced: the platform drops preferences that it cannot read.
                var values = (try? load()) ?? [:]
                values[key] = value?.json
                let directory = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
                if !Files.exists(directory) { try Files.createDirectory(directory) }
                try storage.write(JSONValue.object(values).encoded(), to: path, for: "preferences")
            }
        } catch {
            failed(error)
        }
    }

    /// Removes a key.
    public func removeObject(forKey key: String) {
        set(nil, forKey: key)
    }

    /// Waits until changes are visible to other processes. They are when `set` returns, so this has nothing to do.
    ///
    /// - Returns: True.
    @discardableResult
    public func synchronize() -> Bool { true }

    private func load() throws -> [String: JSONValue] {
        guard isReadable(), Files.exists(path) else { return [:] }
        guard case .object(let values) = try JSONValue.parse(Files.read(path)) else { return [:] }
        return values
    }
}
