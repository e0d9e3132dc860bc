// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LabCore
import LabSystem

/// What the simulated operating system remembers about a device: which directory belongs to which app or app group,
/// the vendor identifiers, and how often the device was started (sharing.md, sections 21.2 and 21.6).
///
/// Kept in `registry.json` of the device's directory, with a checksum: a damaged one would read as a new device, whose
/// apps wipe the keychain. Changes happen under a lock and replace the file atomically, so
/// that reading needs no lock. Thread rule: any thread of any process; calls may block.
public struct DeviceRegistry: Sendable {
    private struct Record: Codable {
        var boot = 0
        var apps: [String: String] = [:]
        var groups: [String: String] = [:]
        var vendors: [String: String] = [:]
        /// Bundle identifiers of uninstalled apps of the topology.
        var uninstalled: Set<String> = []
        /// Bundle identifiers of watch apps whose complication the face shows; optional, because older files have none.
        var complications: Set<String>?
        /// The link of the watch that the phone uses, when the user has chosen one.
        var activeLink: String?
        /// Links of watches that are no longer paired.
        var unpairedLinks: Set<String>?
    }

    private let directory: String
    private let layout: InstanceLayout
    private let device: String

    /// The registry of a device of an instance.
    public init(layout: InstanceLayout, device: String) {
        self.layout = layout
        self.device = device
        directory = layout.deviceDirectory(device)
    }

    /// Number of the current boot, from 1; 0 for a device that no agent has started yet.
    public func boot() throws -> Int { try read().boot }

    /// Begins the next boot: shared memory of the previous ones does not exist for processes that start from now on.
    /// - Returns: The number of the new boot. No boot of the instance has it twice, also after the device's directory was
    ///   put back to an earlier state: it distinguishes traces and greetings of a link.
    public func beginBoot() throws -> Int {
        let number = try Incarnations.next(layout, device)
        return try change { record in
            record.boot = max(record.boot + 1, number)
            return record.boot
        }
    }

    /// The directory of an app, created at the first call: the process' home.
    public func container(ofApp bundleIdentifier: String) throws -> String {
        let uuid = try identifier(\.apps, bundleIdentifier)
        return try directory(layout.appsDirectory(device) + "/" + uuid)
    }

    /// The directory shared by the members of an app group, created at the first call.
    public func container(ofGroup group: String) throws -> String {
        let uuid = try identifier(\.groups, group)
        return try directory(layout.groupsDirectory(device) + "/" + uuid)
    }

    /// The directory shared by the members of an app group, if there is one.
    public func existingContainer(ofGroup group: String) throws -> String? {
        guard let uuid = try read().groups[group] else { return nil }
        let path = layout.groupsDirectory(device) + "/" + uuid
        return Files.exists(path) ? path : nil
    }

    /// The identifier that all apps of a team see as theirs on this device, upper case with dashes.
    public func vendorIdentifier(team: String) throws -> String { try identifier(\.vendors, team) }

    /// Gives the apps of a team another identifier than they have had, as after all of them were off the device
    /// (sharing.md, section 21.6).
    /// - Returns: the new identifier.
    public func changeVendorIdentifier(team: String) throws -> String {
        let created = UUID().uuidString
        try change { $0.vendors[team] = created }
        return created
    }

    /// Whether the face of the watch shows a complication of an app.
    public func hasComplication(_ bundleIdentifier: String) throws -> Bool {
        try read().complications?.contains(bundleIdentifier) ?? false
    }

    /// Puts the complication of an app on the face of the watch, or takes it off.
    public func setComplication(_ bundleIdentifier: String, isShown: Bool) throws {
        try change { record in
            var shown = record.complications ?? []
            if isShown { shown.insert(bundleIdentifier) } else { shown.remove(bundleIdentifier) }
            record.complications = shown
        }
    }

    // MARK: Watches

    /// The link of the watch that the user has chosen last.
    public func activeLink() throws -> String? { try read().activeLink }
    /// The user chooses a watch by its link.
    public func setActiveLink(_ link: String) throws { try change { $0.activeLink = link } }
    /// Whether the watch of a link is paired.
    public func isPaired(_ link: String) throws -> Bool { try !(read().unpairedLinks?.contains(link) ?? false) }

    /// Pairs the watch of a link, or ends its pairing.
    public func setPaired(_ link: String, _ isPaired: Bool) throws {
        try change { record in
            var unpaired = record.unpairedLinks ?? []
            if isPaired { unpaired.remove(link) } else { unpaired.insert(link) }
            record.unpairedLinks = unpaired
        }
    }

    // MARK: Installation

    /// Whether an app of the topology is on the device.
    public func isInstalled(_ bundleIdentifier: String) throws -> Bool {
        try !read().uninstalled.contains(bundleIdentifier)
    }

    /// Takes apps off the device: their containers, the containers of groups that no other app uses, and with the last
    /// app of the team its vendor identifier (sharing.md, sections 21.6 and 21.7). The keychain stays.
    /// - Parameters:
    ///   - apps: the apps; none of them may be running.
    ///   - device: the device with all its apps.
    public func uninstall(_ apps: [AppSpec], from device: DeviceSpec) throws {
        let gone = Set(apps.map(\.bundleIdentifier))
        let (appPaths, groupPaths) = try change { record in
            record.uninstalled.formUnion(gone)
            record.complications?.subtract(gone)
            let staying = device.apps.filter { !record.uninstalled.contains($0.bundleIdentifier) }
            let groups = Set(apps.flatMap(\.appGroups)).subtracting(staying.flatMap(\.appGroups))
            if staying.isEmpty { record.vendors = [:] }
            return (
                gone.compactMap { record.apps.removeValue(forKey: $0) },
                groups.compactMap { record.groups.removeValue(forKey: $0) }
            )
        }
        for uuid in appPaths { try removeTree(layout.appsDirectory(self.device) + "/" + uuid) }
        for uuid in groupPaths { try removeTree(layout.groupsDirectory(self.device) + "/" + uuid) }
    }

    /// Puts an app back; its container is created when it is first used.
    public func install(_ bundleIdentifier: String) throws {
        try change { _ = $0.uninstalled.remove(bundleIdentifier) }
    }

    /// Puts back the apps of the device with these bundle identifiers, and takes off the others, none of which has a
    /// container.
    func install(only installed: Set<String>, of device: DeviceSpec) throws {
        try change { $0.uninstalled = Set(device.apps.map(\.bundleIdentifier)).subtracting(installed) }
    }

    /// The directories that there are, by bundle identifier of the app and by name of the app group.
    func existingContainers() throws -> (apps: [String: String], groups: [String: String]) {
        let record = try read()
        func paths(_ table: [String: String], in directory: String) -> [String: String] {
            table.mapValues { "\(directory)/\($0)" }.filter { Files.exists($0.value) }
        }
        return (
            paths(record.apps, in: layout.appsDirectory(device)),
            paths(record.groups, in: layout.groupsDirectory(device))
        )
    }

    /// Forgets everything but the number of the boot: the device is as new, with all apps of the topology installed. None
    /// of them may be running.
    public func erase() throws {
        try change { $0 = Record(boot: $0.boot) }
        try removeTree(layout.appsDirectory(device))
        try removeTree(layout.groupsDirectory(device))
    }

    private func removeTree(_ path: String) throws {
        if Files.exists(path) { try Files.removeTree(path) }
    }

    private func identifier(_ table: WritableKeyPath<Record, [String: String]>, _ key: String) throws -> String {
        if let known = try read()[keyPath: table][key] { return known }
        return try change { record in
            if let known = record[keyPath: table][key] { return known }
            let created = UUID().uuidString
            record[keyPath: table][key] = created
            return created
        }
    }

    private func directory(_ path: String) throws -> String {
        if !Files.exists(path) { try Files.createDirectory(path) }
        return path
    }

    private var path: String { directory + "/registry.json" }

    private func read() throws -> Record {
        guard Files.exists(path) else { return Record() }
        return try CheckedFile.read(at: path)
    }

    private func change<T>(_ body: (inout Record) -> T) throws -> T {
        if !Files.exists(directory) { try Files.createDirectory(directory) }
        return try FileLock(path: directory + "/registry.lock").withLock {
            var record = try read()
            let result = body(&record)
            try CheckedFile.write(record, to: path)
            return result
        }
    }
}
