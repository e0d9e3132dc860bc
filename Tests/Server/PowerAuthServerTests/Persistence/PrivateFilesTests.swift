// SPDX-License-Identifier: Apache-2.0

import Foundation
import LabControl
import LabCore
import TestSupport
import Testing

@testable import PowerAuthServer

/// The files of a server are private.
@Suite("Files of the server", .endsInTime)
struct PrivateFilesTests {
    private func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
    }

    private func open(_ path: String, _ mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `Everything that a new server writes is for its user alone`() async throws {
        // Given a directory, the server itself makes everything in it.
        let fixture = try ServerFixture(directory: TemporaryDirectory()) {
            $0.hasLabPowers = true
            $0.certificate = .valid
        }
        try await fixture.run { client in
            try await client.send("/lab/snapshots", body: Data(#"{"name":"before"}"#.utf8)).expectOK()
        }
        try expectPrivate(fixture.directory.path + "/server", count: 8)
    }

    @Test(.verifies("security.md", "private-files"))
    func `What an older server or a copy left open is closed at the start; files of others stay as they are`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let root = directory.path + "/server"
        func start() throws -> ServerFixture {
            try ServerFixture(directory: directory) {
                $0.hasLabPowers = true
                $0.certificate = .valid
            }
        }
        let first = try start()
        try SnapshotService(database: first.server.services.context.database, directory: root + "/snapshots")
            .take("before")
        for file in try FileManager.default.subpathsOfDirectory(atPath: root) {
            let isDirectory = file == "tls" || file == "snapshots"
            try open("\(root)/\(file)", isDirectory ? 0o755 : 0o644)
        }
        try open(root, 0o777)
        try Data("mine".utf8).write(to: URL(filePath: root + "/notes.txt"))
        try open(root + "/notes.txt", 0o644)
        let second = try start()
        _ = try second.server.services.applications.list()
        #expect(try mode(root + "/notes.txt") == 0o644)
        try FileManager.default.removeItem(atPath: root + "/notes.txt")
        try expectPrivate(root, count: 8)
    }

    @Test func `A directory of all users is refused and stays open for them`() throws {
        let directory = try TemporaryDirectory()
        try open(directory.path, 0o1777)
        let error = #expect(throws: PrivateFiles.SharedDirectory.self) { try PrivateFiles.prepare(directory.path) }
        #expect(error?.description.contains("Choose one for the server alone") == true)
        #expect(try mode(directory.path) == 0o1777)
        try open(directory.path, 0o700)
    }

    @Test
    func `A file that SQLite takes away while the server starts is no obstacle, and the others become private`() throws
    {
        let directory = try TemporaryDirectory()
        let names = ["server.sqlite", "server.sqlite-shm", "server.sqlite-wal"].map { "\(directory.path)/\($0)" }
        for name in [names[0], names[2]] {
            try Data().write(to: URL(filePath: name))
            try open(name, 0o644)
        }
        // A link to nowhere is listed and is not there, like a file that goes after it was listed, but every time.
        try FileManager.default.createSymbolicLink(atPath: names[1], withDestinationPath: "gone")
        try PrivateFiles.prepare(directory.path)
        #expect(try [mode(names[0]), mode(names[2])] == [0o600, 0o600])
    }

    /// - Parameter count: how many files and directories there are at least.
    private func expectPrivate(_ root: String, count: Int) throws {
        let paths = try [root] + FileManager.default.subpathsOfDirectory(atPath: root).map { "\(root)/\($0)" }
        #expect(paths.count >= count, "\(paths)")
        for path in paths {
            var isDirectory: ObjCBool = false
            #expect(FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory))
            #expect(try mode(path) == (isDirectory.boolValue ? 0o700 : 0o600), "\(path)")
        }
    }
}
