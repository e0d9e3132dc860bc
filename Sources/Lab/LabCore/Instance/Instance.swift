// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LabSystem

/// A running instance, seen by the process that made it: owner of the lease and first member.
///
/// Thread rule: any thread; end once.
public final class Instance: Sendable {
    /// Where the instance's files lie.
    public let layout: InstanceLayout
    /// What the instance's processes know.
    public let manifest: InstanceManifest
    private let lease: Lease
    private let membership: Membership

    private init(layout: InstanceLayout, manifest: InstanceManifest, lease: Lease, membership: Membership) {
        self.layout = layout
        self.manifest = manifest
        self.lease = lease
        self.membership = membership
    }

    /// Makes an instance: sweeps dead ones, then prepares the directory under a hidden name, takes the lease, and
    /// only then gives it its final name.
    /// - Parameters:
    ///   - id: lower-case letters and digits, at most 16; nil chooses one.
    ///   - runtimeRoot: where instances lie; nil takes `runtimeRoot()`.
    ///   - manifest: describes the instance; gets the final layout, which does not exist yet.
    public static func create(
        id: String? = nil, in runtimeRoot: String? = nil, manifest: (InstanceLayout) throws -> InstanceManifest
    ) throws -> Instance {
        let parent = try runtimeRoot ?? self.runtimeRoot()
        let id = id ?? newID()
        guard InstanceLayout.isID(id) else { throw InstanceError.invalidName(id) }
        try InstanceRemoval.sweepStale(in: parent)

        let layout = InstanceLayout(root: "\(parent)/\(id)")
        // Fails here, before anything exists, when not even a short socket name would fit.
        _ = try layout.socketPath(.peer("main"))
        let unfinished = layout.unfinished(maker: ProcessInfo.processInfo.processIdentifier)
        try Files.createNewDirectory(unfinished.root)
        do {
            let lease = try Lease(acquiring: unfinished.leasePath)
            let membership = try Membership(founding: layout, in: unfinished)
            for directory in [
                unfinished.socketsDirectory, unfinished.serverDirectory, unfinished.devicesDirectory,
                unfinished.incarnationsDirectory,
            ] {
                try Files.createNewDirectory(directory)
            }
            _ = try LabClock.create(unfinished.clockPath)
            _ = try FaultTable.create(unfinished.faultsPath)
            let manifest = try manifest(layout)
            try manifest.write(unfinished)
            try Files.renameExclusively(unfinished.root, to: layout.root)
            return Instance(layout: layout, manifest: manifest, lease: lease, membership: membership)
        } catch {
            try? Files.removeTree(unfinished.root)
            throw error
        }
    }

    /// Ends the instance: gives the lease up, upon which every other member kills its children and leaves, and
    /// waits until the last one has removed everything.
    /// - Parameter timeout: real time to wait at most.
    /// - Returns: whether nothing is left.
    @discardableResult
    public func end(timeout: LabDuration = .seconds(10).stretched) throws -> Bool {
        let parent = Files.directory(of: layout.root)
        let watch = try DirectoryWatch(parent)
        try lease.release()
        if try membership.leave() { return true }
        let end = Int64(MonotonicClock.nanoseconds()) + timeout.nanoseconds
        while Files.exists(layout.root) || Files.exists(layout.hidden.root) {
            let rest = end - Int64(MonotonicClock.nanoseconds())
            guard rest > 0 else { return false }
            _ = try Polling.waitReadable([watch.rawDescriptor], timeoutNanoseconds: rest)
            _ = try watch.changes()
        }
        return true
    }

    /// The directory of all instances of this user, made if missing and checked to be private:
    /// `$LAB_RUNTIME_DIR`, else `palab` in `$XDG_RUNTIME_DIR`, else `/tmp/palab-<uid>`.
    public static func runtimeRoot(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        let path: String
        if let directory = environment["LAB_RUNTIME_DIR"], !directory.isEmpty {
            path = directory
        } else if let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty {
            path = "\(directory)/palab"
        } else {
            path = "/tmp/palab-\(CurrentUser.id)"
        }
        try Files.createDirectory(path)
        // Another user may have made a directory of that name in a shared place such as /tmp.
        guard try Files.isPrivateDirectory(path) else { throw InstanceError.notPrivate(path: path) }
        return path
    }

    /// Removes what dead instances left. `create` does it too.
    public static func sweepStale(in runtimeRoot: String? = nil) throws {
        try InstanceRemoval.sweepStale(in: runtimeRoot ?? self.runtimeRoot())
    }

    /// The living instances of a runtime directory, oldest first.
    /// - Parameter labFile: only those made from this `lab.yaml` (absolute path); nil means all.
    public static func live(madeFrom labFile: String? = nil, in runtimeRoot: String? = nil) throws -> [InstanceLayout] {
        let parent = try runtimeRoot ?? self.runtimeRoot()
        let wanted = labFile.map(withoutLinks)
        var found: [(created: Int64, layout: InstanceLayout)] = []
        for name in try Files.list(parent) where !name.hasPrefix(".") {
            let layout = InstanceLayout(root: "\(parent)/\(name)")
            guard Lease.isHeld(layout), let manifest = try? InstanceManifest.read(layout) else { continue }
            if wanted == nil || manifest.labFile.map(withoutLinks) == wanted {
                found.append((manifest.created, layout))
            }
        }
        return found.sorted { ($0.created, $0.layout.id) < ($1.created, $1.layout.id) }.map(\.layout)
    }

    /// One file can have several paths; a search may use another one than the process that made the instance.
    private static func withoutLinks(_ path: String) -> String { URL(filePath: path).resolvingSymlinksInPath().path }

    private static func newID() -> String {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<8).map { _ in alphabet[Int.random(in: 0..<alphabet.count)] })
    }
}

/// Why something cannot be done with an instance.
public enum InstanceError: Error, Hashable, Sendable {
    /// A Unix socket path must fit 107 bytes.
    case socketPathTooLong(path: String)
    /// A name that cannot be part of a path.
    case invalidName(String)
    /// The directory is not an instance, or the instance has ended.
    case noInstance(path: String)
    /// A file of the instance does not have the expected content.
    case unreadable(path: String, expected: String)
    /// The runtime directory could be read or changed by others.
    case notPrivate(path: String)
    /// The lab's clock was asked to run back.
    case clockBackwards(by: LabDuration)
    /// The lab's clock was asked to go beyond its range.
    case clockTooFar(by: LabDuration)
    /// All slots of the fault table are taken.
    case faultTableFull(slots: Int)
    /// A text does not fit its place in the fault table.
    case faultTextTooLong(String, bytes: Int)
    /// A block has more processes than can be given turns.
    case tooManyTurns(processes: Int, slots: Int)
    /// Another scheduler gives turns in the instance.
    case turnsTaken(pid: Int32)
    /// Another process answers at the endpoint.
    case endpointTaken(name: String, pid: Int32?)
}

extension InstanceError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .socketPathTooLong(let path):
            """
            the socket path '\(path)' has \(path.utf8.count) bytes and the system allows \
            \(InstanceLayout.maximumSocketPath); set LAB_RUNTIME_DIR to a shorter directory or shorten the name
            """
        case .invalidName(let name):
            "'\(name)' cannot name a part of an instance; use letters, digits, '-', '_' and '.', and begin without '.'"
        case .noInstance(let path):
            "there is no running instance at '\(path)'; start one with `lab up`, or see what runs with `lab ps`"
        case .unreadable(let path, let expected):
            "'\(path)' is not \(expected); it was damaged, or made by another version of the lab"
        case .notPrivate(let path):
            """
            '\(path)' must be a directory that only you can use (owner you, mode 0700); correct that, or set \
            LAB_RUNTIME_DIR to another directory
            """
        case .clockBackwards(let duration):
            "the lab's clock cannot go back (asked for \(duration)); only a device's own skew can be negative"
        case .clockTooFar(let duration):
            "the lab's clock cannot go forward by \(duration); its range ends with the year 2249"
        case .faultTableFull(let slots): "all \(slots) fault rules of the instance are in use; disarm some first"
        case .faultTextTooLong(let text, let bytes):
            "'\(text)' is too long for the fault table, whose texts have at most \(bytes) bytes; use a shorter one"
        case .tooManyTurns(let processes, let slots):
            "\(processes) processes are too many for a block whose order is decided; it gives turns to at most \(slots)"
        case .turnsTaken(let pid):
            """
            process \(pid) decides the order of a block in this instance already; wait until that block has ended, or \
            use another instance
            """
        case .endpointTaken(let name, let pid):
            "another process answers as '\(name)'\(pid.map { " (pid \($0))" } ?? ""); end it first"
        }
    }
}
