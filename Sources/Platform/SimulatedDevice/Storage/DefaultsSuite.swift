// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabCore
import LabSystem

/// One suite of an app's preferences (sharing.md, section 21.5).
///
/// Foundation's `UserDefaults` on Linux keeps a copy per process, so that the members of an app group would not see
/// each other's changes. This one reads the file at each access and replaces it atomically under the device's
/// preferences lock: what one process sets is there for the next one's read.
///
/// Thread rule: any thread; calls may block for the time of another process' write.
public final class DefaultsSuite: Sendable {
    /// Why preferences can be neither read nor changed.
    public enum Unavailable: Error, CustomStringConvertible {
        /// The device was not unlocked since it started.
        case locked
        /// The file is not the one that was written.
        case damaged(path: String)
        /// The system refused.
        case failed(any Error)

        /// What is wrong, as a clause.
        public var description: String {
            switch self {
            case .locked: "the device was not unlocked since it started"
            case .damaged(let path): "the file '\(path)' is damaged"
            case .failed(let error): String(describing: error)
            }
        }
    }

    private let path: @Sendable () throws -> String
    private let lockPath: String
    private let storage: AppStorage
    private let isReadable: @Sendable () -> Bool
    private let touch: @Sendable (Bool) -> Void
    private let failed: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - path: where the file is; asked at each access, because the container of a group is out of reach before the
    ///     first unlock.
    ///   - isReadable: false before the first unlock of the device, when everything reads as missing and nothing can be
    ///     stored (sharing.md, section 21.6).
    ///   - touch: called before each access, with whether it is a write.
    init(
        path: @escaping @Sendable () throws -> String, lockPath: String, storage: AppStorage,
        isReadable: @escaping @Sendable () -> Bool = { true }, touch: @escaping @Sendable (Bool) -> Void,
        failed: @escaping @Sendable (any Error) -> Void
    ) {
        self.path = path
        self.lockPath = lockPath
        self.storage = storage
        self.isReadable = isReadable
        self.touch = touch
        self.failed = failed
    }

    /// The stored Boolean; false for a missing key, a value of another type, and unreadable preferences.
    public func bool(forKey key: String) -> Bool { value(forKey: key) == .bool(true) }

    /// The stored value; nil for a missing key, a value that an app cannot store, and unreadable preferences.
    public func value(forKey key: String) -> PreferenceValue? {
        do {
            return try read(key)
        } catch {
            report(error)
            return nil
        }
    }

    /// Stores a Boolean.
    public func set(_ value: Bool, forKey key: String) {
        set(.bool(value), forKey: key)
    }

    /// Stores a value, or removes the key for nil. Nothing happens when the preferences are unavailable.
    public func set(_ value: PreferenceValue?, forKey key: String) {
        do {
            try store(value, forKey: key)
        } catch {
            report(error)
        }
    }

    /// Removes a key.
    public func removeObject(forKey key: String) {
        set(nil, forKey: key)
    }

    /// Waits until changes are visible to other processes. They are when `set` returns, so this has nothing to do.
    /// - Returns: True.
    @discardableResult
    public func synchronize() -> Bool { true }

    // MARK: For those who must know whether a key is missing

    /// As ``value(forKey:)``, but distinguishes a missing key from preferences that cannot be read.
    package func read(_ key: String) throws(Unavailable) -> PreferenceValue? {
        try load()[key].flatMap(PreferenceValue.init)
    }

    /// As ``set(_:forKey:)``, but reports when nothing was stored.
    ///
    /// A damaged file stays as it is: replaced by one with a single key, it would read as if the others had never been
    /// set.
    package func store(_ value: PreferenceValue?, forKey key: String) throws(Unavailable) {
        touch(true)
        do {
            try FileLock(path: lockPath).withLock {
                var values = try load()
                values[key] = value?.json
                let path = try path()
                let directory = Files.directory(of: path)
                if !Files.exists(directory) { try Files.createDirectory(directory) }
                try storage.write(try CheckedFile.encoded(values), to: path, for: "preferences")
            }
        } catch let error as Unavailable {
            throw error
        } catch {
            throw .failed(error)
        }
    }

    private func load() throws(Unavailable) -> [String: JSONValue] {
        touch(false)
        // Asked first: a device that is open stays so while this process lives.
        guard isReadable() else { throw .locked }
        do {
            return try CheckedFile.read(at: try path())
        } catch let error as CheckedFile.Damaged {
            throw .damaged(path: error.path)
        } catch let error as SystemError where error.errno == ENOENT {
            return [:]
        } catch {
            throw .failed(error)
        }
    }

    private func report(_ error: Unavailable) {
        // Before the first unlock the platform answers without a word.
        if case .locked = error { return }
        failed(error)
    }
}

/// What a key of an app's preferences can hold.
public enum PreferenceValue: Equatable, Sendable {
    /// A Boolean.
    case bool(Bool)
    /// A whole number.
    case integer(Int)
    /// A number.
    case number(Double)
    /// A text.
    case text(String)
    /// Bytes, a date, a list or a dictionary: a binary property list with the value in a dictionary.
    case propertyList(Data)

    /// The key of the dictionary in ``propertyList(_:)``.
    private static let member = "value"
    /// The key in a preferences file under which the Base64 of a property list stands.
    private static let fileMember = "propertyList"

    /// Bytes, a date, a list or a dictionary.
    /// - Returns: nil for what no property list holds.
    init?(inPropertyList value: Any) {
        let object = [Self.member: value]
        guard PropertyListSerialization.propertyList(object, isValidFor: .binary),
            let list = try? PropertyListSerialization.data(fromPropertyList: object, format: .binary, options: 0),
            BinaryPropertyList.holdsDictionary(list)
        else { return nil }
        self = .propertyList(list)
    }

    /// The value as an app gets it; nil for a property list that was damaged.
    var object: Any? {
        switch self {
        case .bool(let value): return value
        case .integer(let value): return value
        case .number(let value): return value
        case .text(let value): return value
        case .propertyList(let list):
            guard BinaryPropertyList.holdsDictionary(list),
                let object = try? PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any]
            else { return nil }
            return object[Self.member]
        }
    }

    /// The value in a preferences file; nil for one that no app has stored.
    init?(_ json: JSONValue) {
        switch json {
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(Int(value))
        case .number(let value): self = .number(value)
        case .string(let value): self = .text(value)
        case .object(let members):
            guard let text = members[Self.fileMember]?.stringValue, let list = Data(base64Encoded: text) else {
                return nil
            }
            self = .propertyList(list)
        default: return nil
        }
    }

    /// The value as the file holds it.
    var json: JSONValue {
        switch self {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(Int64(value))
        case .number(let value): .number(value)
        case .text(let value): .string(value)
        case .propertyList(let list): .object([Self.fileMember: .string(list.base64EncodedString())])
        }
    }
}
