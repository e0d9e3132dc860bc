// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import LabSystem
import TestSupport
import Testing

@testable import LabCore

@Suite("Files of an instance", .endsInTime)
struct InstanceFileTests {
    private static let ready = ServerReady(
        baseURL: "http://127.0.0.1:40", enrollmentURL: "http://127.0.0.1:40/enrollment-server:40",
        backOfficeURL: "http://127.0.0.1:40/office", applicationId: "a", configuration: "c", pid: 1, port: 40)

    @Test func `The counter of incarnations ends with its range, and a torn one begins anew`() throws {
        let test = try TestInstance()
        let path = "\(test.layout.incarnationsDirectory)/main"
        func store(_ last: UInt64) throws { try Files.write(withUnsafeBytes(of: last) { Data($0) }, to: path) }
        try store(UInt64(Int32.max) - 1)
        #expect(try Incarnations.next(test.layout, "main") == Int(Int32.max))
        #expect(throws: InstanceError.unreadable(path: path, expected: "a counter of incarnations")) {
            try Incarnations.next(test.layout, "main")
        }
        try Files.write(Data(repeating: 9, count: 7), to: path)
        #expect(try Incarnations.next(test.layout, "main") == 1)
        #expect(try Incarnations.next(test.layout, "main") == 2)
        #expect(try Files.read(path).count == 8)
    }

    @Test
    func `The variable of the lab decides where instances are, then that of the desktop; empty ones do not count`()
        throws
    {
        let directory = try TemporaryDirectory()
        let (own, desktop) = (directory.file("own"), directory.file("desktop"))
        func root(_ lab: String, _ xdg: String) throws -> String {
            try Instance.runtimeRoot(environment: ["LAB_RUNTIME_DIR": lab, "XDG_RUNTIME_DIR": xdg])
        }
        #expect(try root(own, desktop) == own)
        #expect(try root("", desktop) == "\(desktop)/palab")
        #expect(try Files.isPrivateDirectory(own) && Files.isPrivateDirectory("\(desktop)/palab"))
    }

    @Test func `Living instances are listed by their age, those of one moment by their ids`() throws {
        let directory = try TemporaryDirectory()
        let ages: [(id: String, created: Int64)] = [("c", 2), ("b", 3), ("a", 3), ("d", 1)]
        let instances = try ages.map { id, created in
            try Instance.create(id: id, in: directory.path) { layout in
                var manifest = InstanceManifest.test(layout)
                manifest.created = created
                return manifest
            }
        }
        #expect(try Instance.live(in: directory.path).map(\.id) == ["d", "c", "a", "b"])
        for instance in instances { #expect(try instance.end()) }
    }

    @Test func `An instance is found by any path of its lab file`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("lab.yaml")
        try Files.touch(file)
        try Files.symlink(directory.file("link.yaml"), to: file)
        let test = try TestInstance(labFile: directory.file("link.yaml"))
        for path in [file, directory.file("link.yaml")] {
            #expect(try Instance.live(madeFrom: path, in: test.runtimeRoot) == [test.layout])
        }
        #expect(try Instance.live(madeFrom: directory.file("other.yaml"), in: test.runtimeRoot) == [])
    }

    @Test func `A description is read as it was written, and a damaged one is an error that names its file`() throws {
        let test = try TestInstance(labFile: "/f")
        let read = try InstanceManifest.read(test.layout)
        #expect(try JSONValue(encoding: read) == JSONValue(encoding: test.instance.manifest))
        #expect(read.seed == 1 && read.labFile == "/f" && read.executablesDirectory == "/nonexistent")
        #expect(read.tracesDirectory == "\(read.runDirectory)/traces")
        #expect(abs(read.created - RealTimeClock.nanoseconds() / 1_000_000) < 3_600_000)
        try Files.write(Data(#"{"id":1}"#.utf8), to: test.layout.manifestPath)
        let error = #expect(throws: InstanceError.self) { try InstanceManifest.read(test.layout) }
        guard case .unreadable(let path, _)? = error else { throw Unexpected("\(String(describing: error))") }
        #expect(path == test.layout.manifestPath)
    }

    @Test func `A server behind another port has that port in each address once`() {
        let reached = Self.ready.reached(throughPort: 50)
        var expected = Self.ready
        expected.baseURL = "http://127.0.0.1:50"
        expected.enrollmentURL = "http://127.0.0.1:50/enrollment-server:40"
        expected.backOfficeURL = "http://127.0.0.1:50/office"
        expected.port = 50
        #expect(reached == expected)
    }

    @Test
    func `A server's report counts only when it is that of the watched process, whose end ends the wait`() throws {
        let test = try TestInstance()
        #expect(try ServerReady.read(test.layout) == nil)
        var ready = Self.ready
        let child = try ChildProcess.spawn(executable: "/bin/sleep", arguments: ["1000"], deathSignal: SIGKILL)
        let watch = try ProcessWatch(pid: child.pid)
        ready.pid = child.pid + 1
        try ready.write(test.layout)
        #expect(try ServerReady.read(test.layout) == ready)
        #expect(try ServerReady.wait(test.layout, timeout: .milliseconds(1), watching: watch) == nil)
        #expect(try ServerReady.wait(test.layout, timeout: .zero) == ready)
        try child.signal(SIGKILL)
        #expect(try child.wait() == .signaled(SIGKILL))
        // Much longer than the time limit of the suite.
        #expect(try ServerReady.wait(test.layout, timeout: .minutes(600), watching: watch) == nil)
        ready.pid = child.pid
        try ready.write(test.layout)
        #expect(try ServerReady.wait(test.layout, timeout: .minutes(600), watching: watch) == ready)
        try Files.write(Data("{}".utf8), to: test.layout.serverReadyPath)
        #expect(throws: DecodingError.self) { try ServerReady.read(test.layout) }
    }
}
