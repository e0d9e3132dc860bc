// SPDX-License-Identifier: Apache-2.0

import LabCore
import LabPoints
import LabSystem

/// The snapshots of a running instance: its server, its devices, its clock and its armed fault points at one moment.
///
/// Taking and restoring end the instance's processes and start those again that ran; what was in their memory only is
/// lost, as if they had been killed. Traces and logs continue.
///
/// Thread rule: any thread of any process; one command at a time. Every call may block.
public struct InstanceSnapshots: Sendable {
    private let connection: InstanceConnection
    private let labVersion: String
    /// The directory of the instance's own snapshots.
    private let own: String

    private var layout: InstanceLayout { connection.layout }
    /// Where files of a snapshot are prepared that shall replace those of the instance.
    private var prepared: String { "\(own)/.prepared" }
    /// Where the replaced files of the instance are until the restored ones are in use.
    private var replaced: String { "\(own)/.replaced" }

    /// The snapshots of an instance.
    /// - Parameter labVersion: The version of this lab; snapshots of another one are refused.
    public init(of connection: InstanceConnection, labVersion: String) {
        self.connection = connection
        self.labVersion = labVersion
        own = connection.layout.snapshotsDirectory
    }

    // MARK: Taking

    /// Takes a snapshot. It has its name only once it is complete.
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, hyphens and dots.
    ///   - directory: The directory that the snapshot's own is made in, where it outlives the instance; nil keeps it with
    ///     the instance.
    /// - Throws: ``SnapshotError`` for a name that is unusable or taken; ``LabFailure`` with what could not be ended, copied
    ///   or started.
    public func take(_ name: String, in directory: String? = nil) throws {
        try take(name, in: directory, startsAgain: true)
    }

    /// Takes a snapshot with the instance, whose processes end for good.
    /// - Throws: as ``take(_:in:)``.
    func takeLast(_ name: String) throws { try take(name, in: nil, startsAgain: false) }

    private func take(_ name: String, in directory: String?, startsAgain: Bool) throws {
        let name = try SnapshotName(name)
        let parent = place(directory)
        let target = "\(parent)/\(name.text)"
        try exclusively {
            guard !Files.exists(target) else { throw SnapshotError.exists(name: name.text, directory: parent) }
            let (running, ranges) = try inspect()
            let outcome: Result<Void, any Error> = Result {
                try connection.endProcesses()
                let clock = SnapshotManifest.Clock(of: connection.clock)
                // The copy costs no lab time.
                defer { try? connection.clock.set(clock.time, rate: clock.rate, isFrozen: clock.isFrozen) }
                for (device, links) in ranges {
                    try Hibernation(of: device, in: layout, linksInRange: links).write(layout, device: device)
                }
                try write(name, clock, running, in: parent)
            }
            let restart: Result<Void, any Error> = Result { if startsAgain { try connection.start(running) } }
            switch (outcome, restart) {
            case (.success, .success): note("the snapshot `\(name.text)` was taken")
            case (.failure(let error), .success):
                let rest = startsAgain ? " The instance runs again." : ""
                throw LabFailure("The snapshot `\(name.text)` was not taken: \(error).\(rest)")
            case (_, .failure(let error)):
                let state = (try? outcome.get()) == nil ? "was not taken" : "was taken"
                throw LabFailure(
                    "The snapshot `\(name.text)` \(state), and the instance \(layout.id) did not start again: \(error). `lab exec server restart`, and `switchOn` for each device, start it."
                )
            }
        }
    }

    /// What runs, and which links of each running device are in range; nothing was ended yet.
    private func inspect() throws -> (RunningProcesses, [String: [String: Bool]]) {
        do {
            let running = try RunningProcesses(in: connection)
            var ranges: [String: [String: Bool]] = [:]
            for device in running.devices { ranges[device] = try connection.linksInRange(of: device) }
            return (running, ranges)
        } catch {
            throw LabFailure(
                "The instance \(layout.id) was left as it is, because a device does not answer: \(error). Let it continue, or kill and start it; `lab ps` lists the devices."
            )
        }
    }

    private func write(
        _ name: SnapshotName, _ clock: SnapshotManifest.Clock, _ running: RunningProcesses, in parent: String
    ) throws {
        // Another instance may take one of the same name into the same directory, with a lock of its own.
        let unfinished = "\(parent)/.new-\(name.text)-\(layout.id)"
        try Files.removeTree(unfinished)
        try Files.createDirectory(unfinished)
        do {
            for part in SnapshotPart.allCases {
                let path = part.path(in: layout)
                guard Files.exists(path) else { continue }
                _ = try Files.copyTree(path, to: "\(unfinished)/\(part.rawValue)") { part.leavesOut($0) }
            }
            try Files.write(try connection.faults.copyOfRules(), to: "\(unfinished)/\(Self.faults)")
            try SnapshotManifest(
                labVersion: labVersion, name: name, taken: LabTime(nanoseconds: RealTimeClock.nanoseconds()),
                topology: connection.manifest.topology, clock: clock, running: running,
                files: try SnapshotManifest.files(below: unfinished)
            ).write(to: unfinished)
            try Files.renameExclusively(unfinished, to: "\(parent)/\(name.text)")
        } catch {
            try? Files.removeTree(unfinished)
            throw error
        }
    }

    // MARK: Restoring

    /// Brings the instance back to a snapshot: what is new since is removed. Everything is checked and prepared before
    /// a process is ended.
    /// - Parameters:
    ///   - name: Name of the snapshot.
    ///   - directory: The directory that holds it; nil takes those of the instance.
    /// - Throws: ``SnapshotError`` for one that does not exist, is damaged, or does not fit the instance; then nothing has
    ///   changed. ``LabFailure`` for processes that could not be ended or started; the snapshot can be restored again.
    public func restore(_ name: String, from directory: String? = nil) throws {
        let name = try SnapshotName(name)
        try exclusively {
            let snapshot = try find(name, in: place(directory))
            let manifest = try SnapshotManifest.read(from: snapshot)
            try manifest.check(
                fits: connection.manifest.topology, labVersion: labVersion, in: snapshot)
            removePreparations()
            do {
                _ = try Files.copyTree(snapshot, to: prepared) { $0 == SnapshotManifest.fileName }
                // The copy is checked, not the original: it is what comes into use.
                try manifest.verify(prepared, of: snapshot)
            } catch {
                removePreparations()
                throw error
            }
            do {
                try replaceState(by: manifest)
            } catch {
                throw LabFailure(
                    "The snapshot `\(name.text)` was not restored completely, and processes of the instance \(layout.id) may not run: \(error). Restore it again once the cause is gone; what has been replaced is in \(replaced)."
                )
            }
            removePreparations()
        }
    }

    private func replaceState(by manifest: SnapshotManifest) throws {
        let rules = try Files.read("\(prepared)/\(Self.faults)")
        try connection.endProcesses()
        try Files.createDirectory(replaced)
        for part in SnapshotPart.allCases { try exchange(part) }
        for name in try SharedMemoryObject.list() where name.hasPrefix(layout.sharedMemoryPrefix) {
            try SharedMemoryObject.unlink(name: name)
        }
        try connection.faults.restoreRules(rules)
        let clock = manifest.clock
        try connection.clock.set(clock.time, rate: clock.rate, isFrozen: clock.isFrozen)
        note("the snapshot `\(manifest.name)` was restored")
        try connection.start(manifest.running)
    }

    /// Replaces a directory of the instance by the prepared one. What stays out of snapshots stays, but for names of
    /// shared memory.
    private func exchange(_ part: SnapshotPart) throws {
        let path = part.path(in: layout)
        let (new, old) = ("\(prepared)/\(part.rawValue)", "\(replaced)/\(part.rawValue)")
        if Files.exists(path) {
            if Files.exists(new) {
                for name in try Files.list(path) where part.leavesOut(name) {
                    try Files.rename("\(path)/\(name)", to: "\(new)/\(name)")
                }
            }
            try Files.rename(path, to: old)
        }
        if Files.exists(new) { try Files.rename(new, to: path) }
    }

    private func removePreparations() {
        // The next restoring tries it again, and the end of the instance removes everything.
        try? Files.removeTree(prepared)
        try? Files.removeTree(replaced)
    }

    // MARK: Lists

    /// A snapshot of the instance's own.
    package struct Listed: Equatable, Sendable {
        package let name: String
        /// When it was taken, and its size; or why it cannot be used. Two snapshots of one name differ here.
        package let facts: String
    }

    /// The instance's own snapshots, sorted by name.
    package func list() throws -> [Listed] {
        try Self.names(in: own).map { name -> Listed in
            do {
                let manifest = try SnapshotManifest.read(from: "\(own)/\(name)")
                let size = (manifest.files.values.reduce(0) { $0 + $1.bytes } + 1023) / 1024
                return Listed(
                    name: name,
                    facts: "taken \(manifest.taken.text), lab time \(manifest.clock.time.text), \(size) KiB")
            } catch {
                return Listed(name: name, facts: "\(error)")
            }
        }
    }

    /// The instance's own snapshots for people, a line each, sorted by name.
    public func lines() throws -> [String] { try list().map { "\($0.name)  \($0.facts)" } }

    /// Removes one of the instance's own snapshots.
    /// - Throws: ``SnapshotError/unknown(name:directory:known:)`` if no snapshot has this name.
    public func remove(_ name: String) throws {
        let name = try SnapshotName(name)
        try exclusively { try Files.removeTree(find(name, in: own)) }
    }

    // MARK: Places

    /// The file with the armed fault points in a snapshot.
    private static let faults = "faults"

    private func place(_ directory: String?) -> String { directory.map(Files.absolute) ?? own }

    private static func names(in directory: String) throws -> [String] {
        guard Files.isDirectory(directory) else { return [] }
        return try Files.list(directory).filter { name in
            (try? SnapshotName(name)) != nil && Files.isDirectory("\(directory)/\(name)")
        }
    }

    private func find(_ name: SnapshotName, in directory: String) throws -> String {
        let known = try Self.names(in: directory)
        guard known.contains(name.text) else {
            throw SnapshotError.unknown(name: name.text, directory: directory, known: known)
        }
        return "\(directory)/\(name.text)"
    }

    /// Lets one command at a time work on the snapshots of the instance. The kernel frees the place of one that was killed.
    private func exclusively(_ body: () throws -> Void) throws {
        guard connection.manifest.share == nil else { throw SnapshotError.twoHosts(instance: layout.id) }
        try Files.createDirectory(own)
        let lock = try FileLock(path: "\(own)/.lock")
        guard try lock.tryLock() else { throw SnapshotError.busy(instance: layout.id) }
        // Not left to the end of the object: a program that is being started has its descriptor, too, for a moment.
        defer { try? lock.unlock() }
        try body()
    }

    /// Notes in the traces of the instance what has happened to all of its processes; it is no work of one of them.
    private func note(_ message: String) {
        let trace = try? TraceWriter(
            directory: connection.manifest.tracesDirectory, process: "clock", incarnation: 1)
        trace?.emit(.log, ["level": "info", "message": .string(message)])
    }
}

extension SnapshotManifest.Clock {
    /// How a clock is set now.
    fileprivate init(of clock: LabClock) {
        self.init(time: clock.now(), rate: clock.rate, isFrozen: clock.isFrozen)
    }
}
