// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabPoints
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine

/// The instances have files, a clock and faults, but no processes; `SnapshotCommandTests` have those.
@Suite("Snapshots of an instance", .endsInTime)
struct InstanceSnapshotTests {
    private let test: TestInstance
    private let connection: InstanceConnection
    private let snapshots: InstanceSnapshots
    private var layout: InstanceLayout { test.layout }

    init() throws {
        test = try TestInstance()
        connection = try InstanceConnection(test.layout)
        snapshots = InstanceSnapshots(of: connection, labVersion: "1.2")
        try Self.write("rows", "server/powerauth.sqlite", test.layout)
        try Self.write("items", "devices/phone/keychain.sqlite", test.layout)
    }

    private static func write(_ text: String, _ path: String, _ layout: InstanceLayout) throws {
        try Files.createDirectory(Files.directory(of: "\(layout.root)/\(path)"))
        try Files.write(Data(text.utf8), to: "\(layout.root)/\(path)")
    }

    private func write(_ text: String, _ path: String) throws { try Self.write(text, path, layout) }

    private func text(_ path: String) -> String? {
        (try? Files.read("\(layout.root)/\(path)")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `Restoring brings files, fault points and the clock back, and removes what is new`() throws {
        let faults = connection.faults
        try faults.arm(FaultRule(point: .keychainWrite, process: "main", action: .fail("ENOSPC")))
        try connection.clock.freeze()
        let time = connection.clock.now()
        try snapshots.take("before")
        #expect(connection.clock.now() == time && connection.clock.isFrozen)

        try write("more rows", "server/powerauth.sqlite")
        try write("log", "server/powerauth.sqlite-wal")
        try Files.remove("\(layout.devicesDirectory)/phone/keychain.sqlite")
        try write("new", "devices/phone/apps/a/file")
        try write("backup", "backups/b/content")
        try write("address", "server/ready.json")
        try write("request", "server/requests#1.jsonl")
        try faults.disarm()
        try faults.arm(FaultRule(point: .stateSave, process: "wallet", action: .kill))
        let memory = layout.sharedMemoryPrefix + "phone-1-0123456789abcdef"
        _ = try SharedMemoryObject.create(name: memory, size: 8)
        try connection.clock.run(rate: 60)
        try connection.clock.advance(by: .minutes(5))

        try snapshots.restore("before")
        #expect(text("server/powerauth.sqlite") == "rows" && text("devices/phone/keychain.sqlite") == "items")
        #expect(text("server/powerauth.sqlite-wal") == nil && text("devices/phone/apps/a/file") == nil)
        #expect(!Files.exists(layout.backupsDirectory))
        #expect(text("server/ready.json") == "address", "the server keeps its port")
        #expect(text("server/requests#1.jsonl") == "request", "records continue")
        #expect(faults.rules().map(\.rule.process) == ["main"])
        #expect(connection.clock.now() == time && connection.clock.isFrozen && connection.clock.rate == 1)
        #expect(try !SharedMemoryObject.list().contains(memory))
        #expect(try Files.list(layout.snapshotsDirectory) == [".lock", "before"], "no preparations are left")
        let events = try TraceReader.readAll(connection.manifest.tracesDirectory).filter { $0.name == .log }
        #expect(
            events.compactMap { $0.fields["message"]?.stringValue } == [
                "the snapshot `before` was taken", "the snapshot `before` was restored",
            ])
    }

    @Test func `A running clock continues from the time of the snapshot, at its rate`() throws {
        try connection.clock.run(rate: 60)
        let time = connection.clock.now()
        try snapshots.take("before")
        try connection.clock.advance(by: .minutes(6_000))
        try connection.clock.run()
        try snapshots.restore("before")
        #expect(!connection.clock.isFrozen && connection.clock.rate == 60)
        #expect(connection.clock.now() >= time && connection.clock.now() - time < .minutes(6_000))
    }

    @Test func `A snapshot can be restored again and again, and outlives its instance elsewhere`() throws {
        let place = test.file("states")
        try snapshots.take("first", in: place)
        for round in 1...2 {
            try write("round \(round)", "server/powerauth.sqlite")
            try snapshots.restore("first", from: place)
            #expect(text("server/powerauth.sqlite") == "rows")
        }
        let other = try TestInstance()
        try Self.write("other rows", "server/powerauth.sqlite", other.layout)
        try InstanceSnapshots(of: InstanceConnection(other.layout), labVersion: "1.2").restore("first", from: place)
        let restored = try Files.read("\(other.layout.serverDirectory)/powerauth.sqlite")
        #expect(String(decoding: restored, as: UTF8.self) == "rows")
        #expect(try snapshots.lines().isEmpty, "the instance's own directory has no snapshot")
    }

    @Test func `They are listed by name with their sizes, and one can be removed`() throws {
        try snapshots.take("second")
        try snapshots.take("first")
        try Files.write(Data("{}".utf8), to: "\(layout.snapshotsDirectory)/second/snapshot.json")
        let lines = try snapshots.lines()
        try #require(lines.count == 2)
        #expect(lines[0].contains(#/^first  taken \d{4}-.*Z, lab time \d{4}-.*Z, \d+ KiB$/#), "\(lines)")
        #expect(lines[1].contains("snapshot.json is not a description of a snapshot"), "\(lines)")
        try snapshots.remove("second")
        #expect(try snapshots.lines().count == 1)
        #expect(
            throws: SnapshotError.unknown(name: "second", directory: layout.snapshotsDirectory, known: ["first"])
        ) { try snapshots.remove("second") }
    }

    @Test func `What cannot be taken or restored is refused, and the instance stays as it is`() throws {
        try snapshots.take("before")
        try write("more rows", "server/powerauth.sqlite")
        let own = layout.snapshotsDirectory
        #expect(throws: SnapshotError.exists(name: "before", directory: own)) { try snapshots.take("before") }
        #expect(throws: SnapshotError.invalidName("../x")) { try snapshots.take("../x") }
        #expect(throws: SnapshotError.invalidName(".lock")) { try snapshots.restore(".lock") }
        let unknown = SnapshotError.unknown(name: "befor", directory: own, known: ["before"])
        #expect(throws: unknown) { try snapshots.restore("befor") }
        #expect(unknown.description.contains("did you mean `before`?"))
        #expect(throws: SnapshotError.otherLab(directory: "\(own)/before", expected: "1.3", actual: "1.2")) {
            try InstanceSnapshots(of: connection, labVersion: "1.3").restore("before")
        }
        let lock = try FileLock(path: "\(own)/.lock")
        #expect(try lock.tryLock())
        #expect(throws: SnapshotError.busy(instance: layout.id)) { try snapshots.restore("before") }
        try lock.unlock()
        try Files.write(Data("r0ws".utf8), to: "\(own)/before/server/powerauth.sqlite")
        let damaged = #expect(throws: SnapshotError.self) { try snapshots.restore("before") }
        #expect(damaged?.description.contains("\(own)/before/server/powerauth.sqlite was expected") == true)
        #expect(text("server/powerauth.sqlite") == "more rows")
        #expect(try Files.list(own) == [".lock", "before"])
    }

    @Test func `Neither of two hosts takes a snapshot of the instance that they play together`() throws {
        let shared = try TestInstance(share: HostAssignment(side: .owner, devices: []))
        let snapshots = InstanceSnapshots(of: try InstanceConnection(shared.layout), labVersion: "1.2")
        #expect(throws: SnapshotError.twoHosts(instance: shared.layout.id)) { try snapshots.take("before") }
        #expect(throws: SnapshotError.twoHosts(instance: shared.layout.id)) { try snapshots.restore("before") }
    }
}
