// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabSystem

/// What every process of an instance knows from the start, the file `instance.json` (mode 0600).
public struct InstanceManifest: Codable, Sendable {
    /// The instance's id.
    public var id: String
    /// The absolute path of the `lab.yaml` it was made from; nil when it was made in a program.
    public var labFile: String?
    /// The resolved topology.
    public var topology: Topology
    /// Where the history and the traces of the run go.
    public var runDirectory: String
    /// The seed of every random choice of the lab itself.
    public var seed: UInt64
    /// Which part of the topology the instance plays; nil for all of it.
    public var share: HostAssignment?
    /// The process that made the instance and holds its lease.
    public var runnerPid: Int32
    /// The directory of the peers' executables.
    public var executablesDirectory: String
    /// When the instance was made, in milliseconds of real time since 1970.
    public var created: Int64

    /// Describes an instance made now by this process.
    public init(
        id: String, labFile: String?, topology: Topology, runDirectory: String, seed: UInt64,
        executablesDirectory: String, share: HostAssignment? = nil
    ) {
        self.id = id
        self.labFile = labFile
        self.topology = topology
        self.runDirectory = runDirectory
        self.seed = seed
        self.executablesDirectory = executablesDirectory
        self.share = share
        runnerPid = ProcessInfo.processInfo.processIdentifier
        created = RealTimeClock.nanoseconds() / 1_000_000
    }

    /// Where the trace files of the run lie.
    public var tracesDirectory: String { "\(runDirectory)/traces" }

    /// Reads the manifest of an instance.
    /// - Throws: `InstanceError.noInstance` without a manifest, `.unreadable` when it is damaged.
    public static func read(_ layout: InstanceLayout) throws -> InstanceManifest {
        let data: Data
        do {
            data = try Files.read(layout.manifestPath)
        } catch let error as SystemError where error.errno == ENOENT {
            throw InstanceError.noInstance(path: layout.root)
        }
        do {
            return try JSONDecoder().decode(InstanceManifest.self, from: data)
        } catch {
            throw InstanceError.unreadable(
                path: layout.manifestPath, expected: "a description of an instance (\(JSONValue.explain(error)))")
        }
    }

    /// Writes the manifest in one step.
    func write(_ layout: InstanceLayout) throws {
        try Files.write(JSONValue(encoding: self).encoded(), to: layout.manifestPath)
    }
}

/// Which part of a topology an instance plays, when the labs of two hosts play it together (docs/two-hosts.md).
public struct HostAssignment: Codable, Equatable, Sendable {
    /// What an instance is to the other one.
    public enum Side: String, Codable, Sendable {
        /// It has the server, the clock and the faults, and listens for the other one.
        case owner
        /// It has joined the owner, and follows its clock and its faults.
        case guest
    }

    /// What this instance is.
    public var side: Side
    /// The devices that it plays, by their names.
    public var devices: [String]
    /// Owner: where its agents listen for the other host's, `tcp://address:port`, by the names of the links.
    public var linkAddresses: [String: String]
    /// Guest: the processes of its agents count from here on, so that a link does not take a greeting for one of a device
    /// that has played the same part before.
    public var bootsBefore: UInt64

    /// Describes a part.
    public init(side: Side, devices: [String], linkAddresses: [String: String] = [:], bootsBefore: UInt64 = 0) {
        self.bootsBefore = bootsBefore
        self.side = side
        self.devices = devices
        self.linkAddresses = linkAddresses
    }
}
