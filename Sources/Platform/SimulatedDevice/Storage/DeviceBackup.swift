// SPDX-License-Identifier: Apache-2.0

public import LabCore
import LabSystem

/// A backup of a phone, as a computer keeps it: it belongs to no device, so that it can be brought to another one
/// (sharing.md, section 21.6).
///
/// It has the containers of the installed apps with their preferences, and those of their app groups. An encrypted one
/// has the keychain, too. Caches and temporary files, device tokens, enrolled fingers and faces, the vendor identifiers
/// and what waits for a watch stay behind.
///
/// Thread rule: any thread of any process; calls block for the time of the files.
public struct DeviceBackup: Sendable {
    /// What was brought to a device, or kept of one.
    public struct Content: Equatable, Sendable {
        /// How many files.
        public var files = 0
        /// How many items of the keychain.
        public var keychainItems = 0
        /// How many items of the keychain stay in the backup, because they are for the device that was backed up only.
        public var itemsLeftOut = 0
    }

    /// What is not in the containers. The directories of the containers lie beside it, under the names that they had on
    /// the device.
    private struct Record: Codable {
        let device: String
        /// Bundle identifiers.
        let installed: Set<String>
        /// By bundle identifier.
        let apps: [String: String]
        let groups: [String: String]
        /// Nil in a backup that is not encrypted, which has none of them.
        let items: [KeychainItem]?
    }

    private let directory: String
    private let layout: InstanceLayout
    private let record: Record

    /// Actor name of the phone that was backed up.
    public var device: String { record.device }
    /// Whether the keychain is in it.
    public var isEncrypted: Bool { record.items != nil }

    // MARK: Making

    /// Makes a backup; one of this name is replaced. Apps may be running: each file is as it is when it is read.
    /// - Parameters:
    ///   - name: letters, digits, `-`, `_` and `.`, at most 100.
    ///   - device: the phone with all its apps. It must have been unlocked since it started.
    ///   - isEncrypted: whether the keychain is kept.
    /// - Throws: ``DeviceBackupError`` for a name that cannot be one; errors of the files and of the keychain.
    public static func make(
        _ name: String, of device: DeviceSpec, isEncrypted: Bool, in layout: InstanceLayout
    ) throws -> Content {
        let directory = try path(of: name, in: layout)
        let registry = DeviceRegistry(layout: layout, device: device.name)
        let installed = Set(try device.apps.map(\.bundleIdentifier).filter(registry.isInstalled))
        let containers = try registry.existingContainers()
        let keychain = KeychainDatabase(path: layout.keychainPath(device.name))
        let items = isEncrypted ? try keychain.everything(service: nil) : nil
        return try changing(layout) {
            // Written beside it, so that a backup is whole or not there.
            let unfinished = "\(layout.backupsDirectory)/\(hiddenPrefix)\(name)"
            try Files.removeTree(unfinished)
            try Files.createDirectory(unfinished)
            var content = Content(keychainItems: items?.count ?? 0)
            let apps = containers.apps.filter { installed.contains($0.key) }
            for path in apps.values.sorted() + containers.groups.values.sorted() {
                content.files += try Files.copyTree(path, to: "\(unfinished)/\(Files.name(of: path))") {
                    unsaved.contains($0)
                }
            }
            let record = Record(
                device: device.name, installed: installed, apps: apps.mapValues(Files.name(of:)),
                groups: containers.groups.mapValues(Files.name(of:)), items: items)
            try CheckedFile.write(record, to: recordPath(in: unfinished))
            try Files.removeTree(directory)
            try Files.rename(unfinished, to: directory)
            return content
        }
    }

    // MARK: Bringing it to a device

    /// Opens a backup.
    /// - Throws: ``DeviceBackupError`` for an unknown name; errors of the files.
    public init(named name: String, in layout: InstanceLayout) throws {
        let directory = try Self.path(of: name, in: layout)
        guard Files.exists(directory) else {
            let known = Files.exists(layout.backupsDirectory) ? try Files.list(layout.backupsDirectory) : []
            throw DeviceBackupError.unknown(name, known: known.filter { !$0.hasPrefix(".") })
        }
        self.directory = directory
        self.layout = layout
        record = try CheckedFile.read(at: Self.recordPath(in: directory))
    }

    /// Brings everything to a phone that was erased: the one that was backed up, or another one.
    ///
    /// Apps that were not installed when the backup was made are not on the phone afterwards. An item of the keychain
    /// that is linked to the enrolled fingers or faces can no longer be read, because those are not in the backup.
    /// - Parameter device: the phone with all its apps, of which none has run since the erasure.
    /// - Throws: errors of the files and of the keychain; a part may be there then.
    public func restore(to device: DeviceSpec) throws -> Content {
        let registry = DeviceRegistry(layout: layout, device: device.name)
        try registry.install(only: record.installed, of: device)
        let apps = device.apps.filter { record.installed.contains($0.bundleIdentifier) }
        var content = Content()
        for app in apps {
            guard let saved = record.apps[app.bundleIdentifier] else { continue }
            let container = try registry.container(ofApp: app.bundleIdentifier)
            content.files += try Files.copyTree("\(directory)/\(saved)", to: container)
        }
        for group in Set(apps.flatMap(\.appGroups)).sorted() {
            guard let saved = record.groups[group] else { continue }
            let container = try registry.container(ofGroup: group)
            content.files += try Files.copyTree("\(directory)/\(saved)", to: container)
        }
        let items = record.items ?? []
        let fitting = items.filter { record.device == device.name || $0.accessibility.leavesDevice }
        if !fitting.isEmpty { try KeychainDatabase(path: layout.keychainPath(device.name)).restore(fitting) }
        content.keychainItems = fitting.count
        content.itemsLeftOut = items.count - fitting.count
        return content
    }

    // MARK: Files

    /// What a backup leaves behind of a container.
    private static let unsaved: Set = ["Library/Caches", "tmp"]
    /// The prefix of the directory of an unfinished backup. The name of a backup cannot begin with a full stop.
    private static let hiddenPrefix = ".new-"

    private static func recordPath(in directory: String) -> String { directory + "/backup.json" }

    private static func path(of name: String, in layout: InstanceLayout) throws -> String {
        do {
            return try layout.backupDirectory(name)
        } catch let error as InstanceError {
            throw DeviceBackupError.invalidName(error)
        }
    }

    /// Phones of one instance may be backed up at the same time, by processes of their own.
    private static func changing<T>(_ layout: InstanceLayout, _ body: () throws -> T) throws -> T {
        try Files.createDirectory(layout.backupsDirectory)
        return try FileLock(path: layout.backupsDirectory + "/.lock").withLock(body)
    }
}

/// Why a backup cannot be made or opened.
public enum DeviceBackupError: Error, Equatable, CustomStringConvertible, Sendable {
    /// No backup can have this name.
    case invalidName(InstanceError)
    /// No backup has this name.
    case unknown(String, known: [String])

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .invalidName(let error): "The name of the backup does not fit: \(error)."
        case .unknown(let name, let known):
            known.isEmpty
                ? "There is no backup `\(name)`, and no other one; `backup` of a phone makes one."
                : "There is no backup `\(name)`; there is \(known.map { "`\($0)`" }.joined(separator: ", "))."
        }
    }
}
