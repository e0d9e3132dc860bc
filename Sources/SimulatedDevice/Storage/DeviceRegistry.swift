import Foundation
public import LabKit
import LabSystem

/// What the simulated operating system remembers about a device: which directory belongs to which app or app group,
/// the vendor identifiers, and how often the device was started (sharing.md, sections 21.2 and 21.6).
///
/// Kept in `registry.json` of the device's directory. Changes happen under a lock and replace the file atomically, so
/// that reading needs no lock. Safe to use from any thread and process; calls may block.
public struct DeviceRegistry: Sendable {
    /// Contents of the file.
    private struct Record: Codable {
        var boot = 0
        var apps: [String: String] = [:]
        var groups: [String: String] = [:]
        var vendors: [String: String] = [:]
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
    public func boot() throws -> Int {
        try read().boot
    }

    /// Begins the next boot: shared memory of the previous ones is gone for every process that starts from now on.
    ///
    /// - Returns: The number of the new boot.
    public func beginBoot() throws -> Int {
        try change { record in
            record.boot += 1
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

    /// The identifier that all apps of a team see as theirs on this device, upper case with dashes.
    public func vendorIdentifier(team: String) throws -> String {
        try identifier(\.vendors, team)
    }

    private func identifier(
        _ table: WritableKeyPath<Record, [String: String]>, _ key: String
    ) throws -> String {
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
        return try JSONDecoder().decode(Record.self, from: Files.read(path))
    }

    private func change<T>(_ body: (inout Record) -> T) throws -> T {
        if !Files.exists(directory) { try Files.createDirectory(directory) }
        return try FileLock(path: directory + "/registry.lock").withLock {
            var record = try read()
            let result = body(&record)
            try Files.write(JSONEncoder().encode(record), to: path)
            return result
        }
    }
}
