// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// Where the files of an instance lie. Paths only: nothing here touches the disk.
///
/// An instance is everything live of one running lab, in one private directory; when it ends nothing is left.
public struct InstanceLayout: Hashable, Sendable {
    /// The longest path the kernel takes for a Unix socket, in bytes.
    public static let maximumSocketPath = 107

    /// The instance's directory.
    public let root: String

    /// Describes the instance in a directory.
    public init(root: String) { self.root = root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root }

    /// The instance's id, the name of its directory.
    public var id: String { Files.name(of: root) }
    /// The resolved topology and the instance's settings, `InstanceManifest`.
    public var manifestPath: String { "\(root)/instance.json" }
    /// The page of `LabClock`.
    public var clockPath: String { "\(root)/clock" }
    /// The table of `FaultTable`.
    public var faultsPath: String { "\(root)/faults" }
    /// The lock the runner holds as long as the instance shall live.
    public var leasePath: String { "\(root)/lease" }
    /// The lock every infrastructure process holds a share of.
    public var membersPath: String { "\(root)/members" }
    /// What `OutsideFiles` has written.
    var outsideFilesPath: String { "\(root)/outside.jsonl" }
    /// Counters of `Incarnations`.
    public var incarnationsDirectory: String { "\(root)/incarnations" }
    /// The sockets and their guards.
    public var socketsDirectory: String { "\(root)/s" }
    /// What the server keeps.
    public var serverDirectory: String { "\(root)/server" }
    /// Where the server reports that it listens, `ServerReady`.
    public var serverReadyPath: String { "\(serverDirectory)/ready.json" }

    /// The requests that an incarnation of the server got, for `RequestRecord`.
    public func requestsPath(incarnation: Int) -> String { "\(serverDirectory)/requests#\(incarnation).jsonl" }

    /// The lab's certificate authority, which devices trust.
    public var authorityPath: String { "\(serverDirectory)/tls/ca.pem" }
    /// The directories of all devices.
    public var devicesDirectory: String { "\(root)/devices" }
    /// What a device keeps.
    public func deviceDirectory(_ device: String) -> String { "\(devicesDirectory)/\(device)" }
    /// The backups of phones, which belong to no device.
    public var backupsDirectory: String { "\(root)/backups" }

    /// A backup of a phone.
    /// - Throws: `InstanceError` when the name cannot be part of a path.
    public func backupDirectory(_ name: String) throws -> String {
        try Self.check(name)
        return "\(backupsDirectory)/\(name)"
    }

    /// The snapshots of the instance, which end with it.
    public var snapshotsDirectory: String { "\(root)/snapshots" }

    /// What a device that is to continue keeps of its memory, for `Hibernation`.
    public func hibernationPath(_ device: String) -> String { "\(deviceDirectory(device))/hibernation.json" }
    /// The keychain shared by the apps of a device.
    public func keychainPath(_ device: String) -> String { "\(deviceDirectory(device))/keychain.sqlite" }
    /// The app-group containers of a device.
    public func groupsDirectory(_ device: String) -> String { "\(deviceDirectory(device))/groups" }
    /// The sandboxes of the apps of a device.
    public func appsDirectory(_ device: String) -> String { "\(deviceDirectory(device))/apps" }
    /// The registry of the shared-memory names made in the n-th boot of a device.
    public func bootDirectory(_ device: String, _ boot: Int) -> String { "\(deviceDirectory(device))/boot-\(boot)" }
    /// The queues of guaranteed transfers of a device for one pairing.
    public func linkDatabasePath(_ device: String, _ pairing: String) -> String {
        "\(deviceDirectory(device))/links/\(pairing).sqlite"
    }

    /// The directory of the instance while a process is making it. The name contains the process identifier, so that
    /// the next start sees at once whether the maker was killed.
    package func unfinished(maker pid: Int32) -> InstanceLayout {
        InstanceLayout(root: "\(Files.directory(of: root))/\(Self.unfinishedPrefix)\(pid)-\(id)")
    }

    /// How the names of unfinished directories begin.
    private static let unfinishedPrefix = ".new-"

    /// The maker of an unfinished directory, by the directory's name; nil for every other name.
    static func maker(ofUnfinished name: String) -> Int32? {
        let parts = name.dropFirst(unfinishedPrefix.count).split(separator: "-")
        guard name.hasPrefix(unfinishedPrefix), parts.count == 2, isID(parts[1]) else { return nil }
        return Int32(parts[0])
    }

    /// The directory the instance has while it is being removed.
    package var hidden: InstanceLayout {
        InstanceLayout(root: "\(Files.directory(of: root))/\(Self.hiddenPrefix)\(id)")
    }

    /// How hidden directories begin.
    static let hiddenPrefix = ".tmp-"

    /// Whether a text can be an id: lower-case letters and digits, at most 16. An id is part of shared-memory names,
    /// where '-' separates.
    static func isID(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.count <= 16
            && text.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) }
    }

    /// How the shared-memory names of the instance begin.
    public var sharedMemoryPrefix: String { "/lab-\(id)-" }

    /// The id of the instance that a name of shared memory belongs to; nil for names of others.
    static func id(ofSharedMemory name: String) -> String? {
        let parts = name.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "/lab", isID(parts[1]) else { return nil }
        return String(parts[1])
    }

    /// The path of a socket.
    /// - Throws: `InstanceError` when the name cannot be part of a path, or the path is too long for the kernel.
    public func socketPath(_ endpoint: InstanceEndpoint) throws -> String {
        let name = endpoint.fileName
        try Self.check(name)
        let path = "\(socketsDirectory)/\(name)"
        guard path.utf8.count <= Self.maximumSocketPath else { throw InstanceError.socketPathTooLong(path: path) }
        return path
    }

    /// The address of a socket for ZeroMQ, `ipc://` and its path.
    public func address(of endpoint: InstanceEndpoint) throws -> String { "ipc://\(try socketPath(endpoint))" }

    /// The lock that guards an endpoint: held by the process that answers there, which writes its pid into it.
    public func endpointLockPath(_ endpoint: InstanceEndpoint) throws -> String {
        let name = endpoint.fileName
        try Self.check(name)
        return "\(socketsDirectory)/\(name).lock"
    }

    /// How the agent of a watch reaches the phone's: a file that the phone's agent writes.
    public func invitationPath(_ link: String) throws -> String {
        "\(try socketPath(.link(link)))\(Self.invitationEnd)"
    }

    /// The link of an invitation, by the name of its file; nil for every other name.
    public static func link(ofInvitation name: String) -> String? {
        guard name.hasSuffix(invitationEnd),
            case .link(let link)? = InstanceEndpoint(fileName: String(name.dropLast(invitationEnd.count)))
        else { return nil }
        return link
    }

    private static let invitationEnd = ".invitation"

    /// Checks that a name can be part of a path of an instance.
    static func check(_ name: String) throws {
        let allowed = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard allowed, !name.isEmpty, name.utf8.count <= 100, !name.hasPrefix(".") else {
            throw InstanceError.invalidName(name)
        }
    }
}

/// A socket of an instance: who answers there.
///
/// The name of its file is made and read here only. Names of actors follow the rules of `InstanceLayout`, which
/// checks them when it makes a path.
public enum InstanceEndpoint: Hashable, Sendable, CustomStringConvertible {
    /// The control endpoint of an app's process.
    case peer(String)
    /// The control endpoint of a device's agent.
    case agent(String)
    /// The control endpoint of the server.
    case server
    /// Where the agent of a device serves the watch sessions of its apps.
    case apps(device: String)
    /// Where an instance that another host has joined is asked to bring it up to date.
    case join
    /// Where the agents of two paired devices meet.
    case link(String)

    /// The name of the socket's file.
    public var fileName: String {
        switch self {
        case .peer(let app): "p.\(app)"
        case .agent(let device): "a.\(device)"
        case .server: "server"
        case .join: "join"
        case .apps(let device): "w.\(device)"
        case .link(let link): "l.\(link)"
        }
    }

    /// The endpoint behind the name of a file; nil for any other name.
    public init?(fileName: String) {
        if fileName == "server" {
            self = .server
            return
        }
        if fileName == "join" {
            self = .join
            return
        }
        let parts = fileName.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        let name = String(parts[1])
        switch parts[0] {
        case "p": self = .peer(name)
        case "a": self = .agent(name)
        case "w": self = .apps(device: name)
        case "l": self = .link(name)
        default: return nil
        }
    }

    /// The name of the app, device or link that answers there, as a topology spells it; `server` for the server.
    public var actor: String {
        switch self {
        case .peer(let name), .agent(let name), .apps(let name), .link(let name): name
        case .server: "server"
        case .join: "join"
        }
    }

    /// The answering process in a sentence.
    public var description: String {
        switch self {
        case .peer(let app): "the app \(app)"
        case .agent(let device), .apps(let device): "the agent of \(device)"
        case .server: "the server"
        case .join: "the runner of the instance"
        case .link(let link): "the link \(link)"
        }
    }
}
