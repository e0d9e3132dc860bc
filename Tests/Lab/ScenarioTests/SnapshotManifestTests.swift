// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabCore
import LabSystem
import TestSupport
import Testing

@testable import ScenarioEngine

@Suite("The description of a snapshot", .endsInTime)
struct SnapshotManifestTests {
    private let directory: TemporaryDirectory
    private let manifest: SnapshotManifest
    private var path: String { directory.path }

    private static let files = [
        "server/powerauth.sqlite": "rows", "devices/phone/keychain.sqlite": "items", "devices/phone/empty": "",
    ]

    private static func topology(_ devices: String..., name: String = "t") -> Topology {
        Topology(name: name, devices: devices.map { DeviceSpec(name: $0, kind: .phone, apps: []) })
    }

    private static func manifest(
        of files: [String: SnapshotManifest.File], version: Int = SnapshotManifest.currentVersion
    ) throws -> SnapshotManifest {
        SnapshotManifest(
            labVersion: "1.2", name: try SnapshotName("before"), taken: LabTime(milliseconds: 5),
            topology: topology("phone"),
            clock: SnapshotManifest.Clock(
                time: LabTime(nanoseconds: 1_800_000_000_123_456_789), rate: 600, isFrozen: true),
            running: RunningProcesses(
                isServerRunning: true, devices: ["phone"], apps: ["main": .running, "wallet": .suspended]),
            files: files, version: version)
    }

    init() throws {
        directory = try TemporaryDirectory()
        for (path, text) in Self.files {
            try Files.createDirectory(Files.directory(of: directory.file(path)))
            try Files.write(Data(text.utf8), to: directory.file(path))
        }
        manifest = try Self.manifest(of: SnapshotManifest.files(below: directory.path))
        try manifest.write(to: directory.path)
    }

    @Test func `It is read as it was written, and lists the size and SHA-256 of every file but itself`() throws {
        #expect(try SnapshotManifest.read(from: path) == manifest)
        #expect(Set(manifest.files.keys) == Set(Self.files.keys))
        let empty = try #require(manifest.files["devices/phone/empty"])
        #expect(empty.bytes == 0)
        #expect(empty.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        try manifest.verify(path, of: path)
    }

    @Test func `One changed bit anywhere in the description is noticed`() throws {
        let file = directory.file(SnapshotManifest.fileName)
        let intact = try Files.read(file)
        for position in intact.indices {
            var damaged = intact
            damaged[position] ^= 1
            try Files.write(damaged, to: file)
            #expect(throws: SnapshotError.unreadable(path: file), "byte \(position)") {
                try SnapshotManifest.read(from: path)
            }
        }
        try Files.remove(file)
        #expect(throws: SnapshotError.unreadable(path: file)) { try SnapshotManifest.read(from: path) }
    }

    @Test func `A file that is changed, missing or additional is named with what was expected and what is there`()
        throws
    {
        for (name, text) in Self.files {
            let expected = try #require(manifest.files[name]).text
            let changed = Data((text + "x").utf8)
            try Files.write(changed, to: directory.file(name))
            #expect(
                throws: SnapshotError.damaged(
                    path: "/s/\(name)", expected: expected, actual: SnapshotManifest.File(changed).text)
            ) { try manifest.verify(path, of: "/s") }
            try Files.remove(directory.file(name))
            #expect(
                throws: SnapshotError.damaged(path: "/s/\(name)", expected: expected, actual: "no file here")
            ) { try manifest.verify(path, of: "/s") }
            try Files.write(Data(text.utf8), to: directory.file(name))
        }
        try Files.write(Data(), to: directory.file("server/more"))
        let error = #expect(throws: SnapshotError.self) { try manifest.verify(path, of: "/s") }
        #expect(error?.description.contains("/s/server/more was expected to have no file here") == true)
    }

    @Test func `Other versions of the format and of the lab, and other topologies, are refused with both sides`()
        throws
    {
        for version in [SnapshotManifest.currentVersion - 1, SnapshotManifest.currentVersion + 1] {
            try Self.manifest(of: [:], version: version).write(to: path)
            #expect(
                throws: SnapshotError.otherFormat(
                    directory: path, expected: SnapshotManifest.currentVersion, actual: version)
            ) { try SnapshotManifest.read(from: path) }
        }
        try manifest.check(fits: Self.topology("phone"), labVersion: "1.2", in: "/s")
        #expect(throws: SnapshotError.otherLab(directory: "/s", expected: "1.3", actual: "1.2")) {
            try manifest.check(fits: Self.topology("phone"), labVersion: "1.3", in: "/s")
        }
        let other = #expect(throws: SnapshotError.self) {
            try manifest.check(fits: Self.topology("phone", "watch"), labVersion: "1.2", in: "/s")
        }
        #expect(
            other?.description
                == "the snapshot /s is of topology `t` (phone), and the instance has topology `t` (phone; watch); restore it in an instance of the topology that it was taken of"
        )
        var changed = Self.topology("phone")
        changed.server.maxFailedAttempts += 1
        let error = #expect(throws: SnapshotError.self) {
            try manifest.check(fits: changed, labVersion: "1.2", in: "/s")
        }
        #expect(error?.description.hasSuffix("that it was taken of, which was changed since") == true)
    }

    @Test(.verifies("size", "SnapshotName.longest"))
    func `A name has 1 to 64 letters, digits, hyphens and dots, and begins without a dot`() throws {
        for name in ["a", "A-1.b", "-", String(repeating: "x", count: 63), String(repeating: "x", count: 64)] {
            #expect(try SnapshotName(name).text == name)
        }
        for name in ["", ".", "..", ".new", "a/b", "a b", "a_b", "ä", "a\0", String(repeating: "x", count: 65)] {
            #expect(throws: SnapshotError.invalidName(name)) { try SnapshotName(name) }
        }
    }

    @Test func `What only the running processes need stays out`() {
        #expect(SnapshotPart.server.leavesOut("ready.json") && SnapshotPart.server.leavesOut("requests#1.jsonl"))
        #expect(!SnapshotPart.server.leavesOut("lab-token") && !SnapshotPart.server.leavesOut("tls/ready.json"))
        #expect(SnapshotPart.devices.leavesOut("phone/boot-1"))
        #expect(!SnapshotPart.devices.leavesOut("boot-1") && !SnapshotPart.devices.leavesOut("phone/apps/boot-1"))
        #expect(!SnapshotPart.backups.leavesOut("ready.json") && !SnapshotPart.backups.leavesOut("b/boot-1"))
    }
}
