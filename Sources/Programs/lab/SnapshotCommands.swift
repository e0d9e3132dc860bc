// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import LabCore
import LabReports
import LabSystem
import ScenarioEngine

/// `lab snapshot`: keeps the state of an instance.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Keeps the state of a running instance under a name, for `lab restore`.",
        discussion: """
            A snapshot holds the server's database, the devices with their keychains, files, shared memory and queues, the clock, \
            and the armed fault points. The processes are ended meanwhile and started again: what apps have in memory only is \
            lost. Snapshots end with their instance, but for those that --to keeps elsewhere.
            """)

    @OptionGroup var options: InstanceOptions

    @Argument(help: "Name of the snapshot: 1 to 64 letters, digits, hyphens and dots.")
    var name: String

    @Option(help: "Make the snapshot's directory in this one, where it outlives the instance.")
    var to: String?

    func run() throws {
        let connection = try options.find()
        try UninterruptedWork.onSignals(saying: "the snapshot is being taken")
        try connection.snapshots.take(name, in: to)
        Console.print("snapshot \(name) of \(connection.manifest.id) was taken")
    }
}

/// `lab restore`: brings an instance back to a snapshot.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Brings a running instance back to the state of a snapshot.",
        discussion: """
            The snapshot is checked before anything changes. Then all processes are ended, the state is put back, and those start \
            that ran when the snapshot was taken. Traces and logs continue.
            """)

    @OptionGroup var options: InstanceOptions

    @Argument(help: "Name of the snapshot; `lab snapshots` lists them.")
    var name: String

    @Option(help: "The directory that --to of `lab snapshot` has named; the instance must have the same topology.")
    var from: String?

    func run() throws {
        let connection = try options.find()
        try UninterruptedWork.onSignals(saying: "the snapshot is being restored")
        try connection.snapshots.restore(name, from: from)
        Console.print("\(connection.manifest.id) is as in snapshot \(name)")
    }
}

/// `lab snapshots`: lists the snapshots of an instance.
struct SnapshotsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshots", abstract: "Lists the snapshots of a running instance, or removes one.")

    @OptionGroup var options: InstanceOptions

    @Option(help: "Remove this snapshot.")
    var delete: String?

    func run() throws {
        try ImmediateEnd.onSignals()
        let snapshots = try options.find().snapshots
        guard let delete else {
            for line in try snapshots.lines() { Console.print(line) }
            return
        }
        try snapshots.remove(delete)
        Console.print("snapshot \(delete) was removed")
    }
}

extension InstanceConnection {
    fileprivate var snapshots: InstanceSnapshots { InstanceSnapshots(of: self, labVersion: LabVersion.current) }
}

/// Work that a signal must not end halfway: the processes of an instance would stay ended.
private enum UninterruptedWork {
    /// Reports SIGINT, SIGTERM and SIGHUP, and lets the work continue.
    static func onSignals(saying what: String) throws {
        try Signals.onSignals([SIGINT, SIGTERM, SIGHUP]) { _ in
            Console.error("\(what); the command ends when that is done")
        }
    }
}
